// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/smi_table.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "formats/topology/input.hpp"

namespace tenon::formats::topology {
namespace {

using domain::Link;

constexpr std::size_t kDevicesMax = std::size_t{2} * domain::kDevicesOfAKindMax;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Without terminal escapes ("ESC[4m"), also where copying has lost the ESC ("[4m").
std::string without_escapes(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool escape = line[i] == '\x1B';
    const std::size_t bracket = escape ? i + 1 : i;
    if (bracket < line.size() && line[bracket] == '[') {
      std::size_t end = bracket + 1;
      while (end < line.size() && (is_digit(line[end]) || line[end] == ';')) ++end;
      if (end < line.size() && (escape ? is_letter(line[end]) : line[end] == 'm')) {
        i = end;
        continue;
      }
    }
    if (!escape) out += line[i];
  }
  return out;
}

struct Line {
  std::size_t number;  // from 1
  std::string text;
};

constexpr std::size_t kLinesMax = 100'000;
constexpr std::size_t kLineBytesMax = 1U << 14U;

/// The lines that may say something: no comments, no empty ones, none longer than a row can be. At
/// most kLinesMax of them and one more, which shows that there are too many.
std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size() && lines.size() <= kLinesMax;) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view raw = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (raw.size() > kLineBytesMax) continue;
    std::string line = without_escapes(raw);
    while (!line.empty() && line.back() == '\r') line.pop_back();
    const std::string_view trimmed = text::trim(line);
    if (trimmed.empty() || trimmed.front() == '#') continue;
    lines.push_back({number, std::move(line)});
  }
  return lines;
}

bool is_gpu_name(std::string_view word) {
  return word.starts_with("GPU") && word.size() > 3 &&
         std::ranges::all_of(word.substr(3), is_digit);
}

