// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/dra.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "formats/topology/reader_test.hpp"

namespace tenon::formats::topology {
namespace {

using testing::between;

Result<Machines> read_texts(const std::vector<std::string>& texts) {
  std::vector<Source> sources;
  for (const std::string& text : texts)
    sources.push_back({text::cat("s", sources.size(), ".yaml"), text});
  return dra_read(sources);
}

std::string facts(const std::vector<std::string>& texts) {
  const auto machines = read_texts(texts);
  if (!machines) return to_text(machines.error());
  std::string out;
  for (const auto& node : machines->cluster.nodes) {
    EXPECT_EQ(testing::errors_of(node), "");
    out += text::cat("node ", node.name, "\n", testing::facts_of(node));
  }
  return out;
}
std::string warnings(const std::vector<std::string>& texts) {
  const auto machines = read_texts(texts);
  return machines ? text::join(machines->warnings, "\n") : to_text(machines.error());
}

constexpr auto kGpus = R"(apiVersion: v1
kind: List
items:
- apiVersion: resource.k8s.io/v1
  kind: ResourceSlice
  metadata: {name: a-gpu}
  spec:
    driver: gpu.nvidia.com
    nodeName: a
    pool: {generation: 1, name: a, resourceSliceCount: 1}
    devices:
    - name: gpu-1
      attributes:
        productName: {string: NVIDIA A100-SXM4-40GB}
        resource.kubernetes.io/pciBusID: {string: '0000:20:1c.0'}
        resource.kubernetes.io/pcieRoot: {string: pci0000:20}
        type: {string: gpu}
        uuid: {string: GPU-1}
      capacity: {memory: {value: 40Gi}}
    - name: gpu-0
      attributes:
        resource.kubernetes.io/pciBusID: {string: '0000:10:1c.0'}
        resource.kubernetes.io/pcieRoot: {string: pci0000:10}
        type: {string: gpu}
)";
constexpr auto kNics = R"(apiVersion: resource.k8s.io/v1
kind: ResourceSlice
spec:
  driver: dra.net
  nodeName: a
  pool: {generation: 7, name: a, resourceSliceCount: 1}
  devices:
  - name: pci-0000-10-1b-0
    attributes:
      dra.net/numaNode: {int: 0}
      dra.net/pciAddress: {string: '0000:10:1b.0'}
      dra.net/pciDevice: {string: Elastic Fabric Adapter (EFA)}
      dra.net/rdma: {bool: true}
      dra.net/rdmaDevice: {string: rdmap16s27}
      resource.kubernetes.io/pcieRoot: {string: pci0000:10}
  - name: eth0
    attributes:
      dra.net/ifName: {string: ens65}
      dra.net/mac: {string: '02:a6'}
      dra.net/numaNode: {int: 1}
      dra.net/pciAddress: {string: '0000:20:01.0'}
      dra.net/rdma: {bool: false}
      dra.net/sriovVfs: {int: 8}
      resource.kubernetes.io/pcieRoot: {string: pci0000:20}
  - name: veth9
    attributes:
      dra.net/ifName: {string: veth9}
      dra.net/virtual: {bool: true}
)";

// Two files of one node, one of each driver. The NICs say on which NUMA nodes the roots are.
TEST(Dra, JoinsTheSlicesOfANode) {
  EXPECT_EQ(facts({kGpus, kNics}),
            "node a\nnuma0 \nnuma1 \n"
            "gpu0 gpu-0 0000:10:1c.0\n"
            "gpu1 gpu-1=GPU-1 0000:20:1c.0 model=A100-SXM4-40GB mem=40Gi\n"
            "nic0 rdmap16s27 0000:10:1b.0 on=0 model=Elastic Fabric Adapter (EFA) rdma=yes\n"
            "nic1 ens65=02:a6 0000:20:01.0 on=1 rdma=no vfs=8\n");
  EXPECT_EQ(warnings({kGpus, kNics}), "node a: virtual network devices are left out (1)");
  EXPECT_EQ(facts({kGpus, kNics}), facts({kNics, kGpus}));
}

// One root is one host bridge: whether a switch is in between, nobody says.
TEST(Dra, OneRootIsPhb) {
  const auto machines = read_texts({kGpus, kNics});
  ASSERT_TRUE(machines);
  const auto& node = machines->cluster.nodes.at(0);
  EXPECT_EQ(between(node, "gpu0", "nic0"), "PHB");
  EXPECT_EQ(between(node, "gpu1", "nic1"), "PHB");
  EXPECT_EQ(between(node, "gpu0", "nic1"), "SYS");
  EXPECT_EQ(tenon::topology::numa_of(node, testing::index_of(node, "gpu0")), std::vector{0});
}

