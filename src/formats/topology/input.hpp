// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What every reader does with a text before it looks at it: bounds, encoding, positions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "domain/cluster.hpp"
#include "domain/cpu_set.hpp"
#include "formats/topology/reader.hpp"

namespace tenon::formats::topology {

/// More than the largest real machine by three orders of magnitude.
inline constexpr std::size_t kSourceBytesMax = 64U << 20U;

/// Longer than any real name, model or identity.
inline constexpr std::size_t kNameBytesMax = 200;

/// The text without its byte order mark. An Error where it is empty, above kSourceBytesMax, an
/// archive, not UTF-8, or has a NUL.
[[nodiscard]] Result<std::string_view> checked_text(const Source& source);

/// The bytes without a UTF-8 byte order mark.
[[nodiscard]] std::string_view without_bom(std::string_view bytes);

/// "name:line:column" of a byte, both from 1; a column counts bytes.
[[nodiscard]] std::string position(std::string_view name, std::string_view text,
                                   std::size_t offset);

/// "name:line".
[[nodiscard]] std::string position_of_line(std::string_view name, std::size_t line);

/// A name for a node that its source does not name: the file's, without folders and ending, in
/// lower case, other characters than letters, digits, '.' and '-' replaced; "node" where nothing is left.
[[nodiscard]] std::string node_name(std::string_view source_name);

/// Names, models and identities from a file are made fit to be shown and written: control characters
/// become '?', and what is longer than any real one is cut. Returns how many were not.
[[nodiscard]] std::size_t clean_names(domain::Cluster& cluster);

/// Like domain::CpuSet::from_text and from_mask, but refuse a text that no machine has.
[[nodiscard]] Result<domain::CpuSet> cpus_of_list(std::string_view list);
[[nodiscard]] Result<domain::CpuSet> cpus_of_mask(std::string_view mask);

/// The only source. An Error where there are several: a format that names no machine cannot join.
[[nodiscard]] Result<const Source*> only_source(std::span<const Source> sources,
                                                std::string_view format);

}  // namespace tenon::formats::topology
