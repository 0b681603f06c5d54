#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors
"""Runs the benchmarks: bench.py [accept]

Counters whose name starts with `work` are counted work, the same on every machine and in every run: more of it than
tests/bench/work.json says is a failure, less is reported. `accept` writes the file anew. Times depend on the machine: they are
shown, and a line of JSON with all figures is added to build/bench/history.jsonl.
"""

import json
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "bench"
WORK = ROOT / "tests" / "bench" / "work.json"


def run_all():
    """{benchmark: (nanoseconds, {counter: value})}"""
    figures = {}
    for program in (BUILD / "bench_targets.txt").read_text().split():
        done = subprocess.run([program, "--benchmark_format=json"], capture_output=True, text=True, check=True)
        for one in json.loads(done.stdout)["benchmarks"]:
            nanoseconds = one["cpu_time"] * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[one["time_unit"]]
            work = {key: int(value) for key, value in one.items() if key.startswith("work")}
            figures[one["name"]] = (nanoseconds, work)
    return figures


def compare(figures, recorded):
    """Lines that say what changed, and whether anything got worse."""
    worse = False
    for name, (_, work) in figures.items():
        for counter, value in work.items():
            before = recorded.get(name, {}).get(counter)
            if before is None:
                worse = True
                yield f"{name}: {counter} is {value}, and tests/bench/work.json does not have it", worse
            elif value != before:
                worse = worse or value > before
                yield f"{name}: {counter} was {before} and is {value}{': more work' if value > before else ''}", worse
    for name in recorded.keys() - figures.keys():
        worse = True
        yield f"{name}: is in tests/bench/work.json and did not run", worse


def main():
    figures = run_all()
    if not figures:
        raise SystemExit("no benchmark ran")
    for name, (nanoseconds, work) in figures.items():
        print(f"{name:60} {nanoseconds / 1000:12.2f} us   {' '.join(f'{k}={v}' for k, v in work.items())}")
    line = {"at": int(time.time()), "figures": {name: {"ns": ns, **work} for name, (ns, work) in figures.items()}}
    with (BUILD / "history.jsonl").open("a") as history:
        history.write(json.dumps(line) + "\n")

    if sys.argv[1:] == ["accept"]:
        WORK.parent.mkdir(exist_ok=True)
        WORK.write_text(json.dumps({name: work for name, (_, work) in figures.items() if work}, indent=1) + "\n")
        return 0
    changes = list(compare(figures, json.loads(WORK.read_text()) if WORK.exists() else {}))
    print("\n".join(change for change, _ in changes) or "counted work is as recorded")
    return 1 if changes and changes[-1][1] else 0


if __name__ == "__main__":
    sys.exit(main())
