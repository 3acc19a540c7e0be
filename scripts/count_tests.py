#!/usr/bin/env python3
"""Counts the tests that the stages of `make test` ran, by the closing lines of their runners.

    scripts/count_tests.py DIRECTORY    with a STAGE.log for each stage
"""
import pathlib
import re
import sys


def number(pattern, text):
    """The sum of what the first group of a pattern matched, wherever it did."""
    return sum(int(found) for found in re.findall(pattern, text, re.MULTILINE))


def counts(text):
    """How many tests a log reports as passed, failed and skipped."""
    # cargo test
    passed = number(r"^test result: .* (\d+) passed;", text)
    failed = number(r"^test result: .*; (\d+) failed;", text)
    skipped = number(r"^test result: .*; (\d+) ignored;", text)
    # unittest
    wrong = number(r"^FAILED \(.*?failures=(\d+)", text) + number(r"^FAILED \(.*?errors=(\d+)", text)
    left = number(r"^(?:OK|FAILED) \(.*?skipped=(\d+)", text)
    passed += number(r"^Ran (\d+) tests? in", text) - wrong - left
    failed += wrong
    skipped += left
    # pytest
    closing = "\n".join(re.findall(r"^=* ?(\d+ (?:passed|failed|skipped|error).* in [\d.]+s.*)$", text, re.MULTILINE))
    passed += number(r"(\d+) (?:passed|xfailed)", closing)
    failed += number(r"(\d+) (?:failed|errors?|xpassed)", closing)
    skipped += number(r"(\d+) skipped", closing)
    # ctest
    wrong = number(r"^\d+% tests passed, (\d+) tests? failed out of \d+", text)
    passed += number(r"^\d+% tests passed, \d+ tests? failed out of (\d+)", text) - wrong
    failed += wrong
    # the cases of ../shared/conformance, by whatever reader
    for good, all_cases, rest in re.findall(r"\b(\d+) of (\d+) cases pass(.*)", text):
        # What a reader cannot have, and says so, is no failure.
        left = number(r"(\d+) (?:cannot be expressed|name local files and are refused)", rest)
        passed += int(good)
        failed += int(all_cases) - int(good) - left
        skipped += left
    return passed, failed, skipped


def main():
    logs = pathlib.Path(sys.argv[1]).glob("*.log")
    passed, failed, skipped = (sum(column) for column in zip(*(counts(log.read_text(errors="replace")) for log in logs)))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")


if __name__ == "__main__":
    main()
