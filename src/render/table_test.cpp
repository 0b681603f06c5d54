// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "render/table.hpp"

#include <gtest/gtest.h>

namespace tenon::render {
namespace {

const Table kTable{.columns = {{"NAME"},
                               {"COUNT", Shown::kAlways, Align::kRight},
                               {"NOTE"},
                               {"PCI", Shown::kWide}},
                   .rows = {{{"a1"}, {"7"}, {"spare, \"old\""}, {"0000:10:00.0"}},
                            {{"longer"}, {"1234567"}, {""}, {""}}}};

TEST(Table, IsColumnsAndBlanks) {
  EXPECT_EQ(to_text(kTable, {}),
            "NAME       COUNT   NOTE\n"
            "a1             7   spare, \"old\"\n"
            "longer   1234567\n");
}

TEST(Table, ShowsMoreWhenWide) {
  EXPECT_EQ(to_text(kTable, {.detail = Detail::kWide}),
            "NAME       COUNT   NOTE           PCI\n"
            "a1             7   spare, \"old\"   0000:10:00.0\n"
            "longer   1234567\n");
}

TEST(Table, CutsTheWidestColumnToTheTerminal) {
  EXPECT_EQ(to_text(kTable, {.width_max = 28}),
            "NAME       COUNT   NOTE\n"
            "a1             7   spare, \"…\n"
            "longer   1234567\n");
  EXPECT_EQ(to_text(kTable, {.charset = Charset::kAscii, .width_max = 28}),
            "NAME       COUNT   NOTE\n"
            "a1             7   spare, \"~\n"
            "longer   1234567\n");
}

// Eight columns are the least of a cell; a terminal that is narrower still wraps the line.
TEST(Table, CutsTheNameAtLast) {
  const Table table{.columns = {{"NAME"}, {"NOTE"}}, .rows = {{{"a-long-name"}, {"a long note"}}}};
  EXPECT_EQ(to_text(table, {.width_max = 20}), "NAME        NOTE\na-long-n…   a long …\n");
  EXPECT_EQ(to_text(table, {.width_max = 5}), "NAME       NOTE\na-long-…   a long …\n");
}

TEST(Table, WithoutRowsIsNothing) {
  EXPECT_EQ(to_text({.columns = {{"NAME"}}, .rows = {}}, {}), "");
}

TEST(Table, ColoursCellsAndKeepsTheColumns) {
  const Table table{.columns = {{"A"}, {"B"}}, .rows = {{{"x", Ink::kGood}, {"y"}}}};
  EXPECT_EQ(to_text(table, {.color = Color::kYes}),
            "\x1b[1mA\x1b[0m   \x1b[1mB\x1b[0m\n\x1b[32mx\x1b[0m   y\n");
}

TEST(Table, AsCsvQuotesWhatNeedsIt) {
  EXPECT_EQ(to_csv(kTable),
            "NAME,COUNT,NOTE,PCI\n"
            "a1,7,\"spare, \"\"old\"\"\",0000:10:00.0\n"
            "longer,1234567,,\n");
}

TEST(Table, AsNames) { EXPECT_EQ(to_names(kTable, "node"), "node/a1\nnode/longer\n"); }

// A label that would clear the screen, and one in Chinese that is two columns a character.
TEST(Table, IsSafeToPrintAndStraight) {
  const Table table{.columns = {{"NAME"}, {"X"}},
                    .rows = {{{"\x1b[2J\n"}, {"1"}}, {{"网卡"}, {"2"}}}};
  EXPECT_EQ(to_text(table, {}),
            "NAME          X\n"
            "\\x1b[2J\\x0a   1\n"
            "网卡          2\n");
}

TEST(TextStyle, CutsByColumnsNotBytes) {
  EXPECT_EQ(columns("网卡é"), 5U);
  EXPECT_EQ(cut_to("网卡网卡", 5, Charset::kUnicode), "网卡…");
  EXPECT_EQ(cut_to("abc", 3, Charset::kUnicode), "abc");
  EXPECT_EQ(cut_to("abc", 0, Charset::kUnicode), "");
  EXPECT_EQ(printable("a\xff"
                      "b"),
            "a\\xffb");
  EXPECT_EQ(printable("x\xe2\x80\xae"), "x\\xe2\\x80\\xae") << "turns the direction of writing";
  EXPECT_EQ(printable("\xef\xbf\xbf"), "\\xef\\xbf\\xbf") << "no XML, the SVG's too, may have it";
}

}  // namespace
}  // namespace tenon::render
