#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors
"""Every matrix of nvidia-smi against what the program says of it: matrices.py PROGRAM FOLDER

Reads each *.txt of the folder by itself, in a few lines, and compares every cell with `tenon topo distances FILE -o json`,
straight and through the notation (`topo convert`). A cell that nobody saw (?) must come back as null or as its mirror.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

WORD = re.compile(r"^(X|SYS|NODE|PHB|PXB|PIX|NV\d+|\?)$")


def matrix_of(text):
    """{row: {column: word}}, with ? for cells that are not there."""
    cells, header = {}, None
    for line in text.splitlines():
        words = line.split()
        if line.startswith("#") or not words:
            continue
        if header is None:
            if words[0].startswith("GPU") and len(words) > 1 and not WORD.match(words[1]):
                header = words[:words.index("CPU")] if "CPU" in words else words
            continue
        if words[0] in header and words[0] not in cells:
            row = []
            for word in words[1:]:
                if len(row) == len(header) or not WORD.match(word):
                    break
                row.append(word)
            cells[words[0]] = row + ["?"] * (len(header) - len(row))
    return {row: dict(zip(header, cells.get(row, ["?"] * len(header)))) for row in header}


def run(program, arguments, text=None):
    done = subprocess.run([program, *arguments], input=text, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise SystemExit(f"tenon {' '.join(arguments)}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def differences(matrix, distances):
    if list(matrix) != list(distances):
        yield f"names are {list(distances)}, not {list(matrix)}"
        return
    for row, cells in matrix.items():
        for column, word in cells.items():
            if row == column:
                continue
            seen = distances[row].get(column, "is missing")
            allowed = [None, matrix[column][row]] if word == "?" else [word]
            if seen not in allowed:
                yield f"{row} {column}: {seen}, not {word}"


def main(program, folder):
    if not pathlib.Path(folder).is_dir() and os.environ.get("CI") != "true":
        print(f"skipped: {folder} is not here")
        return 0
    files = sorted(pathlib.Path(folder).glob("*.txt"))
    wrong, cells = 0, 0
    for file in files:
        matrix = matrix_of(file.read_text(encoding="utf-8"))
        straight = run(program, ["topo", "distances", str(file), "-o", "json"])
        notation = run(program, ["topo", "convert", str(file)])
        again = run(program, ["topo", "distances", "-", "-o", "json"], notation)
        for way, answer in (("", straight), (" through notation", again)):
            for line in differences(matrix, json.loads(answer)["distances"]):
                wrong += 1
                print(f"{file.name}{way}: {line}")
        cells += len(matrix) * (len(matrix) - 1)
    print(f"{len(files)} matrices, {cells} cells, each compared twice, {wrong} wrong")
    return 0 if files and cells and not wrong else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
