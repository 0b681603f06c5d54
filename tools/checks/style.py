#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors
"""Style that no formatter knows, as a test: style.py [REPOSITORY]

Each rule is a function from a file to its problems, or from all files to theirs; RULES lists them. Names that are banned
come with what to use instead. tests/checks/style_test.py shows each rule finding what it is for.
"""

import pathlib
import re
import subprocess
import sys

CODE = (".cpp", ".hpp", ".py", ".cmake", ".sh")
PURE = ("base", "domain", "core")
RINGS = PURE + ("protocol", "formats", "views", "render", "lab", "world", "shell", "apps")
LINES_MAX = {".hpp": 190, ".cpp": 500}
FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 120
BYTES_MAX = 400_000

# (rings, regex, what instead); with rings, tests are free; without, all of src/ is meant, tests too
BANNED = [
    (PURE, r"#include <(iostream|fstream|sstream|iomanip|locale|filesystem|cstdio)>", "base/text.hpp; the shell reads and writes"),
    (PURE, r"#include <(thread|mutex|atomic|future|condition_variable|shared_mutex)>", "a single thread; the shell has the others"),
    (PURE, r"#include <(random|chrono|ctime)>", "tenon::Prng and time as an argument"),
    (PURE, r"#include <unordered_(map|set)>", "a sorted vector or dense ids: order reaches answers"),
    (PURE, r"#include <(fmt|boost|yaml-cpp|CLI)/|#include <pugixml", "formats, render and the shell use libraries"),
    (("domain", "core"), r"\b(float|double)\b", "integers: no float reaches an answer"),
    ((), r"\bstd::shuffle\b|\bstd::\w+_distribution\b|\bs?rand\(", "tenon::Prng"),
    ((), r"\bassert\(", "check() of base/check.hpp, which stays on"),
    (RINGS, r"\busing namespace (?!std::\w*literals)", "the names themselves"),
    ((), r"\b(strtol|strtoul|strtod|atoi|atof|stoi|stol|stoul|stoull|stod)\(", "std::from_chars: no locale, no exception"),
    ((), r"\bconst_cast\b", "a const that is true"),
    ((), r"\bDISABLED_\w+", "a test that runs, or none"),
]
LEFT_OVER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
MACHINE_PATH = re.compile(r"(?:^|[^A-Za-z0-9_.])/(?:work|root|home/[a-z]+)/")
MUTABLE_STATIC = re.compile(r"^\s*(?:static|thread_local)\s+(?!.*\bconst(?:expr|eval|init)?\b)[\w:<>,\s*&]+\s[&*]?\w+(?:\s*=.*|\s*\{.*|);?$")
OPENS_FUNCTION = re.compile(r"^(?!namespace|struct|class|enum|union|extern|using|constexpr\s.*=|const\s.*=)\S.*\).*\{$")


class File:
    def __init__(self, root, path):
        self.path = path
        self.place = pathlib.PurePosixPath(path)
        self.suffix = self.place.suffix
        self.bytes = (root / path).read_bytes()
        self.text = self.bytes.decode(errors="replace")
        self.lines = self.text.split("\n")

    @property
    def is_cpp(self):
        return self.suffix in (".cpp", ".hpp")

    @property
    def is_code(self):
        return self.suffix in CODE or self.place.name in ("CMakeLists.txt", "run") or self.lines[0].startswith("#!")

    @property
    def ring(self):
        parts = self.place.parts
        return parts[1] if parts[0] == "src" and len(parts) > 2 else None

    @property
    def is_test(self):
        return re.search(r"_(test|fuzz|bench)\.[ch]pp$", self.path) is not None


def is_fixture(path):
    """Inputs of tests are as they are, broken ones above all."""
    return path.startswith(("tests/corpus/", "tests/data/")) or path.endswith(".patch")


def code_of(line):
    """The line without its comment and the insides of its strings."""
    return re.sub(r'"(?:[^"\\]|\\.)*"', '""', line).split("//")[0]


def licence(file):
    if file.is_code and "SPDX-License-Identifier: Apache-2.0" not in "\n".join(file.lines[:3]):
        yield 1, "the first lines say SPDX-License-Identifier: Apache-2.0"


def left_overs(file):
    if file.path == "tools/checks/style.py" or file.path == "tests/checks/style_test.py" or file.path == "LICENSE":
        return
    for number, line in enumerate(file.lines, 1):
        if LEFT_OVER.search(line):
            yield number, f"{LEFT_OVER.search(line)[0]}: do it, or write it where plans are kept"
        if MACHINE_PATH.search(line):
            yield number, "a path of one machine"


