#!/usr/bin/env python3
"""Compares reads of a whole variable through the GDAL driver with the same reads through the C API, in one process.

    scripts/bench_gdal.py FILE [VARIABLE (tas)] [ROUNDS (10)]

Both open the file and read into the same memory, in turn; minima over the rounds are printed. Needs build/lib/libcfa.so
and build/gdalplugins/gdal_CFA.so of the same build (make build), and a Python with numpy and osgeo.
"""
import ctypes
import os
import resource
import sys
import time
from pathlib import Path

BUILD = Path(__file__).resolve().parents[1] / "build"
os.environ["GDAL_DRIVER_PATH"] = str(BUILD / "gdalplugins")

import numpy as np  # noqa: E402
from osgeo import gdal  # noqa: E402

gdal.UseExceptions()
FLOAT32 = 9
library = ctypes.CDLL(str(BUILD / "lib/libcfa.so"))
library.cfa_last_error.restype = ctypes.c_char_p


def succeed(status):
    if status != 0:
        raise RuntimeError(library.cfa_last_error().decode())


def through_the_c_api(path, name, out):
    dataset, variable = ctypes.c_void_p(), ctypes.c_void_p()
    succeed(library.cfa_dataset_open(path.encode(), None, ctypes.byref(dataset)))
    succeed(library.cfa_dataset_variable_find(dataset, name.encode(), ctypes.byref(variable)))
    start = (ctypes.c_uint64 * out.ndim)()
    count = (ctypes.c_size_t * out.ndim)(*out.shape)
    succeed(library.cfa_variable_read(variable, start, count, None, None, FLOAT32, ctypes.c_size_t(out.nbytes),
                                      out.ctypes.data_as(ctypes.c_void_p), None))
    library.cfa_dataset_free(dataset)


def through_gdal(path, name, out):
    dataset = gdal.OpenEx(path, gdal.OF_MULTIDIM_RASTER, allowed_drivers=["CFA"])
    dataset.GetRootGroup().OpenMDArray(name).ReadAsArray(buf_obj=out)


def cost(read, *what):
    """CPU seconds of all threads, and seconds of the clock."""
    before, begin = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    read(*what)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def main(path, name="tas", rounds=10):
    array = gdal.OpenEx(path, gdal.OF_MULTIDIM_RASTER, allowed_drivers=["CFA"]).GetRootGroup().OpenMDArray(name)
    shape = [dimension.GetSize() for dimension in array.GetDimensions()]
    expected, out = np.zeros(shape, "f4"), np.zeros(shape, "f4")
    through_the_c_api(path, name, expected)
    through_gdal(path, name, out)
    if expected.tobytes() != out.tobytes():
        sys.exit("bench_gdal: the values differ")
    costs = {through_the_c_api: [], through_gdal: []}
    for _ in range(int(rounds)):
        for read, list_of_costs in costs.items():
            list_of_costs.append(cost(read, path, name, out))
    best = {read: [min(column) for column in zip(*costs[read])] for read in costs}
    for n, measure in enumerate(("CPU", "wall")):
        api, driver = best[through_the_c_api][n], best[through_gdal][n]
        print(f"{measure}: C API {1e3 * api:.1f} ms, GDAL driver {1e3 * driver:.1f} ms, ratio {driver / api:.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
