"""What the reports of the benchmarks have in common: raw results, their minima, and the names of the tasks."""
import json

# Workload, task, its name, what the target compares, the target, and the best peer's ratio with its name. The peers
# were measured once, on a quiet machine of the same kind; LIMIT and the C loop are measured in each run.
TASKS = [
    ("w1", "b_slice", "W1 b one slice of a year of daily files", "cpu", 2.0, 2.4, "netCDF4-python"),
    ("w1", "c_series", "W1 c point series over 365 fragments", "cpu", 1.5, 11.0, "netCDF4-python"),
    ("w1", "d_region", "W1 d region, 30 days", "cpu", 1.6, 6.4, "netCDF4-python"),
    ("w1", "e_all", "W1 e whole variable, 404 MB", "wall", 1.3, 14.0, "icechunk"),
    ("w2", "c_series", "W2 c 1,000 small fragments", "cpu", 3.0, 18.0, "C loop"),
    ("w2", "d_all", "W2 d 20,000 small fragments", "cpu", 3.0, 17.0, "C loop"),
    ("w3", "b_strided", "W3 b strided, uncompressed", "cpu", 2.0, 3.4, "C loop"),
    ("w3", "c_all", "W3 c whole 1 GB, uncompressed", "wall", 1.2, 2.4, "C loop"),
    ("w4", "b_all", "W4 packed, mixed units and fills", "wall", 1.5, 5.9, "C loop"),
]
COUNTS = [100, 1000, 10000, 100000, 1000000]


def load(path):
    """The measurements of a file, those that failed left out."""
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    good = [row for row in rows if "error" not in row and row.get("ok") is not False]
    for row in rows:
        if row not in good:
            print(f"not counted: {row}")
    for row in good:
        row["wall"] = row["open"] + row["read"]
    return good


def least(rows, measure, **wanted):
    """The minimum of a measure over the rows that agree with `wanted`; None if there are none."""
    found = [row[measure] for row in rows if all(row.get(key) == value for key, value in wanted.items())]
    return min(found, default=None)
