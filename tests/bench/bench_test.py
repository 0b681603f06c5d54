#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors
"""Counted work is as accepted or the run fails, and says what changed: tools/bench.py, in a tree of its own."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "tools" / "bench.py"


def benchmark(name, **counters):
    return {"name": name, "cpu_time": 80.0, "time_unit": "us", **counters}


def bench(benchmarks, accepted, *arguments):
    """(exit status, printed text, tests/bench/work.json afterwards)"""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for part in ("tools", "build/bench", "tests/bench"):
            (root / part).mkdir(parents=True)
        shutil.copy(BENCH, root / "tools" / "bench.py")
        program = root / "program"
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps({'benchmarks': benchmarks})}\nEND\n")
        program.chmod(0o755)
        (root / "build" / "bench" / "bench_targets.txt").write_text(f"{program}\n")
        work = root / "tests" / "bench" / "work.json"
        if accepted is not None:
            work.write_text(json.dumps(accepted))
        done = subprocess.run([root / "tools" / "bench.py", *arguments], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr, json.loads(work.read_text()) if work.exists() else None


class BenchTest(unittest.TestCase):
    def test_equal_work_passes(self):
        status, text, _ = bench([benchmark("place", work=7)], {"place": {"work": 7}})
        self.assertEqual(status, 0)
        self.assertIn("counted work is as accepted", text)

    def test_any_other_work_fails_with_both_figures(self):
        for work, word in ((8, "more"), (6, "less")):
            status, text, _ = bench([benchmark("place", work=work)], {"place": {"work": 7}})
            self.assertEqual(status, 1)
            self.assertIn(f"place: work was 7 and is {work}: {word} work", text)

    def test_work_without_a_baseline_fails(self):
        for accepted in (None, {}, {"place": {"work_fix": 1}}):
            status, text, _ = bench([benchmark("place", work=7)], accepted)
            self.assertEqual(status, 1)
            self.assertIn("place: work is 7 and was never accepted", text)

    def test_a_benchmark_that_is_gone_fails(self):
        status, text, _ = bench([benchmark("place", work=7)], {"place": {"work": 7}, "gone": {"work": 3}})
        self.assertEqual(status, 1)
        self.assertIn("gone: work was 3 and is not counted any more", text)

    def test_no_benchmark_fails(self):
        self.assertEqual(bench([], {})[0], 1)

    def test_accept_writes_what_was_counted(self):
        status, _, work = bench([benchmark("place", work=7, median_ns=3), benchmark("time")], None, "accept")
        self.assertEqual((status, work), (0, {"place": {"work": 7}}))

    def test_shows_quantiles_of_single_calls(self):
        calls = {"calls": 40, "median_ns": 1500.0, "p999_ns": 9000.0, "p999_of_fastest_ns": 4000.0}
        _, text, _ = bench([benchmark("cold/iterations:1", work=7, **calls)], {"cold/iterations:1": {"work": 7}})
        row = next(line for line in text.splitlines() if line.startswith("cold"))
        self.assertEqual(row.split(), ["cold", "2.00", "1.50", "9.00", "4.00", "40", "work=7"])


if __name__ == "__main__":
    unittest.main()
