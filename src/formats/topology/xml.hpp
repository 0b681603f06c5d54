// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// An XML text within bounds: elements and attributes, each with its line and column.
//
// Declarations of entities and DTD subsets are refused: no topology needs them, and they are how a
// small text becomes a large one.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "formats/topology/reader.hpp"

namespace tenon::formats::topology {

inline constexpr std::size_t kXmlTagsMax = 1'000'000;
inline constexpr std::size_t kXmlAttributesMax = 4'000'000;
inline constexpr int kXmlDepthMax = 100;

/// The name of the first element behind declaration, comments and document type; "" where the text
/// is no XML. Looks no further than that.
[[nodiscard]] std::string_view xml_root(std::string_view bytes);

class XmlText {
 public:
  /// Refuses what is malformed, above a bound, or has no single root.
  [[nodiscard]] static Result<XmlText> parse(const Source& source);

  [[nodiscard]] pugi::xml_node root() const { return document_->document_element(); }
  /// "name:line:column".
  [[nodiscard]] std::string where(pugi::xml_node element) const;

 private:
  XmlText(std::string_view name, std::string_view text);
  [[nodiscard]] std::string where_at(std::size_t offset) const;
  [[nodiscard]] Result<void> check_depth() const;

  std::string name_;
  std::unique_ptr<pugi::xml_document> document_;
  std::vector<std::size_t> line_starts_;
};

/// Nothing where the attribute is not there; it may be there and empty.
[[nodiscard]] std::optional<std::string_view> attribute(pugi::xml_node element, const char* name);

/// "" where the attribute is not there.
[[nodiscard]] std::string_view attribute_or_empty(pugi::xml_node element, const char* name);

}  // namespace tenon::formats::topology
