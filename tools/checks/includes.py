#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors
"""Include check: includes.py MODULES_TXT SRC

A quoted include names a file below SRC by its whole path, and the file's module is the includer's own, one that
it DEPENDS on, or one that such a module EXPORTS (and what that exports in turn). Tests, fuzz targets and benchmarks may
also use TEST_DEPENDS, files below tests/ and headers named as they are (x_test.hpp). The linker cannot see this: a
header-only use leaves no symbol. And what is declared is used: nobody may go on where nobody goes.
"""

import pathlib
import re
import sys

import graph

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]*)[">]')
TEST_FILE = re.compile(r"_(test|fuzz|bench)\.[ch]pp$")


def problem_of(modules, src, module, is_test, bracket, path):
    """What is wrong with one include of a module's file; None if nothing."""
    inside = path.split("/")[0] in {name.split("/")[0] for name in modules} and (src / path).is_file()
    if bracket == "<":
        return "a file of ours is included with quotes" if inside else None
    if "." in pathlib.PurePosixPath(path).parts or ".." in pathlib.PurePosixPath(path).parts:
        return "a quoted include starts with a module path, never with a dot"
    if is_test and (src.parent / "tests" / path).is_file():
        return None
    if not (src / path).is_file():
        return "no such file below the source folder; a quoted include starts with a module path"
    target = graph.owner(modules, path)
    if target is None:
        return "the file belongs to no module"
    if TEST_FILE.search(path) and not is_test:
        return "the header is for tests alone"
    uses = module.depends + (module.test_depends if is_test else ())
    if target != module.name and target not in graph.visible(modules, uses):
        return f"{module.name} does not depend on {target}"
    return None


def unused(modules, included):
    """Modules that are declared, and of which no file that the word speaks of includes anything."""
    for module in modules.values():
        for word, declared, who in (("DEPENDS", module.depends, "file"), ("EXPORTS", module.exports, "header"),
                                    ("TEST_DEPENDS", module.test_depends, "test")):
            for other in declared:
                if (module.name, who, other) not in included:
                    yield f"{module.name}: {word} {other}: no {who} of {module.name} includes anything of it"


def problems(modules, src):
    included = set()  # (module, by a file, header or test of it, of which module)
    files = sorted(p for p in src.rglob("*") if p.suffix in (".cpp", ".hpp"))
    for file in files:
        below = file.relative_to(src).as_posix()
        name = graph.owner(modules, below)
        if name is None:
            yield f"{below}: belongs to no module of the graph"
            continue
        is_test = TEST_FILE.search(file.name) is not None
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            if match:
                for who in ["test"] if is_test else ["file", "header"] if file.suffix == ".hpp" else ["file"]:
                    included.add((name, who, graph.owner(modules, match[2])))
                problem = problem_of(modules, src, modules[name], is_test, match[1], match[2])
                if problem:
                    yield f"{below}:{number}: {match[2]}: {problem}"
    yield from unused(modules, included)


def main():
    modules, src = graph.read(sys.argv[1]), pathlib.Path(sys.argv[2])
    found = list(problems(modules, src))
    print("\n".join(found) or f"includes of {len(modules)} modules are as declared")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
