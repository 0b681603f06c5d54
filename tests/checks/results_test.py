#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors
"""What ./run prints at its end is what the suites found: tools/results.py."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "tools" / "results.py"


def case(name, status, output=""):
    return f'<testcase name="{name}" status="{status}"><system-out>{output}</system-out></testcase>'


def sum_of(suites, steps=()):
    """(exit status, printed lines) for suites as ctest writes them and steps that were recorded."""
    with tempfile.TemporaryDirectory() as folder:
        for name, cases in suites.items():
            (pathlib.Path(folder) / f"{name}.xml").write_text(f"<testsuite>{''.join(cases)}</testsuite>")
        for name, status in steps:
            subprocess.run([RESULTS, "record", folder, name, status], check=True)
        done = subprocess.run([RESULTS, "sum", folder], capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()


class ResultsTest(unittest.TestCase):
    def test_adds_up_suites_and_steps(self):
        status, lines = sum_of({"dev": [case("a", "run"), case("b", "run")], "asan": [case("a", "run")]}, [("format", "passed")])
        self.assertEqual(lines[-1], "4 passed, 0 failed")
        self.assertEqual(status, 0)

    def test_a_failure_is_named_with_its_output_and_fails_the_run(self):
        status, lines = sum_of({"dev": [case("a", "run"), case("b", "fail", "expected 1, got 2")]})
        self.assertEqual(lines[-3:], ["  failed: b", "    | expected 1, got 2", "1 passed, 1 failed"])
        self.assertEqual(status, 1)

    def test_a_step_that_failed_fails_the_run(self):
        status, lines = sum_of({"dev": [case("a", "run")]}, [("build asan", "failed")])
        self.assertIn("  failed: build asan", lines)
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed"))

    def test_a_skip_is_counted_with_the_file_it_missed(self):
        missed = "[  SKIPPED ] shared data absent: topo/hwloc"
        status, lines = sum_of({"dev": [case("a", "run"), case("b", "notrun", missed), case("c", "notrun", missed)]})
        self.assertEqual(lines[-2:], ["  skipped 2: shared data absent: topo/hwloc", "1 passed, 0 failed, 2 skipped"])
        self.assertEqual(status, 0)

    def test_a_program_that_is_missing_is_no_skip(self):
        status, lines = sum_of({"dev": [case("a", "run"), case("b", "notrun", "Unable to find executable")]})
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed"))

    def test_no_test_is_a_failure(self):
        for suites in ({}, {"dev": []}, {"dev": [case("a", "notrun", "[  SKIPPED ]")]}):
            status, lines = sum_of(suites)
            self.assertIn("no test ran", lines)
            self.assertEqual(status, 1)


if __name__ == "__main__":
    unittest.main()
