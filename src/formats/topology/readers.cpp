// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "formats/topology/dra.hpp"
#include "formats/topology/hwloc.hpp"
#include "formats/topology/input.hpp"
#include "formats/topology/nccl.hpp"
#include "formats/topology/reader.hpp"
#include "formats/topology/smi.hpp"
#include "formats/topology/tenon.hpp"

namespace tenon::formats::topology {
namespace {

constexpr std::array kReaders{
    Reader{"dra", "ResourceSlices of Kubernetes", dra_recognises, dra_read},
    Reader{"hwloc", "hwloc XML", hwloc_recognises, hwloc_read},
    Reader{"nccl", "NCCL or RCCL topology", nccl_recognises, nccl_read},
    Reader{"smi", "nvidia-smi topo -m", smi_recognises, smi_read},
    Reader{"tenon", "Tenon's notation", tenon_recognises, tenon_read},
};

std::string names() {
  std::vector<std::string> all;
  for (const Reader& reader : kReaders) all.emplace_back(reader.name);
  return text::join(all, ", ");
}

const Reader* find(std::string_view name) {
  const auto found = std::ranges::find(kReaders, name, &Reader::name);
  return found == kReaders.end() ? nullptr : &*found;
}

/// A text that nobody recognises may be no text at all: that is the better thing to say.
Error why_not(const Source& source) {
  if (const auto text = checked_text(source); !text) return text.error();
  return {
      ErrorKind::kUnsupported, source.name, "is no topology that is known here",
      text::cat("known are ", names(), "; name one with --format to see what is wrong with it")};
}

/// A torn text can be odd in every line; a person reads the first ones.
void limit_warnings(std::vector<std::string>& warnings) {
  constexpr std::size_t kMost = 100;
  if (warnings.size() <= kMost) return;
  const std::size_t more = warnings.size() - kMost;
  warnings.resize(kMost);
  warnings.push_back(text::cat("and ", more, " more"));
}

Result<Machines> read_with(const Reader& reader, std::span<const Source> sources) {
  auto machines = reader.read(sources);
  if (!machines) return machines;
  limit_warnings(machines->warnings);
  if (reader.read == tenon_read) return machines;  // it refuses what would have to be cleaned
  if (const std::size_t count = clean_names(machines->cluster); count > 0) {
    machines->warnings.push_back(
        text::cat(sources.front().name, sources.size() > 1 ? " and others: " : ": ", count,
                  count == 1 ? " name has" : " names have", " control characters or more than ",
                  kNameBytesMax, " bytes: what cannot be shown is left out"));
  }
  return machines;
}

Result<const Reader*> recognise(std::span<const Source> sources) {
  const Reader* chosen = nullptr;
  for (const Source& source : sources) {
    if (source.bytes.size() > kSourceBytesMax) return std::unexpected(why_not(source));
    const auto of_this = std::ranges::find_if(
        kReaders, [&](const Reader& reader) { return reader.recognises(source.bytes); });
    if (of_this == kReaders.end()) return std::unexpected(why_not(source));
    if (chosen != nullptr && chosen != &*of_this) {
      return bad_input(
          source.name,
          text::cat("is ", of_this->description, ", and the text before it ", chosen->description),
          "give texts of one format together");
    }
    chosen = &*of_this;
  }
  return chosen;
}

}  // namespace

std::span<const Reader> readers() { return kReaders; }

Result<Machines> read(std::span<const Source> sources, std::string_view format) {
  if (sources.empty())
    return bad_input("", "no text to read", "give a file, or - for standard input");
  if (format == "auto") {
    const auto reader = recognise(sources);
    if (!reader) return std::unexpected(reader.error());
    return read_with(**reader, sources);
  }
  const Reader* reader = find(format);
  if (reader == nullptr) {
    return bad_input("", text::cat("no format is called ", text::quoted(format)),
                     text::cat("known are auto, ", names()));
  }
  return read_with(*reader, sources);
}

}  // namespace tenon::formats::topology
