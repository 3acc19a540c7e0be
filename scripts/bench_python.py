#!/usr/bin/env python3
"""Compares reads through the Python package, and through xarray with it, with the C API and other readers for Python.

    scripts/bench_python.py SUITE DATA PYTHON [SECONDS (60)]

SUITE is the yardstick, DATA its data (scripts/bench.sh makes them), PYTHON one that has libcfa, xarray and the other
readers. Prints a table of Markdown: CPU seconds of the C API, the least of all repeats, and the ratios of the others to
it. A reader that takes more than SECONDS of CPU for one task, or for its repeats before the first is done, is shown as
"cut off", also in the tasks of that workload that take longer. The yardstick checks the values. It is copied, since the
readers that it has do not include ours.

"xarray alone" has the whole dataset in memory, decoded: what xarray itself takes to make a dataset of it and to select.
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


@engine
class xarray_alone(Xr):
    def setup(self):
        import xarray, libcfa.xarray_backend
        from xarray.backends import BackendEntrypoint
        self.xr = xarray
        loaded = xarray.open_dataset(self.path("agg", ".nc"), engine="cfa").load()
        variables = {name: (v.dims, v.values, v.attrs) for name, v in loaded.variables.items()}

        class Memory(BackendEntrypoint):
            def open_dataset(self, filename_or_obj, *, drop_variables=None):
                made = {name: xarray.Variable(*parts) for name, parts in variables.items()}
                data = {"tas": made.pop("tas")}
                return xarray.Dataset(data, coords=xarray.Coordinates(made, indexes={}))

        self.engine = Memory

    def open(self):
        return self.xr.open_dataset("memory", engine=self.engine)


'''
NAMES = ["libcfa", "libcfa_python", "libcfa_xarray", "xarray_alone"]
#: Workload and task with the number of repeats, those that take longer last. xarray imports what it needs in its first
#: read, and is as fast as it gets after a few more.
TASKS = {
    "w1": {"b_slice": "12", "d_region": "6", "c_series": "4", "e_all": "3"},
    "w2": {"b_slice": "12", "c_series": "6", "d_all": "3"},
    "w4": {"b_all": "3"},
}
PEERS = ["netcdf4_python", "xarray_netcdf4", "cfdm", "cfpython", "kerchunk", "icechunk"]
#: The module of each peer that may be absent.
MODULES = {"cfdm": "cfdm", "cfpython": "cf", "kerchunk": "kerchunk", "icechunk": "icechunk"}
#: More than any time.
CUT = 1e9
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
    text = re.sub(r"^PY = \[", 'PY = ["libcfa_python", "libcfa_xarray", "xarray_alone", ', run.read_text(), flags=re.M)
    # Programs are given all tasks, whatever --tasks says.
    run.write_text(text.replace('in s["tasks"].items():', 'in [(t, s["tasks"][t]) for t in self.o.tasks.split(",")]:'))
    return folder


def main(suite, data, python, seconds="60"):
    folder, data = copy(Path(suite)), Path(data).resolve()
    results = BUILD / "python.jsonl"
    results.unlink(missing_ok=True)
    names = NAMES + [name for name in PEERS if name not in MODULES or
                     subprocess.run([python, "-c", f"import {MODULES[name]}"], capture_output=True).returncode == 0]
    if {"kerchunk", "icechunk"} & set(names) and not (data / "w2" / "ice").exists():
        subprocess.run([python, folder / "synth.py", "--dir", data, "--only", "w1,w2"], check=True)
    rows, cut = [], set()
    for workload, tasks in TASKS.items():
        for task, repeats in tasks.items():
            here = [name for name in names if (workload, name) not in cut]
            # Not checked: it ends with an error where a reader was cut off.
            warm = ["--warm"] if task == next(iter(tasks)) else []
            subprocess.run([python, folder / "run.py", "--dir", data, "--python", python, *warm, "--rounds", "1", "--reps",
                            repeats, "--timeout", seconds, "--workloads", workload, "--tasks", task, "--only",
                            ",".join(here), "--libcfa-prog", BUILD / "contest", "--results", results])
            best = least(results, workload, task)
            cut |= {(workload, name) for name in here if best.get(name, 0) == CUT}
            best |= {name: CUT for name in names if (workload, name) in cut}
            base = best["libcfa"]
            ratios = ("cut off" if best.get(name) == CUT else f"{best[name] / base:.2f}" if name in best else "" for name in
                      names[1:])
            rows.append(f"| {workload.upper()} {task} | {base * 1e3:.2f} ms | " + " | ".join(ratios) + " |")
    print("| read | C API | " + " | ".join(names[1:]) + " |")
    print("|---|---:|" + "---:|" * (len(names) - 1))
    print("\n".join(rows))


def least(results, workload, task):
    """Return the least CPU seconds of each reader; CUT for one that was stopped before it had any."""
    best = {}
    for line in results.read_text().splitlines():
        row = json.loads(line)
        if row["workload"] != workload or row["task"] not in (task, "-"):
            continue
        name = row["contestant"]
        if row.get("ok") is False or ("error" in row and not row["error"].startswith("stopped")):
            print(f"bench_python: {workload} {task} {name}: {row.get('error') or 'wrong values'}", file=sys.stderr)
        else:
            best[name] = min(best.get(name, CUT), row.get("cpu", CUT))
    return best


if __name__ == "__main__":
    main(*sys.argv[1:])
