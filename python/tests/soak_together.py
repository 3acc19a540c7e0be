"""Reads through libcfa in threads beside netCDF4, h5py, rasterio and osgeo.gdal in one process, and compares values.

Usage: ``python soak_together.py SECONDS``. Libraries that are not installed are left out. Each of them has one thread,
since they do not allow more; libcfa has several. Exits with 1 if a value differs or a thread ends with an error.
"""

from __future__ import annotations

import importlib
import importlib.util
import random
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np

import libcfa

Array = np.ndarray[Any, Any]
#: Reads some of the numbers that it chooses by a random source, and returns them with those that they must be.
Read = Callable[[random.Random], tuple[Any, Any]]

FILES, SIZE = 24, 200
LIBCFA_THREADS = 4


def write(folder: Path) -> Array:
    """Write compressed files and their aggregation; return all values."""
    values = np.random.default_rng(7).integers(0, 1000, (FILES, SIZE, SIZE)).astype("f4")
    for n, one in enumerate(values):
        with netCDF4.Dataset(folder / f"part_{n:02}.nc", "w") as file:
            for name, size in (("time", 1), ("y", SIZE), ("x", SIZE)):
                file.createDimension(name, size)
                file.createVariable(name, "f8", (name,))[:] = np.arange(size)
            file["time"].units, file["time"][:] = "days since 2001-01-01", n
            v = file.createVariable("v", "f4", ("time", "y", "x"), zlib=True, chunksizes=(1, 50, 50))
            v[:] = one
    libcfa.create(folder / "all.nc", folder / "part_*.nc")
    return values


def readers(folder: Path, values: Array) -> dict[str, Read]:
    """Return a function for each library, by the name of its thread."""
    kept = libcfa.open(folder / "all.nc")

    def part(choice: random.Random) -> tuple[int, Path]:
        n = choice.randrange(FILES)
        return n, folder / f"part_{n:02}.nc"

    def with_libcfa(choice: random.Random) -> tuple[Any, Any]:
        start, row = choice.randrange(FILES), choice.randrange(SIZE)
        key = (slice(start, start + 5), slice(row, None, choice.randrange(1, 4)), choice.randrange(SIZE))
        if choice.random() < 0.2:
            with libcfa.open(folder / "all.nc") as dataset:
                return dataset["v"][key], values[key]
        return kept["v"][key], values[key]

    def with_netcdf4(choice: random.Random) -> tuple[Any, Any]:
        n, path = part(choice)
        with netCDF4.Dataset(path) as file:
            return file["v"][0], values[n]

    def with_h5py(choice: random.Random) -> tuple[Any, Any]:
        n, path = part(choice)
        with importlib.import_module("h5py").File(path) as file:
            return file["v"][0], values[n]

    def with_rasterio(choice: random.Random) -> tuple[Any, Any]:
        n, path = part(choice)
        with importlib.import_module("rasterio").open(f"netcdf:{path}:v") as file:
            return np.sort(file.read(1), axis=None), np.sort(values[n], axis=None)

    def with_gdal(choice: random.Random) -> tuple[Any, Any]:
        n, path = part(choice)
        gdal = importlib.import_module("osgeo.gdal")
        gdal.UseExceptions()
        # A band is valid as long as its dataset is kept. The driver may turn rows upside down.
        dataset = gdal.Open(f"NETCDF:{path}:v")
        data = np.frombuffer(dataset.GetRasterBand(1).ReadRaster(buf_type=gdal.GDT_Float32), "f4")
        return np.sort(data, axis=None), np.sort(values[n], axis=None)

    found: dict[str, Read] = {f"libcfa {n}": with_libcfa for n in range(LIBCFA_THREADS)}
    found["netCDF4"] = with_netcdf4
    for module, read in (("h5py", with_h5py), ("rasterio", with_rasterio), ("osgeo.gdal", with_gdal)):
        if importlib.util.find_spec(module.partition(".")[0]) is not None:
            found[module] = read
    return found


def soak(found: dict[str, Read], seconds: float) -> tuple[dict[str, int], list[str]]:
    """Read with all of them until the time is up or something is wrong; return the reads of each, and what is wrong."""
    counts = dict.fromkeys(found, 0)
    wrong: list[str] = []
    end = time.monotonic() + seconds

    def run(name: str, read: Read) -> None:
        choice = random.Random(name)
        try:
            while time.monotonic() < end and not wrong:
                got, expected = read(choice)
                if not np.array_equal(got, expected):
                    wrong.append(f"{name}: values differ")
                counts[name] += 1
        except Exception:  # whatever it is, the run has not passed
            wrong.append(f"{name}: {traceback.format_exc()}")

    threads = [threading.Thread(target=run, args=item) for item in found.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counts, wrong


def main() -> int:
    """Run for as many seconds as the argument says."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        counts, wrong = soak(readers(folder, write(folder)), seconds)
    print(", ".join(f"{name}: {count} reads" for name, count in counts.items()))
    print("\n".join(wrong), end="")
    idle = [name for name, count in counts.items() if count == 0]
    if idle and not wrong:
        print(f"nothing was read by {', '.join(idle)}")
    return 1 if wrong or idle else 0


if __name__ == "__main__":
    sys.exit(main())
