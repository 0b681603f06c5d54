#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors
"""Each rule of tools/checks/style.py finds what it is for, and leaves a clean tree alone."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "checks"))
import style  # noqa: E402

SPDX = "// SPDX-License-Identifier: Apache-2.0\n// Copyright The Tenon Authors\n\n"
CLEAN = {
    "README.md": "See docs/tour.md.\n",
    "docs/tour.md": "A tour.\n",
    "src/core/fit/README.md": "What fits.\n",
    "src/core/fit/fit.hpp": SPDX + "int fit();\n",
    "src/core/fit/fit.cpp": SPDX + '#include "core/fit/fit.hpp"\n\nint fit() {\n  static const int kOne = 1;\n  return kOne;\n}\n',
    "src/core/fit/fit_test.cpp": SPDX + '#include <sstream>\n\n#include "core/fit/fit.hpp"\n',
    "src/core/fit/text_fuzz.cpp": SPDX + "int fuzz();\n",
    "tests/corpus/core/fit/text/empty": "\tTODO \n",
}


def found(changes):
    """The problems of the clean tree with these files changed; None removes a file."""
    files = {**CLEAN, **changes}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in files.items():
            if text is not None:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
        return list(style.problems(root, [path for path, text in sorted(files.items()) if text is not None]))


class StyleTest(unittest.TestCase):
    def only(self, problem, changes):
        self.assertEqual(found(changes), [problem])

    def in_core(self, line, problem):
        """One more line in core/fit/fit.cpp, the tenth, is one problem."""
        self.only(f"src/core/fit/fit.cpp:10: {problem}", {"src/core/fit/fit.cpp": CLEAN["src/core/fit/fit.cpp"] + line + "\n"})

    def test_clean_tree(self):
        self.assertEqual(found({}), [])

    def test_licence(self):
        self.only("tools/x.py:1: the first lines say SPDX-License-Identifier: Apache-2.0", {"tools/x.py": "import sys\n"})
        self.only("tools/x:1: the first lines say SPDX-License-Identifier: Apache-2.0", {"tools/x": "#!/bin/bash\n"})

    def test_left_overs(self):
        self.in_core("// TODO: more", "TODO: do it, or write it where plans are kept")
        self.only("README.md:1: a path of one machine", {"README.md": "See docs/tour.md in /" + "root/tenon.\n"})

    def test_lines(self):
        self.in_core("int a;  ", "blanks at the end of a line, or a tab")
        self.in_core("int\ta;", "blanks at the end of a line, or a tab")
        self.in_core("// " + "x" * 118, "121 columns, at most 120")
        self.only("tools/x.sh:3: the last line ends", {"tools/x.sh": "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\nls"})

    def test_lengths(self):
        self.only("src/core/fit/fit.hpp:1: 191 lines, at most 190: is there a room of its own in it?",
                  {"src/core/fit/fit.hpp": SPDX + "int a();\n" * 188})
        self.in_core("int f() {\n" + "  g();\n" * 70 + "}", "a function of 71 lines, at most 70")

    def test_banned(self):
        for line, use in [
            ("#include <iostream>", "base/text.hpp; the shell reads and writes"),
            ("#include <thread>", "a single thread; the shell has the others"),
            ("#include <chrono>", "tenon::Prng and time as an argument"),
            ("#include <unordered_map>", "a sorted vector or dense ids: order reaches answers"),
            ("#include <fmt/format.h>", "formats, render and the shell use libraries"),
            ("double a();", "integers: no float reaches an answer"),
            ("void f() { std::shuffle(a, b, c); }", "tenon::Prng"),
            ("void f() { assert(1); }", "check() of base/check.hpp, which stays on"),
            ("using namespace std;", "the names themselves"),
            ("int f() { return atoi(g); }", "std::from_chars: no locale, no exception"),
            ("int* f() { return const_cast<int*>(g); }", "a const that is true"),
            ("TEST(A, DISABLED_B) {}", "a test that runs, or none"),
        ]:
            with self.subTest(line):
                problems = found({"src/core/fit/fit.cpp": CLEAN["src/core/fit/fit.cpp"] + line + "\n"})
                self.assertEqual(len(problems), 1, problems)
                self.assertTrue(problems[0].endswith(f": use {use}"), problems)

    def test_banned_names_in_comments_and_text_are_words(self):
        self.assertEqual(found({"src/core/fit/fit.hpp": SPDX + '// no float\nint a(const char* = "double");\n'}), [])

    def test_mutable_statics(self):
        for line in ["static int count = 0;", "  static std::vector<int> seen;", "thread_local int depth{0};"]:
            with self.subTest(line):
                self.in_core(line, "a static that changes: state is passed, never global")

    def test_statics_that_are_fine(self):
        for line in ["static int helper(int a);", "  static constexpr int kA = 1;", "  static const std::vector<int> kB{1};"]:
            with self.subTest(line):
                self.assertEqual(found({"src/core/fit/fit.hpp": SPDX + line + "\n"}), [])

    def test_size(self):
        self.only("tests/corpus/core/fit/text/big:1: 400001 bytes, at most 400000: data stands outside the repository",
                  {"tests/corpus/core/fit/text/big": "x" * 400_001})

    def test_modules_are_whole(self):
        self.only("src/core/fit:1: a module has a README.md: purpose, entry header, what it must not do",
                  {"src/core/fit/README.md": None})
        self.assertIn("src/core/fit:1: a module has tests beside its code", found({"src/core/fit/fit_test.cpp": None}))

    def test_no_dead_files(self):
        self.only("src/core/fit/old.hpp:1: nobody includes this header", {"src/core/fit/old.hpp": SPDX})
        self.only("docs/lost.md:1: no page names this page", {"docs/lost.md": "Lost.\n"})
        self.only("tests/corpus/core/fit/gone/a:1: a kept input without its target src/core/fit/gone_fuzz.cpp",
                  {"tests/corpus/core/fit/gone/a": ""})
        self.only("src/core/fit/new_fuzz.cpp:1: a fuzz target without inputs in tests/corpus/core/fit/new/",
                  {"src/core/fit/new_fuzz.cpp": SPDX})


if __name__ == "__main__":
    unittest.main()
