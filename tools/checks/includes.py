#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors
"""Include check: includes.py MODULES_TXT SRC

A quoted include names a file below SRC by its whole path, and the file's module is the includer's own, one that
it DEPENDS on, or one that such a module EXPORTS (and what that exports in turn). Tests, fuzz targets and benchmarks may
also use TEST_DEPENDS and files below tests/. The linker cannot see this: a header-only use leaves no symbol.
"""

import pathlib
import re
import sys

import graph

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]*)[">]')
TEST_FILE = re.compile(r"_(test|fuzz|bench)\.cpp$")


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
    uses = module.depends + (module.test_depends if is_test else ())
    if target != module.name and target not in graph.visible(modules, uses):
        return f"{module.name} does not depend on {target}"
    return None


def problems(modules, src):
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
                problem = problem_of(modules, src, modules[name], is_test, match[1], match[2])
                if problem:
                    yield f"{below}:{number}: {match[2]}: {problem}"


def main():
    modules, src = graph.read(sys.argv[1]), pathlib.Path(sys.argv[2])
    found = list(problems(modules, src))
    print("\n".join(found) or f"includes of {len(modules)} modules are as declared")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