def lines(file):
    if file.is_code and not file.text.endswith("\n"):
        yield len(file.lines), "the last line ends"
    for number, line in enumerate(file.lines, 1):
        if file.is_code and (line != line.rstrip() or "\t" in line):
            yield number, "blanks at the end of a line, or a tab"
        if file.is_cpp and len(line) > COLUMNS_MAX and 'R"' not in file.text:
            yield number, f"{len(line)} columns, at most {COLUMNS_MAX}"


def lengths(file):
    limit = LINES_MAX.get(file.suffix)
    if limit and len(file.lines) - 1 > limit:
        yield 1, f"{len(file.lines) - 1} lines, at most {limit}: is there a room of its own in it?"
    start = None
    for number, line in enumerate(file.lines, 1) if file.is_cpp else ():
        if start is None and OPENS_FUNCTION.match(line):
            start = number
        elif start is not None and line.startswith("}"):
            if number - start > FUNCTION_LINES_MAX:
                yield start, f"a function of {number - start} lines, at most {FUNCTION_LINES_MAX}"
            start = None


def banned(file):
    if not file.ring or not file.is_cpp:
        return
    for number, line in enumerate(file.lines, 1):
        code = line.split("//")[0] if "#include" in line else code_of(line)
        for rings, regex, instead in BANNED:
            applies = file.ring in rings and not file.is_test if rings else True
            if applies and re.search(regex, code):
                yield number, f"{re.search(regex, code)[0].strip()}: use {instead}"


def mutable_statics(file):
    if file.ring and file.is_cpp and not file.is_test:
        for number, line in enumerate(file.lines, 1):
            if MUTABLE_STATIC.match(code_of(line)):
                yield number, "a static that changes: state is passed, never global"


def size(file):
    if len(file.bytes) > BYTES_MAX:
        yield 1, f"{len(file.bytes)} bytes, at most {BYTES_MAX}: data stands outside the repository"


def modules_are_whole(files):
    """Every folder with code has a README.md, and a test if it has anything to test."""
    folders = {}
    for file in files.values():
        if file.ring and file.is_cpp:
            folders.setdefault(str(file.place.parent), []).append(file)
    for folder, members in sorted(folders.items()):
        if f"{folder}/README.md" not in files:
            yield folder, 1, "a module has a README.md: purpose, entry header, what it must not do"
        sources = [f for f in members if f.suffix == ".cpp" and not f.is_test]
        if sources and not folder.startswith("src/apps/") and not any(f.path.endswith("_test.cpp") for f in members):
            yield folder, 1, "a module has tests beside its code"


def no_dead_files(files):
    """Every header is included by a file other than its own implementation, every page is linked, every corpus has its target."""
    everything = {path: file.text for path, file in files.items() if file.is_cpp}
    pages = "\n".join(file.text for path, file in files.items() if path.endswith(".md"))
    for path, file in files.items():
        if file.ring and file.suffix == ".hpp":
            include = f'#include "{path.removeprefix("src/")}"'
            own = path.removesuffix(".hpp") + ".cpp"
            if not any(include in text for other, text in everything.items() if other != own):
                yield path, 1, "nobody includes this header"
        if path.startswith("docs/") and path.endswith(".md") and file.place.name not in pages:
            yield path, 1, "no page names this page"
        if path.startswith("tests/corpus/"):
            target = "src/" + path.removeprefix("tests/corpus/").rsplit("/", 1)[0] + "_fuzz.cpp"
            if target not in files:
                yield path, 1, f"a kept input without its target {target}"
        if path.endswith("_fuzz.cpp"):
            corpus = "tests/corpus/" + path.removeprefix("src/").removesuffix("_fuzz.cpp") + "/"
            if not any(other.startswith(corpus) for other in files):
                yield path, 1, f"a fuzz target without inputs in {corpus}"


FILE_RULES = [licence, left_overs, lines, lengths, banned, mutable_statics, size]
TREE_RULES = [modules_are_whole, no_dead_files]


def tracked(root):
    """Files of the repository, those not yet committed included."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return sorted({path for path in done.stdout.split("\0") if path and (root / path).is_file()})


def problems(root, paths):
    files = {path: File(root, path) for path in paths}
    for path, file in files.items():
        for rule in FILE_RULES:
            if not is_fixture(path) or rule is size:
                yield from (f"{path}:{number}: {problem}" for number, problem in rule(file))
    for rule in TREE_RULES:
        yield from (f"{path}:{number}: {problem}" for path, number, problem in rule(files))


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    paths = tracked(root)
    found = list(problems(root, paths))
    print("\n".join(found) or f"{len(paths)} files in style")
    return 1 if found or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