std::string slice(const std::string& devices, const std::string& driver = "gpu.nvidia.com",
                  const std::string& pool = "{name: a, generation: 1, resourceSliceCount: 1}") {
  return "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nspec:\n  driver: " + driver +
         "\n  nodeName: a\n  pool: " + pool + "\n  devices:\n" + devices;
}
std::string device(const std::string& name, const std::string& attributes,
                   const std::string& rest = "") {
  return "  - {name: " + name + ", attributes: {" + attributes + "}" + rest + "}\n";
}

// Near as they may be: without the standard root a place is not known, whatever a vendor's own says.
TEST(Dra, AVendorsOwnRootIsAnotherAttribute) {
  const auto machines = read_texts({slice(
      device("g",
             "gpu.nvidia.com/pcieRoot: {string: 'pci0000:10'}, pcieRoot: {string: 'pci0000:10'}") +
      device("h", "resource.kubernetes.io/pcieRoot: {string: 'pci0000:10'}"))});
  ASSERT_TRUE(machines);
  EXPECT_EQ(between(machines->cluster.nodes.at(0), "gpu0", "gpu1"), "?");
}

TEST(Dra, NumaMayBeAListOrUnknownOrContradictory) {
  const std::string text = slice(
      device("a", "numaNode: {ints: [0, 1]}") + device("b", "numaNode: {int: -1}") +
      device("c", "gpu.nvidia.com/numaNode: {int: 1}, resource.kubernetes.io/numaNode: {int: 0}"));
  EXPECT_EQ(facts({text}), "node a\nnuma0 \nnuma1 \ngpu0 a on=0,1\ngpu1 b\ngpu2 c\n");
  EXPECT_EQ(
      warnings({text}),
      "s0.yaml:10:5: device c: its attributes name different NUMA nodes: they count as not known");
}

// Slices name NUMA node 0 alone, and one device none: it must not look as if it were on node 0.
TEST(Dra, ASingleNumaNodeIsNotAllThereIs) {
  EXPECT_EQ(facts({slice(device("a", "numaNode: {int: 0}") + device("b", ""))}),
            "node a\nnuma0 \nnuma1 \ngpu0 a on=0\ngpu1 b\n");
  EXPECT_EQ(facts({slice(device("a", "numaNode: {int: 0}") + device("b", "numaNode: {int: 0}"))}),
            "node a\nnuma0 \ngpu0 a on=0\ngpu1 b on=0\n");
}

TEST(Dra, DevicesOfOneRootOnDifferentNumaNodesAreReported) {
  EXPECT_EQ(warnings({slice(
                device("a", "numaNode: {int: 0}, resource.kubernetes.io/pcieRoot: {string: r}") +
                device("b", "numaNode: {int: 1}, resource.kubernetes.io/pcieRoot: {string: r}"))}),
            "node a: devices of 'r' name different NUMA nodes");
}

// Partitions that exist: the card is in MIG mode, and is not offered itself.
TEST(Dra, MigPartitionsThatExistAreOfTheirCard) {
  const auto mig = [](const char* name, const char* profile) {
    return device(
        name,
        text::cat(
            "type: {string: mig}, parentUUID: {string: GPU-7}, profile: {string: ", profile,
            "}, productName: {string: NVIDIA A100}, resource.kubernetes.io/pciBusID: {string: "
            "'0000:10:00.0'}"),
        ", capacity: {memory: {value: 5Gi}}");
  };
  const auto machines = read_texts({slice(mig("m0", "1g.5gb") + mig("m1", "2g.10gb"))});
  ASSERT_TRUE(machines);
  EXPECT_EQ(testing::facts_of(machines->cluster.nodes.at(0)),
            "gpu0=GPU-7 0000:10:00.0 model=A100 mig=1g.5gb mig=2g.10gb\n");
  const auto& gpu = std::get<domain::GpuFacts>(machines->cluster.nodes[0].devices[0].facts);
  EXPECT_EQ(gpu.mig, domain::MigMode::kFixed);
  EXPECT_EQ(gpu.partitions.at(1).memory_bytes, 5 * (std::int64_t{1} << 30));
}

