// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/xml.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "formats/topology/input.hpp"

namespace tenon::formats::topology {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// What stands at the front of `text`, a construct that ends with `end`, is cut off. False where
/// it does not end.
bool skip_past(std::string_view& text, std::string_view end) {
  const auto at = text.find(end);
  if (at == std::string_view::npos) return false;
  text.remove_prefix(at + end.size());
  return true;
}

/// Cuts off blanks, declarations, comments and a document type without subset. False at the end, or
/// where one of these does not end.
bool skip_prolog(std::string_view& text) {
  while (true) {
    const auto begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return false;
    text.remove_prefix(begin);
    bool closed = true;
    if (text.starts_with("<?")) {
      closed = skip_past(text, "?>");
    } else if (text.starts_with("<!--")) {
      closed = skip_past(text, "-->");
    } else if (text.starts_with("<!DOCTYPE")) {
      closed = skip_past(text, ">");
    } else {
      return true;
    }
    if (!closed) return false;
  }
}

std::unexpected<Error> too_large(std::string where, std::string what) {
  return std::unexpected(Error{ErrorKind::kTooLarge, std::move(where), std::move(what),
                               "give the topology of one machine"});
}

/// Nothing where no declaration can grow the text. Looks at the prolog alone: behind it a
/// declaration is malformed, and the parser says so.
std::optional<std::size_t> offset_of_declarations(std::string_view text) {
  for (const std::string_view word : {"<!ENTITY", "<!ELEMENT", "<!ATTLIST"}) {
    const auto at = text.find(word);
    if (at != std::string_view::npos) return at;
  }
  const auto type = text.find("<!DOCTYPE");
  if (type == std::string_view::npos) return std::nullopt;
  const auto end = text.find_first_of("[>", type);
  if (end != std::string_view::npos && text[end] == '[') return end;
  return std::nullopt;
}

}  // namespace

std::string_view xml_root(std::string_view bytes) {
  std::string_view text = without_bom(bytes);
  if (!skip_prolog(text) || !text.starts_with('<')) return {};
  text.remove_prefix(1);
  return text.substr(0, text.find_first_of(" \t\r\n/>"));
}

XmlText::XmlText(std::string_view name, std::string_view text)
    : name_(name), document_(std::make_unique<pugi::xml_document>()), line_starts_{0} {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  }
}

Result<XmlText> XmlText::parse(const Source& source) {
  const auto text = checked_text(source);
  if (!text) return std::unexpected(text.error());
  XmlText xml{source.name, *text};
  const auto tags = static_cast<std::size_t>(std::ranges::count(*text, '<'));
  if (tags > 2 * kXmlTagsMax) {
    return too_large(source.name,
                     text::cat("has ", tags, " tags, at most ", 2 * kXmlTagsMax, " are read"));
  }
  const auto attributes = static_cast<std::size_t>(std::ranges::count(*text, '='));
  if (attributes > kXmlAttributesMax) {
    return too_large(source.name, text::cat("has ", attributes, " attributes, at most ",
                                            kXmlAttributesMax, " are read"));
  }
  if (const auto at = offset_of_declarations(*text)) {
    return bad_input(xml.where_at(*at), "declares entities or elements of its own",
                     "remove the declarations; a topology needs none");
  }
  const pugi::xml_parse_result parsed = xml.document_->load_buffer(
      text->data(), text->size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed) {
    return bad_input(
        xml.where_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, parsed.offset))),
        text::cat("is malformed XML: ", parsed.description()),
        "give the whole file; it may have been cut");
  }
  if (auto shallow = xml.check_depth(); !shallow) return std::unexpected(shallow.error());
  const auto first = xml.root();
  if (!first) return bad_input(source.name, "has no element", "give the tool's whole output");
  for (auto next = first.next_sibling(); next; next = next.next_sibling()) {
    if (next.type() != pugi::node_element) continue;
    return bad_input(xml.where(next), "a second root element begins here",
                     "give one topology at a time");
  }
  return xml;
}

Result<void> XmlText::check_depth() const {
  int depth = 0;
  pugi::xml_node at = document_->root();
  while (true) {
    if (depth > kXmlDepthMax) {
      return too_large(where(at), text::cat("elements stand more than ", kXmlDepthMax, " deep"));
    }
    if (const auto child = at.first_child()) {
      at = child;
      ++depth;
      continue;
    }
    while (depth > 0 && !at.next_sibling()) {
      at = at.parent();
      --depth;
    }
    if (depth == 0) return {};
    at = at.next_sibling();
  }
}

std::string XmlText::where(pugi::xml_node element) const {
  const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, element.offset_debug()));
  return where_at(offset - 1);  // the offset is the name's, behind "<"
}

std::string XmlText::where_at(std::size_t offset) const {
  const auto next = std::ranges::upper_bound(line_starts_, offset);
  const auto line = static_cast<std::size_t>(next - line_starts_.begin());
  return text::cat(name_, ":", line, ":", offset - line_starts_[line - 1] + 1);
}

std::optional<std::string_view> attribute(pugi::xml_node element, const char* name) {
  const auto found = element.attribute(name);
  if (!found) return std::nullopt;
  return std::string_view{found.value()};
}

std::string_view attribute_or_empty(pugi::xml_node element, const char* name) {
  return element.attribute(name).value();
}

}  // namespace tenon::formats::topology
