#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors
"""What the program does on a terminal and nowhere else: terminal.py PROGRAM

A transcript has no terminal; this test opens one. Where there are no pseudo-terminals (a bare chroot without /dev/pts) it is
skipped, unless CI=true.
"""

import fcntl
import os
import pathlib
import struct
import subprocess
import sys
import termios

ROOT = pathlib.Path(__file__).resolve().parents[2]


def shown(program, arguments, columns, **environment):
    """What `tenon topo show` prints on a terminal of so many columns, as lines."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([program, "topo", "show", "examples/matrix.txt", *arguments], cwd=ROOT, stdin=subprocess.DEVNULL,
                          stdout=theirs, env={"LC_ALL": "C.UTF-8", "TERM": "xterm", **environment}) as process:
        os.close(theirs)
        output = b""
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # Linux says so when the other side is closed
                break
            if not chunk:
                break
            output += chunk
        code = process.wait(timeout=60)
    os.close(ours)
    assert code == 0, f"exit code {code}"
    return output.decode().replace("\r\n", "\n").splitlines()


def main(program):
    wide = shown(program, ["--color", "never"], 200)
    narrow = shown(program, ["--color", "never"], 60)
    table = narrow[:narrow.index("")]
    assert any("…" in line for line in table) and not any("…" in line for line in wide), "cuts to the terminal's width"
    assert max(len(line) for line in table) <= 60, "no line of the table is wider than the terminal"
    by_variable = shown(program, ["--color", "never"], 200, COLUMNS="60")
    assert by_variable == narrow, "COLUMNS counts more than the terminal's own word"

    assert any("\x1b[" in line for line in shown(program, [], 200)), "a terminal has colour"
    for case in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert not any("\x1b" in line for line in shown(program, [], 200, **case)), f"no colour with {case}"
    assert any("\x1b[" in line for line in shown(program, ["--color", "always"], 200, NO_COLOR="1")), "always is always"
    ascii_only = shown(program, ["--color", "never"], 60, LC_ALL="C")
    assert all(line.isascii() for line in ascii_only), "a locale without UTF-8 gets ASCII"
    print("a terminal gets its width, its colour and its characters")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    try:
        os.close(os.openpty()[0])
    except OSError as error:
        if os.environ.get("CI") == "true":
            raise
        print(f"skipped: no pseudo-terminals here: {error}")
        sys.exit(0)
    main(sys.argv[1])
