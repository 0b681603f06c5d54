// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What is wrong with a text, where, and what to do: one line each.
#include <gtest/gtest.h>

#include <string>

#include "base/text.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::notation {
namespace {

std::string wrong(std::string_view text) {
  const auto document = parse(text, "t");
  return document ? "nothing" : to_text(document.error());
}
std::string wrong_request(std::string_view clauses) {
  const auto request = parse_request(clauses, "r");
  return request ? "nothing" : to_text(request.error());
}

TEST(NotationError, RefusesWhatIsNoText) {
  using namespace std::string_literals;
  EXPECT_EQ(wrong("node a\n gpu0\0"s),
            "t:2:6: a NUL character; the notation is plain text: remove it");
  EXPECT_EQ(wrong("node a\n  \x1b[2J"),
            "t:2:3: a control character; the notation is plain text: remove it");
  EXPECT_EQ(wrong("node \"a\xC2\x9B m\""),
            "t:1:8: a control character; the notation is plain text: remove it");
  EXPECT_EQ(wrong("node a\n# \xC3\xA9\xFF"), "t:2:4: this is no UTF-8; save the file as UTF-8");
  EXPECT_EQ(wrong(std::string(kTextBytesMax + 1, ' ')),
            "t: the text is longer than 64 MiB; cut it into several files");
}

TEST(NotationError, CountsColumnsInCharacters) {
  EXPECT_EQ(wrong("\xEF\xBB\xBFnode \xC3\xA9\xC3\xA9 cpu=x"),
            "t:1:13: 'x' is no number here; write a whole number from 0 to 65536");
}

TEST(NotationError, SaysWhatIsKnown) {
  EXPECT_EQ(
      wrong("nod a"),
      "t:1:1: no statement starts with 'nod'; perhaps node; known here: node pod held reserved ->");
  EXPECT_EQ(wrong("node a cpus=3"),
            "t:1:8: a node has no 'cpus'; perhaps cpu; known here: arch cpu mem cordoned");
  EXPECT_EQ(wrong("node a\n numa0 memory=3"),
            "t:2:8: a NUMA node has no 'memory'; known here: cpus smt cores mem socket");
  EXPECT_EQ(
      wrong("node a\n gpu0 modle=x"),
      "t:2:7: a GPU has no 'modle'; perhaps model; known here: label id pci numa cordoned model "
      "mem mig slots");
  EXPECT_EQ(wrong("node a\n numa0 { swich0 { } }"),
            "t:2:10: 'swich0' cannot stand here; known here: gpuK nicK nvmeK bridgeK portK swK");
  EXPECT_EQ(
      wrong_request("gpus=2"),
      "r:1:1: no clause is called 'gpus'; perhaps gpu; known here: gpu gpu.bytes mig gpu.cards "
      "gpu.model gpu.mem>= nic nic.bw vf vf.cards nic.role nic.rate>= nic.allow nvme pair<= pair "
      "gpus<= nvlink nvme<= cores cores.plan cpu mem numa prefer arch");
  EXPECT_EQ(wrong_request("numa=singel"),
            "r:1:6: 'singel' cannot stand here; perhaps single; known here: single near-devices "
            "best none");
  EXPECT_EQ(wrong_request("gpu=2 pair<=PXI nic=2"),
            "r:1:13: 'PXI' cannot stand here; perhaps PXB; known here: PIX PXB PHB NODE SYS");
}

TEST(NotationError, RefusesWhatStandsTwice) {
  EXPECT_EQ(wrong("node a\nnode a"), "t:2:1: the node 'a' stands twice; names of nodes are unique");
  EXPECT_EQ(wrong("pod a\npod a"), "t:2:1: the pod 'a' stands twice; names of pods are unique");
  EXPECT_EQ(wrong("node a\nheld x on a:\nreserved x on a:"),
            "t:3:1: the holder 'x' stands twice; put all that it has on one line");
  EXPECT_EQ(wrong("node a\n gpu0\n gpu0"),
            "t:3:2: gpu0 stands twice; number the devices of a kind from 0, each once");
  EXPECT_EQ(wrong("node a\n numa0\n numa0"), "t:3:2: numa0 stands twice; leave one of them");
  EXPECT_EQ(wrong("node a\n numa0 { sw0 {} sw0 {} }"),
            "t:2:17: sw0 stands twice; give each bridge, port and switch of a node its own number");
  EXPECT_EQ(wrong("node a\n gpu0 mem=1 mem=1"), "t:2:13: 'mem' stands twice; leave one of them");
  EXPECT_EQ(wrong_request("gpu=1 gpu=1"), "r:1:7: 'gpu' stands twice; leave one of them");
  EXPECT_EQ(wrong_request("gpu=1 mig=1g"),
            "r:1:7: mig= and gpu= in one request; leave one of them, or ask with two pods");
  EXPECT_EQ(wrong_request("pair<=PIX pair=1:1<=PIX"), "r:1:11: pair stands twice");
  EXPECT_EQ(wrong_request("nvlink=best prefer=gpus"),
            "r:1:20: the wish 'gpus' stands twice; nvlink=best is the same as prefer=gpus");
  EXPECT_EQ(wrong("node a\n gpu0 gpu1\n nvlink NV1 gpu0 gpu1\n nvlink NV2 gpu1 -> gpu0"),
            "t:4:2: these links were stated before; state each pair once");
  EXPECT_EQ(
      wrong("node a\n gpu0\nheld x on a: gpu0 gpu0"),
      "t:3:19: gpu0 is granted twice on this line; grant a device once, or different slots of it");
}

TEST(NotationError, RefusesContradictions) {
  EXPECT_EQ(wrong("node a\n numa0 cpus=0-3\n numa1 cpus=3-4"),
            "t:3:2: numa0 has some of these CPUs too; a CPU belongs to one NUMA node");
  EXPECT_EQ(
      wrong("node a\n numa0 cpus=0-3 cores=0+1,2"),
      "t:2:23: cores= and cpus= do not name the same CPUs; name each CPU of cpus= exactly once in "
      "cores=");
  EXPECT_EQ(wrong("node a\n numa0 cpus=0-1 cores=0,1,0,5"),
            "t:2:27: cores= names more CPUs than cpus=; name each CPU exactly once");
  EXPECT_EQ(wrong("node a\n numa0 cpus=0-2 smt=split"),
            "t:2:17: 3 CPUs are no pairs of threads; write the cores one by one: cores=0+1,2");
  EXPECT_EQ(wrong("node a\n gpu0 gpu2"),
            "t:2:7: gpu2, but there is no gpu1; number the devices of a kind from 0 without a gap");
  EXPECT_EQ(
      wrong("node a\n numa0 { sw0 { bridge0 {} } }"),
      "t:2:16: a host bridge stands at the top; put it straight inside numaK, or on the node");
  EXPECT_EQ(wrong("node a\n numa0 { sw0 { port0 {} } }"),
            "t:2:16: a root port hangs under a host bridge; the ports of a switch are part of the "
            "switch: "
            "leave them out");
  EXPECT_EQ(
      wrong("node a\n numa0 { bridge0 numa=1 {} }"),
      "t:2:18: the braces around say the NUMA node already; numa= belongs to a bridge outside of "
      "every numa line");
  EXPECT_EQ(wrong("node a\n nvlink NV1 gpu0 gpu1"), "t:2:13: there is no gpu0 on this node");
}

TEST(NotationError, RefusesHalfAStatement) {
  EXPECT_EQ(wrong("node"), "t:1:5: node needs a name");
  EXPECT_EQ(wrong("node a\n numa0 { gpu0"),
            "t:2:8: the brace is never closed; end the block with }");
  EXPECT_EQ(
      wrong("node a\n }"),
      "t:2:2: a } without what it belongs to; braces follow numaK, bridgeK, portK, swK or matrix");
  EXPECT_EQ(wrong("node a\n numa0 { sw0 gpu0 }"),
            "t:2:10: what hangs under sw0 is missing; write sw0 { … }");
  EXPECT_EQ(wrong("node \"a"), "t:1:6: the quotes are never closed; end the text with \"");
  EXPECT_EQ(wrong("node \"a\\n\""),
            "t:1:8: a backslash before neither \" nor \\; write \\\\ for a backslash");
  EXPECT_EQ(wrong("node a cordoned=\"x\"y"),
            "t:1:17: more follows right after the closing quotes; put a blank between");
  EXPECT_EQ(wrong("node a\nheld x on a gpu0"),
            "t:2:11: a colon follows the node's name; write on NODE: gpu0 …");
  EXPECT_EQ(
      wrong("pod a gpu=1 { }"),
      "t:1:13: more than belongs on this line; start the next statement on a line of its own");
  EXPECT_EQ(wrong_request("gpu"), "r:1:1: 'gpu' has no value; write gpu= and a value");
  EXPECT_EQ(wrong_request("gpus<=PIX pair"),
            "r:1:11: 'pair' has no value; write pair= and a value");
  EXPECT_EQ(wrong_request("gpu=1\ngpu=2"),
            "r:2:1: a request is one line of clauses; leave the rest out");
  EXPECT_EQ(wrong_request("gpu=1 nic.bw=40G"),
            "r:1:7: nic.bw= without nic=; say of how many NICs: nic=1 nic.bw=40G");
  EXPECT_EQ(
      wrong_request("pair=2<=PIX"),
      "r:1:6: '2<=PIX' is no pairing; write pair<=PIX, or pair=2:1<=PXB for two GPUs to one NIC");
}

TEST(NotationError, RefusesAMatrixWithHoles) {
  EXPECT_EQ(wrong("node a\n gpu0 gpu1\n matrix {\n gpu0 gpu1\n gpu0 X NV1\n gpu1 NV1\n }"),
            "t:6:2: the row has 1 cells, the matrix 2 columns; write ? for a cell that nobody saw");
  EXPECT_EQ(wrong("node a\n gpu0 gpu1\n matrix {\n gpu0 gpu1\n gpu1 X X\n gpu0 X X\n }"),
            "t:5:2: here the row of 'gpu0' belongs; rows are in the order of the columns");
  EXPECT_EQ(wrong("node a\n gpu0\n matrix {\n gpu0\n gpu0 NV0\n }"),
            "t:5:7: 'NV0' is no cell; cells are X PIX PXB PHB NODE SYS NVn ?");
  EXPECT_EQ(wrong("node a\n gpu0\n matrix {\n gpu0 gpu0\n gpu0 X X\n gpu0 X X\n }"),
            "t:4:7: gpu0 stands twice");
  EXPECT_EQ(wrong("node a\n gpu0\n matrix {\n gpu0\n gpu0 X"),
            "t:5:8: the matrix has more rows than columns, or no } at its end");
}

TEST(NotationError, RefusesGrantsOfWhatIsNotThere) {
  const std::string node =
      "node a1\n numa0 cpus=0-3 mem=1Gi { gpu0 gpu1 mig=1g.5gb nic0 vfs=1 nvme0 }\nheld x on a1: ";
  EXPECT_EQ(wrong(node + "gpu2"), "t:3:15: a1 has no gpu2; tenon topo show draws what it has");
  EXPECT_EQ(wrong(node + "cpus=3-4"), "t:3:20: a1 has no CPU 4");
  EXPECT_EQ(wrong(node + "mem=1:1Gi"), "t:3:19: a1 has no numa1");
  EXPECT_EQ(wrong(node + "mem=0:0"), "t:3:19: no memory at all; leave the NUMA node out");
  EXPECT_EQ(wrong(node + "gpu0=mig:1g.5gb"),
            "t:3:15: gpu0 is not in MIG mode; say mig= on the GPU, or grant a share");
  EXPECT_EQ(wrong(node + "gpu1=mig:2g.10gb"),
            "t:3:15: no slot of gpu1 is left for this; see what the holders above have");
  EXPECT_EQ(wrong(node + "gpu1=mig:2g.10gb@0"), "t:3:32: slot 0 of gpu1 is another");
  EXPECT_EQ(wrong(node + "nic0=vf nic0=vf"),
            "t:3:23: no slot of nic0 is left for this; see what the holders above have");
  EXPECT_EQ(wrong(node + "nvme0=1"), "t:3:15: '1' is no part of nvme0; an NVMe is given whole");
  EXPECT_EQ(
      wrong(node + "gpu0=1.5"),
      "t:3:20: a share of a GPU is above 0 and at most 1; write the device alone for all of it");
  EXPECT_EQ(wrong("node a1\nheld x on b1: gpu0"),
            "t:2:11: there is no node 'b1' above; perhaps a1; known here: a1");
  EXPECT_EQ(wrong("held x on b1: gpu0"),
            "t:1:11: there is no node 'b1' above; describe the node first");
}

TEST(NotationError, RefusesAmountsThatAreNone) {
  EXPECT_EQ(wrong_request("mem=1e400"), "r:1:5: '1e400' is out of range; an amount is below 2^63");
  EXPECT_EQ(wrong_request("mem=-1"), "r:1:5: '-1' is negative; an amount is at least 0");
  EXPECT_EQ(
      wrong_request("cpu=NaN"),
      "r:1:5: 'NaN' is not an amount; write an amount such as 128Gi, 1500m, 0.5 or 129e6; suffixes "
      "are n u m k M G T P E Ki Mi Gi Ti Pi Ei");
  EXPECT_EQ(wrong_request("nic=99999999999"),
            "r:1:5: '99999999999' is no number here; write a whole number from 0 to 1000000");
  EXPECT_EQ(wrong_request("gpu=1000000"),
            "r:1:5: '1000000' is more GPUs than any node has; a request may name 64");
  EXPECT_EQ(wrong_request("mig=foo"),
            "r:1:5: 'foo' is no MIG profile; write one such as 1g.10gb or 1g.10gb+me");
}

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(NotationError, HoldsItsBounds) {
  const auto is_too_large = [](std::string_view text) {
    const auto document = parse(text, "t");
    return !document && document.error().kind == ErrorKind::kTooLarge;
  };
  EXPECT_TRUE(is_too_large("node a\n gpu64"));
  EXPECT_TRUE(is_too_large(text::cat("node ", std::string(kNameBytesMax + 1, 'a'))));
  EXPECT_TRUE(
      is_too_large(text::cat("node a\n gpu0 model=", std::string(kTextFactBytesMax + 1, 'a'))));
  EXPECT_TRUE(is_too_large("node a\n gpu0 mig=1g*64,1g"));
  EXPECT_TRUE(is_too_large("node a\n numa0 cpus=0-8 cores=0+1+2+3+4+5+6+7+8"));
  std::string deep = "node a\n numa0 { ";
  std::string wide = "node a\n numa0 { ";
  std::string numas = "node a\n";
  for (int i = 0; i < 2 * kTreeDepthMax; ++i) deep += text::cat("sw", i, " { ");
  for (int i = 0; i < kPlacesMax; ++i) wide += text::cat("sw", i, " {} ");
  for (int i = 0; i <= domain::kNumaNodesMax; ++i) numas += text::cat("numa", i, "\n");
  EXPECT_TRUE(is_too_large(deep));
  EXPECT_TRUE(is_too_large(wide + "}"));
  EXPECT_TRUE(is_too_large(numas));
}

// Every input ends, whatever is cut off.
TEST(NotationError, EndsWhereverATextIsCutOff) {
  const std::string text =
      "node a arch=x cpu=4 cordoned=\"y\"\n numa0 cpus=0-3 cores=0+1,2,3 mem=4Gi { bridge0 "
      "pci=01:00.0 "
      "{ port0 { sw0 { gpu0 mig=1g*2 nic0 vfs=2 } } } }\n gpu1\n nvlink NV1 gpu0 -> gpu1\n matrix "
      "{\n gpu0\n gpu0 X\n }\nheld h on a: gpu0=mig:1g@1 nic0=vf mem=0:1 cpus=0\npod p "
      "gpu=0.5+0.2*2 "
      "pair=1:1<=PIX nic=1\n-> p refused: because\n-> p on a: gpu1=0.5/3@4\n";
  EXPECT_TRUE(parse(text, "t")) << wrong(text);
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto document = parse(std::string_view{text}.substr(0, length), "t");
    if (document) {
      EXPECT_TRUE(parse(write(*document), "again"));
    } else {
      EXPECT_TRUE(document.error().where.starts_with("t:")) << document.error().where;
    }
  }
  EXPECT_EQ(wrong(repeated("{", 100000)).substr(0, 6), "t:1:1:");
}

}  // namespace
}  // namespace tenon::notation
