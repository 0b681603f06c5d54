#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors
"""Runs the benchmarks: bench.py [accept]

Counters whose name starts with `work` are counted work, the same on every machine and in every run: work that is not what
tests/bench/work.json says is a failure. `accept` writes the file anew. Times depend on the machine and on what else it does: they
are shown with its load, and a line of JSON with all figures is added to build/bench/history.jsonl.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "bench"
WORK = ROOT / "tests" / "bench" / "work.json"

# Of single calls, where a benchmark times them one by one: its counter, and the heading of the column.
CALLS = (("median_ns", "median"), ("p999_ns", "p99.9"), ("p999_of_fastest_ns", "quiet p99.9"), ("calls", "calls"))


def run_all():
    """{benchmark: figures as google-benchmark writes them}"""
    figures = {}
    for program in (BUILD / "bench_targets.txt").read_text().split():
        done = subprocess.run([program, "--benchmark_format=json"], stdout=subprocess.PIPE, text=True, check=True)
        figures |= {one["name"]: one for one in json.loads(done.stdout)["benchmarks"]}
    return figures


def work_of(figures):
    """{benchmark: {counter: counted work}} of those that count it."""
    work = {name: {key: int(value) for key, value in one.items() if key.startswith("work")} for name, one in figures.items()}
    return {name: counters for name, counters in work.items() if counters}


def differences(work, accepted):
    """One line for each counter that is not what was accepted."""
    for name in sorted(work.keys() | accepted.keys()):
        counters, before = work.get(name, {}), accepted.get(name, {})
        for counter in sorted(counters.keys() | before.keys()):
            if counter not in counters:
                yield f"{name}: {counter} was {before[counter]} and is not counted any more"
            elif counter not in before:
                yield f"{name}: {counter} is {counters[counter]} and was never accepted"
            elif counters[counter] != before[counter]:
                more = "more" if counters[counter] > before[counter] else "less"
                yield f"{name}: {counter} was {before[counter]} and is {counters[counter]}: {more} work"


def microseconds(one):
    """CPU time of one iteration."""
    return one["cpu_time"] * {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}[one["time_unit"]]


def lines(figures):
    """The table: of single calls where they were timed one by one, else the mean; then counted work."""
    yield f"{'times in us':34}" + "".join(f"{heading:>13}" for heading in ("mean", *(heading for _, heading in CALLS))) + "   counted work"
    for name, one in figures.items():
        calls = one.get("calls", 1)
        cells = [f"{microseconds(one) / calls:13.2f}"]
        for counter, _ in CALLS:
            value = one.get(counter)
            cells.append(f"{'':13}" if value is None else f"{value:13.0f}" if counter == "calls" else f"{value / 1000:13.2f}")
        work = " ".join(f"{key}={value}" for key, value in work_of({name: one}).get(name, {}).items())
        yield f"{name.removesuffix('/iterations:1'):34}{''.join(cells)}   {work}"


def load():
    return " ".join(f"{minutes:.2f}" for minutes in os.getloadavg())


def main():
    before = load()
    figures = run_all()
    if not figures:
        raise SystemExit("no benchmark ran")
    print("\n".join(lines(figures)))
    print(f"{os.cpu_count()} CPUs, load {before} before and {load()} after")
    with (BUILD / "history.jsonl").open("a") as history:
        history.write(json.dumps({"at": int(time.time()), "load": before, "figures": figures}) + "\n")

    work = work_of(figures)
    if sys.argv[1:] == ["accept"]:
        WORK.parent.mkdir(exist_ok=True)
        WORK.write_text(json.dumps(work, indent=1, sort_keys=True) + "\n")
        return 0
    changes = list(differences(work, json.loads(WORK.read_text()) if WORK.exists() else {}))
    print("\n".join(changes) or "counted work is as accepted")
    if changes:
        print("counted work is not what tests/bench/work.json says; where that is meant: ./run bench accept")
    return 1 if changes else 0


if __name__ == "__main__":
    sys.exit(main())
