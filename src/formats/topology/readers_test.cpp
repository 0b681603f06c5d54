// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "base/text.hpp"
#include "domain/notation/notation.hpp"
#include "formats/topology/input.hpp"
#include "formats/topology/reader.hpp"
#include "formats/topology/reader_test.hpp"
#include "support/shared_data.hpp"

namespace tenon::formats::topology {
namespace {

Result<Machines> read_one(std::string bytes, std::string_view format = "auto",
                          std::string name = "f") {
  const Source source{std::move(name), std::move(bytes)};
  return read({&source, 1}, format);
}
std::string error_of(std::string bytes, std::string_view format = "auto") {
  const auto machines = read_one(std::move(bytes), format);
  return machines ? "read" : to_text(machines.error());
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Readers, AreSortedUniqueAndInTheDocs) {
  const auto table = readers();
  const std::string docs = file_text(support::source_path("docs/topology.md"));
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(table[i - 1].name, table[i].name);
    }
    EXPECT_NE(docs.find(text::cat("## `", table[i].name, "`: ", table[i].description, "\n")),
              std::string::npos)
        << table[i].name;
  }
  // Captured trees are the shell's to read, and stand on the same page.
  constexpr std::string_view kOthers[] = {"sysfs", "host"};
  for (auto at = docs.find("\n## `"); at != std::string::npos; at = docs.find("\n## `", at + 1)) {
    const auto begin = at + std::string_view{"\n## `"}.size();
    const std::string name = docs.substr(begin, docs.find('`', begin) - begin);
    EXPECT_TRUE(std::ranges::find(table, name, &Reader::name) != table.end() ||
                std::ranges::find(kOthers, name) != std::end(kOthers))
        << name;
  }
}

TEST(Readers, AreChosenByContentOrByName) {
  const std::map<std::string, std::string> samples{
      {"dra", "kind: ResourceSlice\nspec: {nodeName: a, driver: d}\n"},
      {"hwloc", "<topology><object type=\"Machine\"/></topology>"},
      {"nccl", "<system/>"},
      {"smi", "\tGPU0\nGPU0\t X \n"},
      {"tenon", "# mine\nnode a\n"}};
  for (const Reader& reader : readers()) {
    const std::string& sample = samples.at(std::string{reader.name});
    EXPECT_TRUE(read_one(sample, "auto")) << reader.name;
    EXPECT_TRUE(read_one(sample, reader.name)) << reader.name;
    for (const Reader& other : readers()) {
      EXPECT_EQ(other.recognises(sample), other.name == reader.name) << other.name << reader.name;
    }
  }
}

TEST(Readers, SayWhatTheyDoNotKnow) {
  EXPECT_EQ(
      error_of("hello"),
      "f: is no topology that is known here; known are dra, hwloc, nccl, smi, tenon; name one with "
      "--format to see what is wrong with it");
  EXPECT_EQ(error_of("node a", "xml"),
            "no format is called 'xml'; known are auto, dra, hwloc, nccl, smi, tenon");
  EXPECT_EQ(to_text(read({}, "auto").error()),
            "no text to read; give a file, or - for standard input");
  const Source sources[] = {{"a", "node a\n"}, {"b", "<system/>"}};
  EXPECT_EQ(to_text(read(sources, "auto").error()),
            "b: is NCCL or RCCL topology, and the text before it Tenon's notation; give texts of "
            "one format "
            "together");
}

