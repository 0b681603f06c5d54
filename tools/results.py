#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors
"""Adds up what the suites of a run found.

results.py record FOLDER NAME passed|failed   one test that is not one of ctest's
results.py sum FOLDER                         counts by suite, what failed, what was skipped and why; the sum on a line
                                              of its own. Fails where a test failed, and where none ran.
"""

import collections
import pathlib
import re
import sys
import xml.etree.ElementTree

LINES = 40  # of the output of a failed test
ABSENT = re.compile(r"shared data absent: (\S+)")


def read_suite(path):
    """[(test, status, output)] of ctest's JUnit file."""
    kinds = {"run": "passed", "fail": "failed", "notrun": "skipped", "disabled": "skipped"}
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        status = kinds.get(case.get("status"), "failed")
        output = case.findtext("system-out") or ""
        # ctest calls a test whose program is missing "notrun" too; only one that says so skipped itself.
        if status == "skipped" and "[  SKIPPED ]" not in output:
            status = "failed"
        yield case.get("name"), status, output


def read_all(folder):
    """{suite: [(test, status, output)]}"""
    suites = {path.stem: list(read_suite(path)) for path in sorted(folder.glob("*.xml"))}
    steps = sorted(folder.glob("*.step"))
    if steps:
        suites["steps"] = [(path.stem, path.read_text().strip(), "") for path in steps]
    return suites


def print_sum(suites):
    total = collections.Counter()
    absent = collections.Counter()
    for suite, tests in suites.items():
        counts = collections.Counter(status for _, status, _ in tests)
        total += counts
        print(f"{suite}: {counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
        for name, status, output in tests:
            if status == "failed":
                print(f"  failed: {name}")
                print("".join(f"    | {line}\n" for line in output.splitlines()[-LINES:]), end="")
            if status == "skipped":
                absent.update(ABSENT.findall(output)[:1] or ["for a reason of its own"])
    for path, count in sorted(absent.items()):
        print(f"  skipped {count}: shared data absent: {path}")
    if total["passed"] + total["failed"] == 0:
        print("no test ran")
    print(f"{total['passed']} passed, {total['failed']} failed" + (f", {total['skipped']} skipped" if total["skipped"] else ""))
    return 0 if total["passed"] > 0 and total["failed"] == 0 else 1


def main():
    command, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if command == "sum":
        return print_sum(read_all(folder))
    name, status = sys.argv[3:]
    (folder / f"{name}.step").write_text(status + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