/// "GPU0", "NIC3", "mlx5_bond_0", "rdmap16s27": letters first, a digit somewhere, no cell word.
bool is_device_name(std::string_view word) {
  if (!is_letter(word.front()) || domain::link_from_text(word).has_value()) return false;
  const bool plain = std::ranges::all_of(
      word, [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.'; });
  return plain && std::ranges::any_of(word, is_digit);
}

enum class Title { kCpu, kNuma, kGpuNuma, kUnknown };

struct Header {
  std::vector<std::string> devices;
  std::vector<Title> titles;
  std::vector<std::size_t> title_starts;  // columns of the line, for rows that blanks align
};

/// Nothing where the line is no header: names of devices, then titles of columns.
std::optional<Header> header_of(std::string_view line) {
  const auto words = text::words(line);
  Header header;
  std::size_t i = 0;
  while (i < words.size() && is_device_name(words[i])) header.devices.emplace_back(words[i++]);
  while (i < words.size()) {
    const auto follows = [&](std::initializer_list<std::string_view> title) {
      return title.size() <= words.size() - i &&
             std::ranges::equal(title, std::span{words}.subspan(i, title.size()));
    };
    header.title_starts.push_back(static_cast<std::size_t>(words[i].data() - line.data()));
    if (follows({"CPU", "Affinity"})) {
      header.titles.push_back(Title::kCpu);
      i += 2;
    } else if (follows({"NUMA", "Affinity"})) {
      header.titles.push_back(Title::kNuma);
      i += 2;
    } else if (follows({"GPU", "NUMA", "ID"})) {
      header.titles.push_back(Title::kGpuNuma);
      i += 3;
    } else if (header.titles.empty()) {
      return std::nullopt;  // prose that begins with a device
    } else {
      header.titles.push_back(Title::kUnknown);
      ++i;
    }
  }
  if (header.devices.empty()) return std::nullopt;
  if (header.titles.empty() && std::ranges::none_of(header.devices, is_gpu_name)) {
    return std::nullopt;
  }
  return header;
}

bool names_device(const Header& header, std::string_view word) {
  return std::ranges::find(header.devices, word) != header.devices.end();
}

/// A row begins with a device of the header, or with another device and a cell. Cells have no small
/// letters: that tells a row from prose that begins with a device.
bool is_row(const Header& header, std::string_view line) {
  const auto words = text::words(line);
  if (words.size() < 2) return false;
  if (names_device(header, words[0])) {
    return std::ranges::none_of(words[1], [](char c) { return c >= 'a' && c <= 'z'; });
  }
  return is_device_name(words[0]) && domain::link_from_text(words[1]).has_value();
}

/// Where the header stands: the first such line with a row right under it.
std::optional<std::size_t> find_header(const std::vector<Line>& lines) {
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const auto header = header_of(lines[i].text);
    if (header && is_row(*header, lines[i + 1].text)) return i;
  }
  return std::nullopt;
}

/// One row: what stands under the devices, and what stands under the titles.
struct RowText {
  std::string_view label;
  std::vector<std::string_view> cells;  // as many as there are, at most one for each device
  std::vector<std::string_view> tail;   // one for each title, and perhaps one more
  bool tail_lost = false;               // values are there, and nothing says under which title
};

bool is_list(std::string_view word) { return !word.empty() && is_digit(word.front()); }

/// Values behind the cells of a row with tabs. Wide titles are followed by more than one tab, so
/// empty values may stand too many: they go, from the right.
std::vector<std::string_view> without_padding(std::vector<std::string_view> tail,
                                              std::size_t titles) {
  while (!tail.empty() && tail.size() > titles) {
    const auto empty = std::ranges::find(tail.rbegin(), tail.rend(), std::string_view{});
    if (empty == tail.rend()) break;
    tail.erase(std::next(empty).base());
  }
  return tail;
}

RowText split_by_tabs(const Header& header, std::vector<std::string_view> fields) {
  RowText row{.label = fields.front()};
  std::size_t i = 1;
  for (; i < fields.size() && row.cells.size() < header.devices.size(); ++i) {
    if (is_list(fields[i])) break;  // a short row: its affinities stand where cells are missing
    row.cells.push_back(fields[i]);
  }
  while (!row.cells.empty() && row.cells.back().empty()) row.cells.pop_back();
  row.tail = without_padding({fields.begin() + static_cast<std::ptrdiff_t>(i), fields.end()},
                             header.titles.size());
  return row;
}

/// Blanks align the values: with fewer values than titles, a value is the one that it stands under.
RowText split_by_blanks(const Header& header, std::string_view line) {
  const auto words = text::words(line);
  RowText row{.label = words.front()};
  std::size_t i = 1;
  for (; i < words.size() && row.cells.size() < header.devices.size(); ++i) {
    if (is_list(words[i])) break;
    row.cells.push_back(words[i]);
  }
  const std::size_t left = words.size() - i;
  if (left >= header.titles.size()) {
    row.tail.assign(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
    return row;
  }
  row.tail.resize(header.titles.size());
  for (; i < words.size(); ++i) {
    const auto start = static_cast<std::size_t>(words[i].data() - line.data());
    const auto under = std::ranges::find(header.title_starts, start);
    if (under == header.title_starts.end()) {
      row.tail.clear();
      row.tail_lost = true;
      return row;
    }
    row.tail[static_cast<std::size_t>(under - header.title_starts.begin())] = words[i];
  }
  return row;
}

RowText split_row(const Header& header, std::string_view line) {
  if (line.find('\t') == std::string_view::npos) return split_by_blanks(header, line);
  std::vector<std::string_view> fields;
  bool one_word_each = true;
  for (const std::string_view field : text::split(line, '\t')) {
    fields.push_back(text::trim(field));
    one_word_each = one_word_each && text::words(fields.back()).size() <= 1;
  }
  while (fields.size() > 1 && fields.front().empty()) fields.erase(fields.begin());
  return one_word_each ? split_by_tabs(header, fields) : split_by_blanks(header, line);
}

class Parser {
 public:
  Parser(std::string_view name, std::vector<Line> lines) : name_(name), lines_(std::move(lines)) {}

  Result<SmiTable> parse();

 private:
  Result<void> take_header(std::size_t at);
  Result<void> take_rows(std::size_t first);
  Result<void> take_row(const Line& line);
  Result<void> take_cells(const Line& line, const RowText& row, std::size_t index);
  Result<Link> cell_of(const Line& line, std::string_view word);
  Result<void> take_tail(const Line& line, const RowText& row, std::size_t index);
  void take_legend();
  void grow(std::string_view label);

  [[nodiscard]] std::string where(const Line& line) const {
    return position_of_line(name_, line.number);
  }
  void warn(const Line& line, std::string_view what) {
    table_.warnings.push_back(text::cat(where(line), ": ", what));
  }
  [[nodiscard]] std::size_t index_of(std::string_view device) const {
    return static_cast<std::size_t>(std::ranges::find(table_.devices, device) -
                                    table_.devices.begin());
  }

  std::string_view name_;
  std::vector<Line> lines_;
  Header header_;
  SmiTable table_;
  bool warned_of_extra_column_ = false;
  bool warned_of_soc_ = false;
};

Result<SmiTable> Parser::parse() {
  if (lines_.size() > kLinesMax) {
    return std::unexpected(Error{ErrorKind::kTooLarge, std::string{name_},
                                 text::cat("has more than ", kLinesMax, " lines"),
                                 "give the matrix of one machine"});
  }
  const auto at = find_header(lines_);
  if (!at) {
    return std::unexpected(Error{ErrorKind::kBadInput, std::string{name_},
                                 "has no matrix: no line names devices with a row under it",
                                 "give the whole output of nvidia-smi topo -m"});
  }
  if (auto done = take_header(*at); !done) return std::unexpected(done.error());
  if (auto done = take_rows(*at + 1); !done) return std::unexpected(done.error());
  take_legend();

  std::vector<std::string> missing;
  for (std::size_t i = 0; i < table_.devices.size(); ++i) {
    if (table_.facts[i].line == 0) missing.push_back(table_.devices[i]);
    table_.cell(i, i).seen = Link::Seen::kSelf;
  }
  if (!missing.empty()) {
    warn(lines_[*at],
         text::cat("no row for ", text::join(missing, ", "), ": its cells count as not seen"));
  }
  return std::move(table_);
}

Result<void> Parser::take_header(std::size_t at) {
  const Line& line = lines_[at];
  header_ = *header_of(line.text);
  if (header_.devices.size() > kDevicesMax) {
    return std::unexpected(Error{
        ErrorKind::kTooLarge, where(line),
        text::cat("names ", header_.devices.size(), " devices, at most ", kDevicesMax, " are read"),
        "give the matrix of one machine"});
  }
  for (const std::string& device : header_.devices) {
    if (std::ranges::count(header_.devices, device) > 1) {
      return bad_input(where(line), text::cat("column ", device, " stands twice"),
                       "give the matrix as it was printed");
    }
  }
  table_.devices = header_.devices;
  table_.cells.resize(table_.devices.size() * table_.devices.size());
  table_.facts.resize(table_.devices.size());
  if (std::ranges::find(header_.titles, Title::kUnknown) != header_.titles.end()) {
    warn(line, "a column behind the affinities is not known and is left out");
  }
  return {};
}

Result<void> Parser::take_rows(std::size_t first) {
  for (std::size_t i = first; i < lines_.size(); ++i) {
    if (is_row(header_, lines_[i].text)) {
      if (auto done = take_row(lines_[i]); !done) return done;
      continue;
    }
    const auto another = header_of(lines_[i].text);
    if (another && i + 1 < lines_.size() && is_row(*another, lines_[i + 1].text)) {
      return bad_input(where(lines_[i]), "a second matrix begins here",
                       "give the matrix of one machine at a time");
    }
  }
  return {};
}

/// Makes room for a device that has a row, but no column.
void Parser::grow(std::string_view label) {
  const std::size_t before = table_.devices.size();
  std::vector<Link> cells((before + 1) * (before + 1));
  for (std::size_t row = 0; row < before; ++row) {
    for (std::size_t column = 0; column < before; ++column) {
      cells[row * (before + 1) + column] = table_.cell(row, column);
    }
  }
  table_.cells = std::move(cells);
  table_.devices.emplace_back(label);
  table_.facts.emplace_back();
}

Result<void> Parser::take_row(const Line& line) {
  RowText row = split_row(header_, line.text);
  const std::size_t index = index_of(row.label);
  if (index == table_.devices.size()) {
    if (index >= kDevicesMax) {
      return std::unexpected(Error{ErrorKind::kTooLarge, where(line),
                                   text::cat("more than ", kDevicesMax, " devices"),
                                   "give the matrix of one machine"});
    }
    warn(line,
         text::cat(row.label, " has a row, but no column: the other direction counts as not seen"));
    grow(row.label);
    // Its X, and cells towards others of its sort, stand where the header has no name.
    while (!row.tail.empty() && domain::link_from_text(row.tail.front())) {
      row.tail.erase(row.tail.begin());
    }
  }
  if (row.tail_lost) {
    warn(line, text::cat("row ", row.label,
                         " has fewer values than the header has titles, and they do "
                         "not stand under any: its affinities count as not known"));
  }
  if (table_.facts[index].line != 0) {
    return bad_input(where(line), text::cat("row ", row.label, " stands twice"),
                     "give the matrix as it was printed");
  }
  table_.facts[index].line = line.number;
  if (auto done = take_cells(line, row, index); !done) return done;
  return take_tail(line, row, index);
}

Result<void> Parser::take_cells(const Line& line, const RowText& row, std::size_t index) {
  const std::size_t columns = header_.devices.size();
  for (std::size_t column = 0; column < row.cells.size(); ++column) {
    const auto link = cell_of(line, row.cells[column]);
    if (!link) return std::unexpected(link.error());
    const bool self = link->seen == Link::Seen::kSelf;
    const bool unseen = link->seen == Link::Seen::kNothing;
    if (self != (column == index) && (!unseen || column != index)) {
      return bad_input(where(line),
                       text::cat("row ", row.label, " has ", row.cells[column], " under ",
                                 header_.devices[column],
                                 self ? ": X stands only under the row's own name"
                                      : ", its own name, where X must stand"),
                       "the cells have slipped: give the matrix as it was printed");
    }
    table_.cell(index, column) = *link;
  }
  if (row.cells.size() < columns) {
    warn(line, text::cat("row ", row.label, " is short: ", columns - row.cells.size(),
                         " cells count as not seen"));
  }
  return {};
}

Result<Link> Parser::cell_of(const Line& line, std::string_view word) {
  if (word.empty() || word == "N/A" || word == "-") return Link{};
  if (word == "SOC") {  // what old drivers called SYS
    if (!warned_of_soc_) warn(line, "SOC is an old driver's word for SYS, and is taken as that");
    warned_of_soc_ = true;
    return Link{.seen = Link::Seen::kDistance, .distance = domain::Distance::kSys};
  }
  if (const auto link = domain::link_from_text(word)) return *link;
  constexpr std::array<std::string_view, 8> kPeerWords{"OK",  "NS", "CNS", "GNS",
                                                       "TNS", "DR", "U",   "S"};
  if (std::ranges::find(kPeerWords, word) != kPeerWords.end()) {
    return std::unexpected(Error{ErrorKind::kUnsupported, where(line),
                                 text::cat("cell ", word,
                                           " is of a peer-to-peer matrix, which says "
                                           "what works and not what is near"),
                                 "give nvidia-smi topo -m"});
  }
  return bad_input(where(line), text::cat("cell ", text::quoted(word), " is no distance"),
                   "known are X PIX PXB PHB NODE SYS NV1 ... and ? for a cell that nobody saw");
}

bool says_nothing(std::string_view value) {
  return value.empty() || value == "N/A" || value == "?" || value == "-" || value == "-1";
}

Result<void> Parser::take_tail(const Line& line, const RowText& row, std::size_t index) {
  std::vector<Title> titles = header_.titles;
  if (row.tail.size() > titles.size() && titles == std::vector{Title::kCpu}) {
    if (!warned_of_extra_column_) {
      warn(line, "a column without a title behind CPU Affinity is taken as NUMA Affinity");
    }
    warned_of_extra_column_ = true;
    titles.push_back(Title::kNuma);
  }
  SmiFacts& facts = table_.facts[index];
  for (std::size_t i = 0; i < std::min(titles.size(), row.tail.size()); ++i) {
    const std::string_view value = row.tail[i];
    if (titles[i] == Title::kUnknown || says_nothing(value)) continue;
    const auto set = cpus_of_list(value);
    if (!set) {
      return bad_input(
          where(line),
          text::cat("row ", row.label, ": affinity ", text::quoted(value), ": ", set.error().what),
          "a list like 0-15,96-111 is expected");
    }
    if (titles[i] == Title::kCpu) {
      facts.cpus = *set;
      continue;
    }
    if (set->count() > domain::kNumaNodesMax) {
      return std::unexpected(
          Error{ErrorKind::kTooLarge, where(line),
                text::cat("row ", row.label, " names ", set->count(), " NUMA nodes, at most ",
                          domain::kNumaNodesMax, " are read"),
                "give the matrix of one machine"});
    }
    for (const domain::CpuId id : set->ids()) {
      if (titles[i] == Title::kNuma) facts.numa.push_back(id);
      if (titles[i] == Title::kGpuNuma) facts.gpu_numa = id;
    }
  }
  if (row.tail.size() > titles.size()) {
    warn(line,
         text::cat("row ", row.label, " has more values than the header has titles: the last ",
                   row.tail.size() - titles.size(), " are left out"));
  }
  return {};
}

/// "NIC0: mlx5_3" names a device of the matrix; numbers of either side mean nothing.
void Parser::take_legend() {
  table_.legend.resize(table_.devices.size());
  for (const Line& line : lines_) {
    const auto words = text::words(line.text);
    if (words.size() != 2 || !words[0].ends_with(':')) continue;
    const std::size_t index = index_of(words[0].substr(0, words[0].size() - 1));
    if (index == table_.devices.size()) continue;
    std::string& known = table_.legend[index];
    if (!known.empty() && known != words[1]) {
      warn(line, text::cat("the legend names ", table_.devices[index], " twice: ",
                           text::quoted(known), " is kept, ", text::quoted(words[1]), " left out"));
      continue;
    }
    known = words[1];
  }
}

}  // namespace

bool has_smi_table(std::string_view text) { return find_header(lines_of(text)).has_value(); }

Result<SmiTable> parse_smi_table(std::string_view text, std::string_view name) {
  return Parser{name, lines_of(text)}.parse();
}

}  // namespace tenon::formats::topology