TEST(Readers, RefuseWhatIsNoText) {
  EXPECT_EQ(error_of(""), "f: is empty; give the tool's whole output");
  EXPECT_EQ(error_of(" \r\n"), "f: is empty; give the tool's whole output");
  EXPECT_EQ(error_of(std::string("ab\ncd\0", 6)),
            "f:2:3: has a NUL byte; give text in UTF-8; a UTF-16 file must be converted first");
  EXPECT_EQ(error_of("ab\nc\xFF\n"), "f:2: is not valid UTF-8; save the file as UTF-8");
  for (const std::string_view start : {"\x1f\x8b\x08", "PK\x03\x04", "BZh9",
                                       "\xfd"
                                       "7zXZ"}) {
    EXPECT_EQ(error_of(text::cat(start, std::string(3, '\0'))),
              "f: is an archive, not a text; give a captured tree as a .tar.gz file, by its name");
  }
  std::string tar(512, '\0');
  tar.replace(257, 5, "ustar");
  EXPECT_EQ(error_of(tar).substr(0, 16), "f: is an archive");
  const std::string large((64U << 20U) + 1, ' ');
  EXPECT_EQ(error_of(large),
            "f: has 67108865 bytes, at most 67108864 are read; give the topology of one machine");
  for (const Reader& reader : readers()) {
    EXPECT_EQ(error_of(std::string("<a>\0", 4), reader.name).substr(0, 22),
              "f:1:4: has a NUL byte;");
  }
}

TEST(Readers, WarningsAreLimited) {
  std::string text = "<system><cpu numaid=\"0\">";
  for (int i = 0; i < 300; ++i) text += "<odd/>";
  const auto machines = read_one(text + "</cpu></system>");
  ASSERT_TRUE(machines);
  EXPECT_EQ(machines->warnings.size(), 101U);
  EXPECT_EQ(machines->warnings.back(), "and 201 more");
}

TEST(Readers, TheNotationIsAFormat) {
  const Source sources[] = {{"a.tn", "node a\n gpu0\nheld x on a: gpu0\npod p gpu=1\n"},
                            {"b.tn", "node b\n"}};
  const auto machines = read(sources, "auto");
  ASSERT_TRUE(machines) << to_text(machines.error());
  EXPECT_EQ(machines->cluster.nodes.size(), 2U);
  EXPECT_EQ(machines->cluster.holders.size(), 1U);
  EXPECT_EQ(text::join(machines->warnings, "\n"),
            "a.tn: requests and expected plans are no machines: left out");
  const Source twice[] = {{"a.tn", "node a\n"}, {"b.tn", "node a\n"}};
  EXPECT_EQ(to_text(read(twice, "auto").error()),
            "b.tn: node a stands in a text before too; give each node once");
}

/// What came of one file, as docs/topology.md has it: "8 GPUs, 4 NICs", or why it was refused.
std::string outcome(const Result<Machines>& machines) {
  if (!machines) return text::cat("refused: ", machines.error().what);
  int counts[3] = {0, 0, 0};
  for (const auto& node : machines->cluster.nodes) {
    for (const auto& device : node.devices) ++counts[static_cast<std::size_t>(device.kind())];
  }
  std::string out = text::cat("read: ", counts[0], " GPUs, ", counts[1], " NICs");
  if (counts[2] > 0) out += text::cat(", ", counts[2], " NVMes");
  if (!machines->warnings.empty()) out += text::cat("; ", machines->warnings.size(), " warnings");
  return out;
}

constexpr std::string_view kFolders[] = {"topo/dra-resourceslices", "topo/hwloc",
                                         "topo/hwloc-sysfs",        "topo/nccl-xml",
                                         "topo/nccl-xml/rccl",      "topo/nvidia-smi-topo"};

