# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors
"""The graph of modules as CMake wrote it (modules.txt): one line a module, fields parted by `|`."""

import dataclasses
import pathlib


@dataclasses.dataclass(frozen=True)
class Module:
    name: str
    archive: str
    depends: tuple
    exports: tuple
    test_depends: tuple
    libraries: tuple

    @property
    def ring(self):
        return self.name.split("/")[0]


def read(path):
    """Modules by name, from the inside outwards."""
    modules = {}
    for line in pathlib.Path(path).read_text().splitlines():
        name, archive, *lists = line.split("|")
        modules[name] = Module(name, archive, *(tuple(words.split()) for words in lists))
    if not modules:
        raise SystemExit(f"{path}: no module")
    return modules


def visible(modules, names):
    """These modules and what they export, and what that exports in turn."""
    seen, todo = set(), list(names)
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(modules[name].exports)
    return seen


def closure(modules, name):
    """The module and all that it depends on, directly or not: what is linked with it."""
    seen, todo = set(), [name]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(modules[name].depends)
    return seen


def owner(modules, path):
    """The module of a file below src/, None if of none: the longest module name that is its folder."""
    folder = str(pathlib.PurePosixPath(path).parent)
    while folder not in modules and "/" in folder:
        folder = folder.rsplit("/", 1)[0]
    return folder if folder in modules else None
