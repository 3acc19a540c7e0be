#!/usr/bin/python3
"""Prints the results of `make bench` as Markdown tables, or puts them into a document.

    bench_report.py RESULTS THREADS [--update DOCUMENT]

The document has a line that begins the generated part and one that ends it.
"""
import os
import re
import sys
import time

from bench_figures import COUNTS, TASKS, least, load

# Above this load average a process does not have the cores for itself.
BUSY = 1.5
SHARED = "The machine was shared with other jobs: CPU times hold, wall times and with them the table of threads are upper bounds."
BEGIN, END = "<!-- begin: make bench UPDATE=1 -->", "<!-- end -->"


def seconds(value):
    if value is None:
        return "-"
    if value >= 1:
        return f"{value:.2f} s"
    digits = 2 if value < 0.01 else 1 if value < 0.1 else 0
    return f"{value * 1e3:.{digits}f} ms"


def ratio(value, base):
    return f"{value / base:.2f}" if value and base else "-"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def machine():
    with open("/proc/cpuinfo") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    with open("/proc/meminfo") as file:
        memory = int(file.read().split()[1]) / 2**20
    return f"{os.cpu_count()} cores ({model.group(1) if model else 'unknown'}), {memory:.0f} GiB, Linux"


def contest(rows):
    lines = []
    for workload, task, name, measure, target, peer, peer_name in TASKS:
        wanted = dict(workload=workload, task=task)
        figure = {c: least(rows, measure, contestant=c, **wanted) for c in ("limit", "cloop", "libcfa")}
        other = "wall" if measure == "cpu" else "cpu"
        both = {c: least(rows, other, contestant=c, **wanted) for c in ("limit", "libcfa")}
        lines.append([
            name, {"cpu": "CPU", "wall": "wall"}[measure], seconds(figure["limit"]), seconds(figure["libcfa"]),
            f"**{ratio(figure['libcfa'], figure['limit'])}**", f"{target}",
            f"{ratio(both['libcfa'], both['limit'])} {other.replace('cpu', 'CPU')}",
            ratio(figure["cloop"], figure["limit"]), f"{peer:g} ({peer_name})",
        ])
    return table(["read", "measure", "LIMIT", "libcfa", "ratio", "target", "other measure", "C loop", "best peer"], lines)


def scaling(rows):
    lines = []
    for count in COUNTS:
        cells = [f"{count:,}"]
        for task in ("open", "slab"):
            wanted = dict(workload="w6", suffix=f"_{count}", task=task, contestant="libcfa")
            memory = least(rows, "rss_kb", **wanted)
            cells += [seconds(least(rows, "wall", **wanted)), seconds(least(rows, "cpu", **wanted)),
                      f"{memory / 1024:.1f} MB" if memory else "-"]
        cells.append(seconds(least(rows, "cpu", workload="w6", suffix=f"_{count}", task="slab", contestant="cloop")))
        lines.append(cells)
    return table(["fragments", "open, wall", "CPU", "memory", "open and read one, wall", "CPU", "memory",
                  "C loop, CPU"], lines)


def threads(rows):
    lines = []
    for workload, task, name, *_ in TASKS:
        walls = [least(rows, "wall", workload=workload, task=task, threads=n) for n in (1, 2, 4)]
        if walls[0]:
            lines.append([name, *map(seconds, walls), ratio(walls[0], walls[1]), ratio(walls[0], walls[2])])
    return table(["read, wall", "1 thread", "2 threads", "4 threads", "1 / 2", "1 / 4"], lines)


def main():
    results, by_threads = load(sys.argv[1]), load(sys.argv[2])
    load_average = max((row["load1"] for row in results), default=0)
    text = "\n".join([
        BEGIN, "",
        f"Measured {time.strftime('%Y-%m-%d')}: {machine()}; load average up to {load_average:.1f}, page cache warm, "
        "minima over the rounds.",
        *([SHARED] if load_average > BUSY else []), "",
        *contest(results), "", "## Fragments", "", *scaling(results), "", "## Threads", "", *threads(by_threads), "", END,
    ])
    if "--update" not in sys.argv:
        print(text)
        return
    document = sys.argv[sys.argv.index("--update") + 1]
    with open(document) as file:
        before, rest = file.read().split(BEGIN)
    with open(document, "w") as file:
        file.write(before + text + rest.split(END, 1)[1])


main()
