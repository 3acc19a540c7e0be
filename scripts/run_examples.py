#!/usr/bin/python3
"""Runs the shell examples of a document, in order, in one shell and one folder.

    run_examples.py DOCUMENT FOLDER

A fenced block marked `sh tested` is a script that has to succeed. One marked `console tested` has commands after `$ `,
and below each of them what it prints, on either stream; a line `...` stands for any lines. With UPDATE=1 in the
environment the document gets what the commands print. The program `cfa` is that of the build, or CFA in the
environment.
"""

import difflib
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field

# Separates what commands print; nothing else prints it.
MARK = "\x1e"
REST = "..."


@dataclass
class Command:
    """A command of the document, and what it should print: lines `begin` to `end` (exclusive), counted from 0."""

    line: int
    text: str
    begin: int
    end: int
    expected: list = field(default_factory=list)


def commands(lines):
    """The commands of the tested blocks; those of scripts expect nothing (`None`)."""
    found, kind, begin = [], None, 0
    for number, line in enumerate(lines):
        if kind is None:
            opened = re.fullmatch(r"```(sh|console) tested", line)
            kind, begin = (opened[1], number + 1) if opened else (None, 0)
        elif line.startswith("```"):
            if kind == "sh":
                found.append(Command(begin, "\n".join(lines[begin:number]), begin, number, None))
            kind = None
        elif kind == "console" and line.startswith("$ "):
            found.append(Command(number, line[2:], number + 1, number + 1))
        elif kind == "console" and line.startswith("> ") and not found[-1].expected:
            found[-1].text += "\n" + line[2:]
            found[-1].begin = found[-1].end = number + 1
        elif kind == "console":
            found[-1].expected.append(line)
            found[-1].end = number + 1
    return found


def run(found, folder):
    """What each command printed, up to one that failed; and the status of the shell."""
    script = ["set -euo pipefail"]
    for command in found:
        traced = command.expected is None
        script += [f"printf '{MARK}'", "set -x" if traced else "", command.text, "{ set +x; } 2>/dev/null"]
    program = os.path.realpath(os.environ.get("CFA", "build/bin/cfa"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CFA")}
    environment |= {"PATH": f"{os.path.dirname(program)}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    shell = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        check=False,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    printed = shell.stdout.split(MARK)[1:]
    return [[line.rstrip() for line in text.splitlines()] for text in printed], shell.returncode


def fits(expected, printed):
    """Whether the lines are those expected, of which `...` stands for any."""
    if not expected:
        return not printed
    if expected[0] == REST:
        return any(fits(expected[1:], printed[skipped:]) for skipped in range(len(printed) + 1))
    return bool(printed) and expected[0] == printed[0] and fits(expected[1:], printed[1:])


def abridged(expected, printed):
    """What is printed, with the first `...` of the document where the line after it is still printed."""
    if REST not in expected:
        return printed
    rest = expected.index(REST)
    after = expected[rest + 1 : rest + 2]
    begin = printed.index(after[0]) if after and after[0] in printed else len(printed)
    return [*printed[:rest], REST, *printed[max(begin, rest) :]]


def main():
    document, folder = sys.argv[1:]
    with open(document, encoding="utf-8") as file:
        lines = file.read().splitlines()
    found = commands(lines)
    if not found:
        sys.exit(f"{document} has no block marked 'sh tested' or 'console tested'")
    printed, status = run(found, folder)
    differing = 0
    updates = os.environ.get("UPDATE") == "1"
    for command, output in reversed(list(zip(found, printed))):
        if command.expected is None or fits(command.expected, output):
            continue
        if updates:
            lines[command.begin : command.end] = abridged(command.expected, output)
            continue
        differing += 1
        print(f"{document}:{command.line + 1}: $ {command.text}")
        print("\n".join(difflib.unified_diff(command.expected, output, "document", "printed", lineterm="")))
    if updates:
        with open(document, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    if status:
        last = found[len(printed) - 1]
        print(f"{document}:{last.line + 1}: status {status} of: {last.text}", *printed[-1], sep="\n")
    print(f"{document}: {len(printed)} of {len(found)} commands ran, {differing} printed something else")
    sys.exit(bool(status or differing))


main()
