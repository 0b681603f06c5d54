#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors
"""Purity check: purity.py MODULES_TXT

What the archive of a pure module wants from outside (undefined symbols that neither it nor a module it depends on
defines) must be on an allow-list. A clock, a file, a thread or a random device cannot be used without a symbol. Run on
release archives: a debug build calls what a release build inlines.

Lists: purity_strict.txt for base, domain and core; purity_library.txt, on top of it, for the rings that read and write
formats. A line is `MODULE REGEX`: MODULE is `*` or a module's name, REGEX matches the whole demangled symbol.
"""

import pathlib
import re
import subprocess
import sys

import graph

STRICT = {"base", "domain", "core"}
LIBRARY = {"protocol", "formats", "views", "render", "lab", "world"}
HERE = pathlib.Path(__file__).parent


def read_list(path):
    """[(module or *, compiled regex)]"""
    rules = []
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            module, regex = line.split(None, 1)
            rules.append((module, re.compile(regex.strip())))
    return rules


def symbols(archive, option):
    """{mangled symbol: object file that has it}"""
    out = subprocess.run(["nm", option, "-A", "--format=posix", archive], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in out.splitlines():
        where, symbol = line.split(": ", 1)
        found[symbol.split()[0]] = where.rsplit("[", 1)[-1].rstrip("]")
    return found


def demangle(names):
    out = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    return dict(zip(names, out.splitlines()))


def problems(modules, strict, library):
    defined = {}
    for module in modules.values():
        if module.archive and module.ring in STRICT | LIBRARY:
            defined[module.name] = symbols(module.archive, "--defined-only")
    for name in defined:
        rules = strict if modules[name].ring in STRICT else strict + library
        rules = [regex for module, regex in rules if module in ("*", name)]
        ours = set().union(*(defined[m] for m in graph.closure(modules, name) if m in defined))
        wanted = {s: o for s, o in symbols(modules[name].archive, "-u").items() if s not in ours}
        for mangled, text in sorted(demangle(sorted(wanted)).items()):
            if not any(rule.fullmatch(text) for rule in rules):
                yield f"{name}: {wanted[mangled]} wants {text}, which is on no list in tools/checks"


def main():
    modules = graph.read(sys.argv[1])
    strict, library = (read_list(HERE / f"purity_{kind}.txt") for kind in ("strict", "library"))
    found = list(problems(modules, strict, library))
    print("\n".join(found) or "the archives of the pure modules want nothing that is not on the lists")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
