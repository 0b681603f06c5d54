#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors
"""Runs what documents say that a user types, and compares what comes back: transcripts.py PROGRAM FILE...

A transcript is a *.golden file, or the ```console blocks of a *.md file:

    $ tenon place --cluster examples/mixed.tn --request "gpu=99"
    request does not fit ...                 what stands on the standard output,
    stderr: tenon: warning: ...              then on the standard error,
    exit: 2                                  then the exit code, unless it is 0

Commands run in bash, at the top of the repository, with PROGRAM as `tenon`, without a terminal. The output is kept
as it is, to the byte. In *.golden files lines that start with # are comments. TENON_UPDATE_GOLDEN=1 writes what came back into the files; look
at the difference before you commit it. A file without any command is a failure.
A command that reads ../shared/data is skipped where that folder is absent, unless CI=true.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"
TIMEOUT_S = 60


def run(command, folder):
    """What a command prints, as the lines of a transcript."""
    environment = {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
        "HOME": folder,
        "TMPDIR": folder,
    }
    for kept in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
        if kept in os.environ:
            environment[kept] = os.environ[kept]
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=TIMEOUT_S, check=False)
    lines = done.stdout.decode("utf-8", "backslashreplace").split("\n")
    if lines[-1] == "":
        lines.pop()
    else:
        lines[-1] += "  (without a line end)"
    lines += [f"stderr: {line}".rstrip() for line in done.stderr.decode("utf-8", "backslashreplace").splitlines()]
    if done.returncode != 0:
        lines.append(f"exit: {done.returncode}")
    return lines


def parts_of(path):
    """(is_transcript, lines) of a file, in its order."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.suffix == ".golden":
        return [(True, lines)]
    parts = [(False, [])]
    for line in lines:
        inside = parts[-1][0]
        if inside and line == "```":
            parts.append((False, []))
        parts[-1][1].append(line)
        if not inside and line == "```console":
            parts.append((True, []))
    return parts


class Checker:
    def __init__(self, folder, update):
        self.folder = folder
        self.update = update
        self.commands = 0
        self.skipped = 0
        self.wrong = 0

    def check_part(self, path, lines):
        """The part with what came back in the place of what was expected."""
        blocks = []  # (comment lines, command or None, expected lines)
        for line in lines:
            if line.startswith("$ "):
                blocks.append([line[2:], []])
            elif path.suffix == ".golden" and line.startswith("#"):
                blocks.append([None, [line]])
            elif blocks:
                blocks[-1][1].append(line)
            elif line.strip():
                raise SystemExit(f"{path}: '{line}' stands before the first command")
        out = []
        for command, expected in blocks:
            if command is None:
                out += expected
                continue
            while expected and not expected[-1]:
                expected.pop()  # blank lines between commands are for the reader
            out += [f"$ {command}"] + self.check_command(path, command, expected)
            if path.suffix == ".golden":
                out.append("")
        while out and not out[-1]:
            out.pop()
        return out

    def check_command(self, path, command, expected):
        if "../shared/data" in command and not SHARED.is_dir():
            if os.environ.get("CI") == "true":
                raise SystemExit(f"{path}: shared data absent, but CI=true: {command}")
            self.skipped += 1
            return expected
        self.commands += 1
        seen = run(command, self.folder)
        while seen and not seen[-1]:
            seen.pop()
        if seen != expected and not self.update:
            self.wrong += 1
            print(f"{path}: $ {command}")
            for line in difference(expected, seen):
                print(f"  {line}")
        return seen

    def check_file(self, path):
        parts = parts_of(path)
        before = self.commands + self.skipped
        text = ""
        for is_transcript, lines in parts:
            for line in self.check_part(path, lines) if is_transcript else lines:
                text += line + "\n"
        if self.commands + self.skipped == before:
            raise SystemExit(f"{path}: has no command")
        if self.update and text != path.read_text(encoding="utf-8"):
            path.write_text(text, encoding="utf-8")
            print(f"{path}: updated")


def difference(expected, seen):
    import difflib
    return [line for line in difflib.unified_diff(expected, seen, "expected", "seen", lineterm="")]


def main(program, files):
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(pathlib.Path(program).resolve(), pathlib.Path(folder) / "tenon")
        checker = Checker(folder, os.environ.get("TENON_UPDATE_GOLDEN") == "1")
        for file in files:
            checker.check_file(pathlib.Path(file))
    print(f"{checker.commands} commands, {checker.wrong} wrong, {checker.skipped} skipped for want of shared data")
    return 1 if checker.wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
