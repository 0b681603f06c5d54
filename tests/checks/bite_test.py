#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors
"""Each of the five checks finds what it is for: bite_test.py CXX SCRATCH [WORD]

Every test copies tests/checks/tree, breaks one thing, and expects the one check to fail with the one sentence. The
unbroken copy passes all five, so that a check which always fails is seen too. WORD chooses the tests with it in their name.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TOOLS = REPOSITORY / "tools" / "checks"
CXX, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2])
HEADER_TARGET = "all_verify_interface_header_sets"


class Tree:
    """A scratch copy of the small project."""

    def __init__(self, name):
        self.root = SCRATCH / name
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(REPOSITORY / "tests" / "checks" / "tree", self.root)
        self.modules = self.root / "build" / "modules.txt"

    def edit(self, path, old, new):
        file = self.root / "src" / path
        text = file.read_text()
        assert old in text, f"{path} has no {old!r}"
        file.write_text(text.replace(old, new, 1))

    def run(self, *command):
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def configure(self):
        return self.run("cmake", "-G", "Ninja", "-S", ".", "-B", "build", f"-DCMAKE_CXX_COMPILER={CXX}",
                        "-DCMAKE_CXX_COMPILER_WORKS=1", "-DCMAKE_BUILD_TYPE=Release", f"-DTENON_CMAKE={REPOSITORY}/cmake")

    def build(self, target):
        return self.run("cmake", "--build", "build", "--target", target)

    def check(self, script, *arguments):
        return self.run(sys.executable, str(TOOLS / script), *map(str, arguments))

    def include(self):
        return self.check("includes.py", self.modules, "src")

    def purity(self):
        self.build("all")
        return self.check("purity.py", self.modules)


class BiteTest(unittest.TestCase):
    def tree(self):
        return Tree(self._testMethodName)

    def passes(self, outcome):
        self.assertEqual(outcome[0], 0, outcome[1])

    def bites(self, outcome, sentence):
        self.assertNotEqual(outcome[0], 0, "the check passed")
        self.assertIn(sentence, " ".join(outcome[1].split()))

    def test_unbroken_tree_passes_all(self):
        tree = self.tree()
        self.passes(tree.configure())
        self.passes(tree.build("all"))
        self.passes(tree.build("tenon_links"))
        self.passes(tree.build(HEADER_TARGET))
        self.passes(tree.include())
        self.passes(tree.purity())
        self.passes(tree.check("diagram.py", "--write", tree.modules, "modules.md"))
        self.passes(tree.check("diagram.py", "--check", tree.modules, "modules.md"))

    def test_link_call_of_a_module_that_is_not_declared(self):
        # The program links print too, so only the link check can see that core/fit does not name it.
        tree = self.tree()
        tree.edit("core/fit/fit.cpp", "bool tree::fits",
                  "namespace tree { void print(const Size& size); }\nbool tree::fits")
        tree.edit("core/fit/fit.cpp", "{ return", "{ print(size); return")
        self.passes(tree.configure())
        self.passes(tree.build("all"))
        self.bites(tree.build("tenon_links"), "tree::print(tree::Size const&)")

    def test_header_that_needs_another_one_before_it(self):
        tree = self.tree()
        tree.edit("core/fit/fit.hpp", "bool fits", "std::vector<Size> many();\nbool fits")
        tree.edit("core/fit/fit.cpp", '#include "core/fit/fit.hpp"', '#include <vector>\n\n#include "core/fit/fit.hpp"')
        tree.edit("apps/hello/main.cpp", '#include "core', '#include <vector>\n\n#include "core')
        self.passes(tree.configure())
        self.passes(tree.build("all"))
        self.bites(tree.build(HEADER_TARGET), "core/fit/fit.hpp:9:6: error:")

    def test_include_upwards_that_leaves_no_symbol(self):
        # twice() is inline: it compiles and links, and core would depend on the shell.
        tree = self.tree()
        tree.edit("core/fit/fit.cpp", "#include", '#include "shell/print/print.hpp"\n#include')
        tree.edit("core/fit/fit.cpp", "size.units", "twice(size)")
        self.passes(tree.configure())
        self.passes(tree.build("tenon_links"))
        self.bites(tree.include(), "core/fit/fit.cpp:4: shell/print/print.hpp: core/fit does not depend on shell/print")

    def test_include_of_what_is_not_exported(self):
        tree = self.tree()
        tree.edit("CMakeLists.txt", "domain DEPENDS base EXPORTS base", "domain DEPENDS base")
        tree.edit("core/fit/fit.cpp", "#include", '#include "base/grow.hpp"\n#include')
        self.passes(tree.configure())
        self.bites(tree.include(), "core/fit does not depend on base")

    def test_include_by_a_relative_path(self):
        tree = self.tree()
        tree.edit("core/fit/fit.cpp", '"core/fit/fit.hpp"', '"../fit/fit.hpp"')
        self.passes(tree.configure())
        self.bites(tree.include(), "../fit/fit.hpp: a quoted include starts with a module path, never with a dot")

    def test_include_of_a_neighbour_by_its_bare_name(self):
        tree = self.tree()
        tree.edit("core/fit/fit.cpp", '"core/fit/fit.hpp"', '"fit.hpp"')
        self.passes(tree.configure())
        self.bites(tree.include(), "fit.hpp: no such file below the source folder")

    def test_include_with_angle_brackets(self):
        tree = self.tree()
        tree.edit("core/fit/fit.cpp", "#include", "#include <shell/print/print.hpp>\n#include")
        self.passes(tree.configure())
        self.bites(tree.include(), "shell/print/print.hpp: a file of ours is included with quotes")

    def test_include_from_a_folder_of_no_module(self):
        tree = self.tree()
        (tree.root / "src/core/lost").mkdir()
        (tree.root / "src/core/lost/lost.hpp").write_text("#pragma once\n")
        self.passes(tree.configure())
        self.bites(tree.include(), "core/lost/lost.hpp: belongs to no module of the graph")

    def test_include_of_nothing_that_is_declared(self):
        # The picture had an arrow that no file went along; TEST_DEPENDS and EXPORTS can be as empty.
        tree = self.tree()
        tree.edit("CMakeLists.txt", "core/fit DEPENDS domain", "core/fit DEPENDS domain base EXPORTS base TEST_DEPENDS base")
        tree.edit("core/fit/fit.cpp", "#include", '#include "base/grow.hpp"\n#include')
        self.passes(tree.configure())
        outcome = tree.include()
        self.bites(outcome, "core/fit: EXPORTS base: no header of core/fit includes anything of it")
        self.bites(outcome, "core/fit: TEST_DEPENDS base: no test of core/fit includes anything of it")
        self.assertNotIn("core/fit: DEPENDS base", outcome[1])
        tree.edit("core/fit/fit.cpp", '#include "base/grow.hpp"', "")
        self.bites(tree.include(), "core/fit: DEPENDS base: no file of core/fit includes anything of it")

    def test_include_of_a_header_for_tests(self):
        # What a test alone includes is no use of an edge, and a header for tests is none of the module's.
        tree = self.tree()
        tree.edit("CMakeLists.txt", "core/fit DEPENDS domain", "core/fit DEPENDS domain base")
        (tree.root / "src/core/fit/size_test.hpp").write_text('#pragma once\n#include "base/grow.hpp"\n')
        self.passes(tree.configure())
        self.bites(tree.include(), "core/fit: DEPENDS base: no file of core/fit includes anything of it")
        tree.edit("core/fit/fit.cpp", "#include", '#include "core/fit/size_test.hpp"\n#include')
        self.bites(tree.include(), "core/fit/fit.cpp:4: core/fit/size_test.hpp: the header is for tests alone")

    def test_purity_clock_in_core(self):
        tree = self.tree()
        tree.edit("core/fit/fit.cpp", "#include", "#include <chrono>\n#include")
        tree.edit("core/fit/fit.cpp", "size.units < 10",
                  "std::chrono::steady_clock::now().time_since_epoch().count() > size.units")
        self.passes(tree.configure())
        self.bites(tree.purity(), "core/fit: fit.cpp.o wants std::chrono::_V2::steady_clock::now()")

    def test_purity_environment_in_domain(self):
        tree = self.tree()
        (tree.root / "src/domain/size.cpp").write_text(
            '#include <cstdlib>\n#include "domain/size.hpp"\nnamespace tree { bool set() { return std::getenv("A") != nullptr; } }\n')
        self.passes(tree.configure())
        self.bites(tree.purity(), "domain: size.cpp.o wants getenv")

    def test_purity_output_is_for_base_alone(self):
        # check() of base may write to file 2; core may not, although the symbol is the same.
        tree = self.tree()
        tree.edit("core/fit/fit.cpp", "#include", "#include <unistd.h>\n#include")
        tree.edit("core/fit/fit.cpp", "{ return", "{ return ::write(2, \"x\", 1) == 1 &&")
        self.passes(tree.configure())
        self.bites(tree.purity(), "core/fit: fit.cpp.o wants write")

    def test_diagram_after_a_new_edge(self):
        tree = self.tree()
        self.passes(tree.configure())
        self.passes(tree.check("diagram.py", "--write", tree.modules, "modules.md"))
        tree.edit("CMakeLists.txt", "shell/print DEPENDS domain", "shell/print DEPENDS domain core/fit")
        self.passes(tree.configure())
        self.bites(tree.check("diagram.py", "--check", tree.modules, "modules.md"), "+ shell_print --> core_fit")

    def test_declaration_that_points_outwards(self):
        tree = self.tree()
        tree.edit("CMakeLists.txt", "tenon_module(NAME core/fit DEPENDS domain)", "")
        tree.edit("CMakeLists.txt", "tenon_program", "tenon_module(NAME core/fit DEPENDS domain shell/print)\ntenon_program")
        self.bites(tree.configure(), "core/fit depends on shell/print, which is of a ring further out")

    def test_declaration_of_a_cycle(self):
        tree = self.tree()
        tree.edit("CMakeLists.txt", "NAME base", "NAME base DEPENDS domain")
        self.bites(tree.configure(), "base depends on domain, which is not declared before it")

    def test_declaration_that_exports_what_it_does_not_use(self):
        tree = self.tree()
        tree.edit("CMakeLists.txt", "core/fit DEPENDS domain", "core/fit DEPENDS domain EXPORTS base")
        self.bites(tree.configure(), "core/fit exports base, which it does not depend on")


if __name__ == "__main__":
    os.environ.pop("CXXFLAGS", None)
    chosen = [option for word in sys.argv[3:] for option in ("-k", word)]
    ran = unittest.main(argv=[sys.argv[0], *chosen], verbosity=2, exit=False).result
    sys.exit(0 if ran.wasSuccessful() and ran.testsRun > 0 else 1)
