#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors
"""Diagram check: diagram.py --check|--write MODULES_TXT PAGE

The picture and table of modules in docs/ are drawn from the tenon_module() calls, and differ from them never.
"""

import difflib
import pathlib
import sys

import graph

HEAD = """# Modules

Drawn from the `tenon_module()` calls of `src/CMakeLists.txt` by `./run fmt`; a test compares. An arrow goes from a module to one
that it uses; what follows from other arrows is left out of the picture and stands in the table.

"""


def essential(modules, name):
    """The dependencies that no other dependency brings along: the arrows worth drawing."""
    depends = modules[name].depends
    return [d for d in depends if not any(d != o and d in graph.closure(modules, o) for o in depends)]


def draw(modules):
    lines = [HEAD + "```mermaid", "flowchart TD"]
    rings = dict.fromkeys(m.ring for m in modules.values())
    for ring in reversed(rings):
        lines.append(f"  subgraph {ring}_ring[{ring}]")
        lines += [f"    {m.name.replace('/', '_')}[{m.name}]" for m in modules.values() if m.ring == ring]
        lines.append("  end")
    for name in modules:
        for dependency in essential(modules, name):
            lines.append(f"  {name.replace('/', '_')} --> {dependency.replace('/', '_')}")
    lines += ["```", "", "| module | may include | shows on | of others |", "|---|---|---|---|"]
    for m in modules.values():
        cells = [" ".join(words) or "–" for words in (m.depends, m.exports, m.libraries)]
        lines.append(f"| {m.name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main():
    mode, modules, page = sys.argv[1], graph.read(sys.argv[2]), pathlib.Path(sys.argv[3])
    wanted = draw(modules)
    if mode == "--write":
        page.write_text(wanted)
        return 0
    found = page.read_text() if page.exists() else ""
    if found == wanted:
        print(f"{page} shows the {len(modules)} modules")
        return 0
    print(f"{page} is not what tenon_module() says; `./run fmt` draws it again")
    sys.stdout.writelines(difflib.unified_diff(found.splitlines(True), wanted.splitlines(True), "found", "wanted"))
    return 1


if __name__ == "__main__":
    sys.exit(main())
