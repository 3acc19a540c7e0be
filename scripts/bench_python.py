#!/usr/bin/env python3
"""Compares reads through the Python package, and through xarray with it, with the C API and other readers for Python.

    scripts/bench_python.py SUITE DATA PYTHON [ROUNDS (3)]

SUITE is the yardstick, DATA its data (scripts/bench.sh makes them), PYTHON one that has libcfa, xarray and the other readers.
Prints a table of Markdown: CPU seconds and those of the clock, the least of all rounds, and their ratios to the C API. The
yardstick checks the values. It is copied, since the readers that it has do not include ours.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

OURS = '''
@engine
class libcfa_python(Base):
    def setup(self):
        import libcfa
        self.m = libcfa

    def open(self):
        return self.m.open(self.path("agg", ".nc"))

    def describe(self, h):
        return list(h), h.dimensions

    def read(self, h, sel):
        return h["tas"].read([s[0] for s in sel], [len(range(*s)) for s in sel], [s[2] for s in sel])

    def close(self, h):
        h.close()


@engine
class libcfa_xarray(Xr):
    def setup(self):
        import xarray, libcfa.xarray_backend
        self.xr = xarray

    def open(self):
        return self.xr.open_dataset(self.path("agg", ".nc"), engine="cfa")


'''
NAMES = ["libcfa", "libcfa_python", "libcfa_xarray"]
PEERS = ["netcdf4_python", "xarray_netcdf4", "cfdm", "cfpython", "kerchunk", "icechunk"]
#: The module of each peer that may be absent.
MODULES = {"cfdm": "cfdm", "cfpython": "cf", "kerchunk": "kerchunk", "icechunk": "icechunk"}
BUILD = Path(__file__).resolve().parents[1] / "build" / "bench"


def copy(suite):
    """Copy the yardstick and add our readers."""
    folder = BUILD / "yardstick"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(suite, folder)
    for path in folder.rglob("*"):
        path.chmod(0o755)
    worker, run = folder / "worker.py", folder / "run.py"
    worker.write_text(worker.read_text().replace("# ------------------------------------------------------------------ measuring",
                                                 OURS + "# measuring"))
    run.write_text(re.sub(r"^PY = \[", 'PY = ["libcfa_python", "libcfa_xarray", ', run.read_text(), flags=re.M))
    return folder


def main(suite, data, python, rounds="3"):
    folder, data = copy(Path(suite)), Path(data).resolve()
    results = BUILD / "python.jsonl"
    results.unlink(missing_ok=True)
    here = [name for name in PEERS if name not in MODULES or
            subprocess.run([python, "-c", f"import {MODULES[name]}"], capture_output=True).returncode == 0]
    if {"kerchunk", "icechunk"} & set(here):
        # It ends at a workload that is not there; those of this comparison come first.
        subprocess.run([python, folder / "synth.py", "--dir", data], capture_output=True)
    # xarray imports what it needs in its first read, and is as fast as it gets after a few more.
    subprocess.run([python, folder / "run.py", "--dir", data, "--python", python, "--warm", "--rounds", rounds, "--reps", "8",
                    "--workloads", "w1,w2,w4", "--only", ",".join(NAMES + here), "--libcfa-prog", BUILD / "contest",
                    "--results", results], check=True)
    best = {}
    for line in results.read_text().splitlines():
        row = json.loads(line)
        key = row["workload"].upper(), row["task"], row["contestant"]
        if "error" in row or row.get("ok") is False:
            print(f"bench_python: {key}: {row.get('error') or 'wrong values'}", file=sys.stderr)
            continue
        old = best.get(key, (9e9, 9e9))
        best[key] = min(old[0], row["cpu"]), min(old[1], row["open"] + row["read"])
    print("| read | C API, CPU and wall s | " + " | ".join(NAMES[1:] + here) + " |")
    print("|---|---|" + "---|" * (len(NAMES) - 1 + len(here)))
    for workload, task in sorted({key[:2] for key in best}):
        base = best.get((workload, task, "libcfa"))
        if base is None or task == "-":
            continue
        cells = []
        for name in NAMES[1:] + here:
            cost = best.get((workload, task, name))
            cells.append("-" if cost is None else f"{cost[0] / base[0]:.2f} {cost[1] / base[1]:.2f}")
        print(f"| {workload} {task} | {base[0]:.3f} {base[1]:.3f} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main(*sys.argv[1:])
