// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <set>
#include <utility>

#include "base/text.hpp"
#include "domain/notation/notation.hpp"
#include "domain/notation/read.hpp"
#include "domain/notation/values.hpp"

namespace tenon::notation {
namespace {

void skip_line_ends(Lexer& in) {
  while (in.peek().kind == TokenKind::kLineEnd) in.take();
}

/// A document while it is read.
class DocumentReader {
 public:
  explicit DocumentReader(Lexer& in) : in_(in) {}

  bool read(Document& out);

 private:
  bool read_statement();
  bool read_one_node(std::string_view word);
  bool read_one_holder(std::string_view word, domain::HolderKind kind);
  bool read_one_request(std::string_view word);
  bool read_one_expected();
  [[nodiscard]] GrantContext context() const { return {document_.cluster, nodes_, slots_}; }

  Lexer& in_;
  Document document_;
  NodeNames nodes_;
  Slots slots_;
  std::set<std::string, std::less<>> holders_;
  std::set<std::string, std::less<>> requests_;
};

bool DocumentReader::read(Document& out) {
  for (skip_line_ends(in_); in_.peek().kind != TokenKind::kEnd; skip_line_ends(in_)) {
    if (!in_.at_line_start()) {
      return in_.fail(in_.peek().text, "more than belongs on this line",
                      "start the next statement on a line of its own");
    }
    if (!read_statement()) return false;
  }
  if (in_.failed()) return false;
  out = std::move(document_);
  return true;
}

bool DocumentReader::read_statement() {
  const Token word = in_.take();
  if (word.kind == TokenKind::kWord) {
    if (word.text == "node") return read_one_node(word.text);
    if (word.text == "pod") return read_one_request(word.text);
    if (word.text == "held") return read_one_holder(word.text, domain::HolderKind::kPod);
    if (word.text == "reserved") {
      return read_one_holder(word.text, domain::HolderKind::kReservation);
    }
    if (word.text == "->") return read_one_expected();
  }
  constexpr std::string_view kKnown[] = {"node", "pod", "held", "reserved", "->"};
  return fail_unknown(in_, word.text,
                      text::cat("no statement starts with ", text::quoted(word.text)), kKnown);
}

bool DocumentReader::read_one_node(std::string_view word) {
  domain::Node node;
  if (!read_node(in_, node)) return false;
  if (!nodes_.emplace(node.name, document_.cluster.nodes.size()).second) {
    return in_.fail(word, text::cat("the node ", text::quoted(node.name), " stands twice"),
                    "names of nodes are unique");
  }
  document_.cluster.nodes.push_back(std::move(node));
  return true;
}

bool DocumentReader::read_one_holder(std::string_view word, domain::HolderKind kind) {
  domain::Holder holder{.kind = kind};
  if (!read_holder(in_, context(), holder)) return false;
  if (!holders_.insert(holder.name).second) {
    return in_.fail(word, text::cat("the holder ", text::quoted(holder.name), " stands twice"),
                    "put all that it has on one line");
  }
  slots_.take(nodes_.find(holder.node)->second, holder.allocation);
  document_.cluster.holders.push_back(std::move(holder));
  return true;
}

bool DocumentReader::read_one_request(std::string_view word) {
  const Token name = in_.take();
  if (name.kind != TokenKind::kWord) return in_.fail(name.text, "pod needs a name");
  domain::NamedRequest request;
  if (!in_.charge(word, sizeof request) || !read_name(in_, name.text, request.name) ||
      !read_request(in_, request.request)) {
    return false;
  }
  if (!requests_.insert(request.name).second) {
    return in_.fail(word, text::cat("the pod ", text::quoted(request.name), " stands twice"),
                    "names of pods are unique");
  }
  document_.requests.push_back(std::move(request));
  return true;
}

bool DocumentReader::read_one_expected() {
  Expected expected;
  if (!read_expected(in_, context(), expected)) return false;
  document_.expected.push_back(std::move(expected));
  return true;
}

}  // namespace

Result<Document> parse(std::string_view text, std::string_view name) {
  Lexer in{text, name};
  Document document;
  if (!in.failed() && DocumentReader{in}.read(document)) return document;
  return std::unexpected(in.error());
}

Result<domain::Request> parse_request(std::string_view text, std::string_view name) {
  Lexer in{text, name};
  domain::Request request;
  skip_line_ends(in);
  if (!in.failed() && read_request(in, request)) {
    skip_line_ends(in);
    if (in.peek().kind != TokenKind::kEnd) {
      in.fail(in.peek().text, "a request is one line of clauses", "leave the rest out");
    }
  }
  if (in.failed()) return std::unexpected(in.error());
  return request;
}

Result<Expected> parse_expected(std::string_view line, std::string_view name,
                                const domain::Cluster& cluster) {
  Lexer in{line, name};
  NodeNames nodes;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) nodes.emplace(cluster.nodes[i].name, i);
  Slots slots;
  for (const auto& holder : cluster.holders) {
    const auto node = nodes.find(holder.node);
    if (node != nodes.end()) slots.take(node->second, holder.allocation);
  }
  Expected expected;
  skip_line_ends(in);
  const Token arrow = in.take();
  const bool starts = arrow.kind == TokenKind::kWord && arrow.text == "->";
  if (!starts) in.fail(arrow.text, "an expected plan starts with ->");
  if (!in.failed() && read_expected(in, {cluster, nodes, slots}, expected)) {
    skip_line_ends(in);
    if (in.peek().kind != TokenKind::kEnd) in.fail(in.peek().text, "more than one line");
  }
  if (in.failed()) return std::unexpected(in.error());
  return expected;
}

}  // namespace tenon::notation