/// Every topology file: read without a broken invariant and again the same from the notation, or refused
/// for the reason that the docs give. The table is in the docs: a change of either shows here.
TEST(Readers, EveryCapturedFileIsReadOrRefusedAsTheDocsSay) {
  TENON_SHARED_DATA_OR_SKIP(root, "topo");
  std::string table;
  for (const std::string_view folder : kFolders) {
    for (const auto& path : support::shared_data_files(folder)) {
      const std::string name = path.filename().string();
      const bool text_file =
          name.ends_with(".txt") || name.ends_with(".xml") || name.ends_with(".yaml");
      if (!text_file || name == "LICENSE.txt") continue;
      const auto machines = read_one(file_text(path), "auto", name);
      table += text::cat("| ", folder.substr(5), "/", name, " | ", outcome(machines), " |\n");
      if (!machines) {
        EXPECT_EQ(machines.error().kind, ErrorKind::kUnsupported) << name;
        continue;
      }
      for (const auto& node : machines->cluster.nodes) {
        EXPECT_EQ(testing::errors_of(node), "") << name;
        const std::string written = notation::write(node);
        const auto again = notation::parse(written, name);
        ASSERT_TRUE(again) << to_text(again.error()) << "\n" << written;
        ASSERT_EQ(again->cluster.nodes.size(), 1U) << name;
        EXPECT_EQ(notation::write(again->cluster.nodes[0]), written) << name;
        EXPECT_EQ(testing::facts_of(again->cluster.nodes[0]), testing::facts_of(node)) << name;
        EXPECT_EQ(testing::distances_of(again->cluster.nodes[0]), testing::distances_of(node))
            << name;
      }
    }
  }
  const std::string docs = file_text(support::source_path("docs/topology.md"));
  EXPECT_NE(docs.find(table), std::string::npos) << "docs/topology.md should have this table:\n"
                                                 << table;
}

TEST(Readers, CleanNamesAndSayHowMany) {
  domain::GpuFacts gpu{.model = "H100"};
  gpu.partitions.push_back({"1g\n", std::nullopt});
  domain::Device device;
  device.label = "a\x1b[2J\xC2\x9B m\x7f\xC3\xA9";
  device.id = std::string(199, 'i') + "\xC3\xA9";
  device.facts = gpu;
  domain::Node node;
  node.name = "a1";
  node.arch = "amd\t64";
  node.devices.push_back(device);
  domain::Cluster cluster{.nodes = {node}, .holders = {}};
  EXPECT_EQ(clean_names(cluster), 4U);
  const domain::Device& cleaned = cluster.nodes[0].devices[0];
  EXPECT_EQ(cleaned.label, "a?[2J? m?\xC3\xA9");
  EXPECT_EQ(cleaned.id, std::string(199, 'i')) << "no half of a character";
  EXPECT_EQ(std::get<domain::GpuFacts>(cleaned.facts).partitions[0].profile, "1g?");
  EXPECT_EQ(cluster.nodes[0].arch, "amd?64");
  EXPECT_EQ(clean_names(cluster), 0U);
}

// Of every format that names something freely; the notation refuses such a character.
TEST(Readers, SayThatNamesWereCleaned) {
  const auto warning = [](std::string_view text) {
    const auto machines = read_one(std::string{text});
    return machines && !machines->warnings.empty() ? machines->warnings.back() : "";
  };
  const std::string said =
      "f: 1 name has control characters or more than 200 bytes: what cannot be shown is left out";
  EXPECT_EQ(warning("        GPU0    NIC0\nGPU0     X      PIX\nNIC0    PIX      X\n\n"
                    "NIC Legend:\n\n  NIC0: mlx5\a_0\n"),
            said);
  EXPECT_EQ(warning("<system version=\"1\"><cpu numaid=\"0\"><nic><net name=\"a\xC2\x9B\" "
                    "dev=\"0\"/></nic></cpu></system>"),
            said);
  EXPECT_EQ(warning("<topology version=\"2.0\"><object type=\"Machine\" cpuset=\"0x1\">"
                    "<info name=\"Architecture\" value=\"s\xC2\x9B\"/>"
                    "</object></topology>"),
            said);
  EXPECT_EQ(warning(R"({"apiVersion":"v1","kind":"List","items":[{"kind":"ResourceSlice","spec":{
      "driver":"gpu.nvidia.com","nodeName":"b","pool":{"name":"b","generation":1},"devices":[
      {"name":"gpu-0\u001b","attributes":{"numaNode":{"int":3}}}]}}]})"),
            said);
}

}  // namespace
}  // namespace tenon::formats::topology
