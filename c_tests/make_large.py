"""Writes aggregations that take a while to read: `many` fragments that are the same file, and `one` large fragment.

Row y of both has the numbers of row y % ROWS of the piece:
element (y, x) is (i * 7919) % 10007 with i = y % ROWS * COLUMNS + x.
"""

import os
import sys

import netCDF4
import numpy

MANY, ROWS, COLUMNS = 60, 400, 1000


def write_pieces():
    numbers = (numpy.arange(ROWS * COLUMNS) * 7919 % 10007).reshape(ROWS, COLUMNS).astype("f4")
    for name, times in [("piece.nc", 1), ("whole.nc", MANY)]:
        with netCDF4.Dataset(name, "w") as file:
            file.createDimension("y", times * ROWS)
            file.createDimension("x", COLUMNS)
            variable = file.createVariable("v", "f4", ("y", "x"), zlib=True, complevel=1, chunksizes=(100, COLUMNS))
            variable[:] = numpy.tile(numbers, (times, 1))


def write_aggregation():
    with netCDF4.Dataset("large.nc", "w") as file:
        for name, size in [("y", MANY * ROWS), ("x", COLUMNS), ("f_x", 1), ("j", 2)]:
            file.createDimension(name, size)
        for name, fragments, uri in [("many", MANY, "piece.nc"), ("one", 1, "whole.nc")]:
            file.createDimension(f"f_{name}", fragments)
            variable = file.createVariable(name, "f4")
            variable.aggregated_dimensions = "y x"
            variable.aggregated_data = f"map: {name}_map uris: {name}_uris identifiers: {name}_ids"
            sizes = file.createVariable(f"{name}_map", "i4", ("j", f"f_{name}"), fill_value=-1)
            sizes[0] = MANY * ROWS // fragments
            sizes[1] = [COLUMNS] + [-1] * (fragments - 1)
            for feature, text in [("uris", uri), ("ids", "v")]:
                texts = file.createVariable(f"{name}_{feature}", str, (f"f_{name}", "f_x"))
                for i in range(fragments):
                    texts[i, 0] = text


os.chdir(sys.argv[1])
write_pieces()
write_aggregation()