TEST(Dra, MigPartitionsThatCouldBeCutLeaveTheCardWhole) {
  const std::string text = slice(
      device("gpu-0", "type: {string: gpu}, uuid: {string: GPU-7}") +
      device("m0", "type: {string: mig}, parentUUID: {string: GPU-7}, profile: {string: 1g.5gb}") +
      device("m1", "type: {string: mig}, parentUUID: {string: GPU-8}, profile: {string: 1g.5gb}",
             ", consumesCounters: [{counterSet: x}]"));
  EXPECT_EQ(facts({text}), "node a\ngpu0 gpu-0=GPU-7\n");
  EXPECT_EQ(
      warnings({text}),
      "node a: MIG partitions that could be cut are left out: their cards are given whole (2)");
}

TEST(Dra, OlderVersionsKeepFactsUnderBasic) {
  EXPECT_EQ(
      facts(
          {"apiVersion: resource.k8s.io/v1beta1\nkind: ResourceSlice\nspec:\n  driver: "
           "gpu.amd.com\n"
           "  pool: {name: node-1}\n  devices:\n"
           "  - name: g\n    basic: {attributes: {productName: {string: AMD Instinct}}, capacity: "
           "{memory: 64Gi}}\n"}),
      "node node-1\ngpu0 g model=Instinct mem=64Gi\n");
}

TEST(Dra, ReadsJson) {
  EXPECT_EQ(facts({R"({"apiVersion":"v1","kind":"List","items":[{"kind":"ResourceSlice","spec":{
      "driver":"gpu.nvidia.com","nodeName":"b","pool":{"name":"b","generation":1},"devices":[
      {"name":"gpu-0","attributes":{"uuid":{"string":"GPU-\u0031"},"numaNode":{"int":3}}}]}}]})"}),
            "node b\nnuma3 \ngpu0 gpu-0=GPU-1 on=3\n");
}

TEST(Dra, ReadsSeveralDocumentsAndNodes) {
  const std::string other =
      "---\napiVersion: resource.k8s.io/v1beta2\nkind: ResourceSlice\nspec:\n  driver: "
      "gpu.nvidia.com\n  nodeName: B.example\n";
  EXPECT_EQ(facts({"\xEF\xBB\xBF" + std::string{kNics} + "---\n" + slice(device("g", "")) +
                   "---\nkind: ResourceSlice\r\nspec:\r\n  driver: gpu.x\r\n  nodeName: b\r\n"}),
            "node a\nnuma0 \nnuma1 \n"
            "gpu0 g\n"
            "nic0 rdmap16s27 0000:10:1b.0 on=0 model=Elastic Fabric Adapter (EFA) rdma=yes\n"
            "nic1 ens65=02:a6 0000:20:01.0 on=1 rdma=no vfs=8\n"
            "node b\n");
  EXPECT_EQ(facts({other}),
            "s0.yaml:5:3: names no node: 'B.example' is neither a nodeName nor a pool named like a "
            "node; give "
            "what kubectl get resourceslices -o yaml prints");
}

TEST(Dra, OldGenerationsAndIncompletePoolsAreReported) {
  const std::string old = slice(device("g", ""), "gpu.x", "{name: a, generation: 1}");
  const std::string young =
      slice(device("h", ""), "gpu.x", "{name: a, generation: 2, resourceSliceCount: 3}");
  EXPECT_EQ(facts({old, young}), "node a\ngpu0 h\n");
  EXPECT_EQ(warnings({old, young}),
            "s0.yaml:1:1: of generation 1, while the pool has 2: left out\n"
            "node a: of pool a of gpu.x only 1 of 3 slices are here");
}

TEST(Dra, OtherObjectsDriversAndTaintsAreReported) {
  EXPECT_EQ(
      warnings(
          {slice(device("cpu-0", "numa: {int: 0}"), "dra.cpu") + "---\nkind: Node\n---\n" +
           slice(device("g", "", ", taints: [{key: bad, effect: NoSchedule}]")) +
           "---\nkind: ResourceSlice\nmetadata: {name: net}\nspec: {driver: x, allNodes: true}\n"}),
      "s0.yaml:10:1: kind 'Node' is left out\n"
      "s0.yaml:21:1: slice 'net' is not of one node: left out\n"
      "node a: devices of dra.cpu are neither GPU nor NIC: left out (1)\n"
      "node a: taints are not read: tainted devices are offered alike (1)");
}

