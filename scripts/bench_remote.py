#!/usr/bin/env python3
"""Reads over http with a delay, against LIMIT: bench_remote.py YARDSTICK DATA PROGRAM ROUNDS [--update docs/performance.md]

Runs the bed of the yardstick (remote/run.py: nginx behind a proxy that adds 30 ms and a rate of 1 Gbit/s; LIMIT knows
the address of every chunk) and prints its table; with --update the table replaces the one between the marks in the
document.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

NAMES = {
    "w1 b_slice": "W1 one slice of a year of daily files",
    "w1 d_region": "W1 region, 30 files",
    "w1 c_series": "W1 point series over 365 files",
    "w1 e_all": "W1 whole variable, 404 MB",
    "w2 c_series": "W2 1,000 small files",
    "c10k slice": "10,000 chunks in a file: slice",
    "c10k series": "10,000 chunks in a file: series",
    "c10k all": "10,000 chunks in a file: all",
    "mon hour": "four months of 744 chunks: one hour",
    "mon series": "four months of 744 chunks: series",
}
LINE = re.compile(r"^(\S+)\s+(\S+)\s+LIMIT\s+([\d.]+) s\s+(\d+) req\s+([\d.]+) MB\s+libcfa\s+([\d.]+) s\s+(\d+) req"
                  r"\s+([\d.]+) MB\s+(\d+) conn\s+([\d.]+) x\s+ok$")
MARKS = re.compile(r"(?<=<!-- begin: reads over http -->\n).*?(?=<!-- end -->)", re.S)


#: The read that is also timed when the file is open and was read before.
AGAIN = "w1/c_series"


def run(command, variables):
    """Runs the bed and returns its lines."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **variables})
    print(done.stdout, end="")
    if done.returncode:
        sys.exit("bench: a read over http gave wrong values or failed")
    rows = [LINE.match(line) for line in done.stdout.splitlines() if " LIMIT " in line and "worst" not in line]
    if not rows or not all(rows):
        sys.exit("bench: the bed printed something else than expected")
    return rows


def main(yardstick, data, program, rounds, *update):
    bed = Path(yardstick) / "remote"
    if not (Path(data) / "x/truth.json").exists():
        subprocess.run([sys.executable, bed / "make.py", "--dir", data], check=True)
    command = [sys.executable, bed / "run.py", "--dir", data, "--prog", program, "--rounds", rounds]
    rows = [(row, False) for row in run(command, {})]
    rows += [(row, True) for row in run([*command, "--only", AGAIN], {"BENCH_READS": "2"})]
    table = ["| | LIMIT, s | libcfa, s | ratio | requests: LIMIT | libcfa | MB: LIMIT | libcfa |", "|---|" + "---:|" * 7]
    for row, is_again in rows:
        workload, task, limit, asked, fetched, own, own_asked, own_fetched, _, ratio = row.groups()
        name = NAMES.get(f"{workload} {task}", f"{workload} {task}")
        if is_again:
            # The server counts both reads.
            name, own_asked, own_fetched = f"{name}, read again", "", ""
        table.append(f"| {name} | {limit} | {own} | {float(ratio):.1f} | {asked} | {own_asked} | {fetched} | {own_fetched} |")
    if update:
        document = Path(update[1])
        text = document.read_text()
        if not MARKS.search(text):
            sys.exit(f"bench: {document} has no place for this table")
        document.write_text(MARKS.sub(lambda _: "\n".join(table) + "\n", text))


if __name__ == "__main__":
    main(*sys.argv[1:])