// A card that two drivers offer is one card.
TEST(Dra, OneAddressIsOneDevice) {
  EXPECT_EQ(facts({slice(device("g", "pciBusID: {string: '0000:01:00.0'}")) + "---\n" +
                   slice(device("v", "type: {string: vfio}, pciBusID: {string: '0000:01:00.0'}"),
                         "gpu.vfio")}),
            "node a\ngpu0 g 0000:01:00.0\n");
  EXPECT_EQ(facts({slice(device("g", "pciBusID: {string: '0000:01:00.0'}")) + "---\n" +
                   slice(device("n", "pciAddress: {string: '0000:01:00.0'}"), "dra.net")}),
            "s0.yaml:8:5: device g: is at 0000:01:00.0, where n of another kind is; a device is in "
            "one place: "
            "correct the slices");
}

TEST(Dra, RefusesWithPlaceAndWhat) {
  EXPECT_EQ(
      facts({slice(device("g", "") + device("g", ""))}),
      "s0.yaml:9:5: device g: stands twice in the slices of gpu.nvidia.com; give each slice once");
  EXPECT_EQ(facts({"kind: Node\n"}),
            "s0.yaml: holds no ResourceSlice of a node; give what kubectl get resourceslices -o "
            "yaml prints");
  EXPECT_EQ(facts({"kind: ResourceSlice\napiVersion: other/v1\n"}),
            "s0.yaml:1:1: apiVersion 'other/v1' is none of resource.k8s.io; give what kubectl get "
            "resourceslices -o yaml prints");
  EXPECT_EQ(
      facts({"kind: ResourceSlice\nspec: {nodeName: a, driver: d, devices: {}}\n"}),
      "s0.yaml:2:41: devices is no list; give what kubectl get resourceslices -o yaml prints");
  EXPECT_EQ(
      facts({slice("  - attributes: {}\n")}),
      "s0.yaml:8:5: a device has no name; give what kubectl get resourceslices -o yaml prints");
}

TEST(Dra, RefusesYamlThatGrowsOrContradictsItself) {
  EXPECT_EQ(facts({"a: &x [1]\nb: [*x, *x]\n"}),
            "s0.yaml:1:4: an anchor or alias is used; write plain block style, each key once, "
            "without anchors");
  EXPECT_EQ(facts({"kind: A\nkind: B\n"}),
            "s0.yaml:2:7: key 'kind' stands twice; write plain block style, each key once, without "
            "anchors");
  EXPECT_EQ(facts({std::string(100, '[')}),
            "s0.yaml:1:65: values stand more than 64 deep; mend the file");
  std::string deep;
  for (int i = 0; i < 70; ++i) deep += std::string(static_cast<std::size_t>(2 * i), ' ') + "a:\n";
  EXPECT_NE(facts({deep}).find("values stand more than 64 deep"), std::string::npos);
  EXPECT_NE(facts({"a: [1"}).find("is malformed YAML"), std::string::npos);
}

// yaml-cpp gives empty documents for ever here.
TEST(Dra, RefusesYamlThatDoesNotEnd) {
  EXPECT_EQ(facts({"!api, "}),
            "s0.yaml:1:5: is malformed YAML: nothing that is known stands here; write plain block "
            "style, each key "
            "once, without anchors");
}

TEST(Dra, RefusesJsonThatIsTornOrContradictsItself) {
  EXPECT_EQ(facts({"{\n \"kind\": \"List\", \"ki"}),
            "s0.yaml:2:21: is malformed JSON: incomplete JSON; give the whole file; it may have "
            "been cut");
  EXPECT_EQ(facts({"{\"kind\": 1, \"kind\": 2}"}),
            "s0.yaml:1:22: key 'kind' stands twice; mend the file");
  EXPECT_EQ(facts({"{} {}"}),
            "s0.yaml:1:4: something stands behind the JSON value; give one value; several "
            "objects go into the items of a List");
}

TEST(Dra, TellsItselfFromOtherTexts) {
  EXPECT_TRUE(dra_recognises(kGpus));
  EXPECT_TRUE(dra_recognises("{\"kind\":\"ResourceSliceList\"}"));
  EXPECT_FALSE(dra_recognises("# ResourceSlice\nnode a\n"));
  EXPECT_FALSE(dra_recognises("kind: Node\n"));
}

}  // namespace
}  // namespace tenon::formats::topology
