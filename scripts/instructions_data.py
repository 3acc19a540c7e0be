#!/usr/bin/python3
"""Writes the small aggregations that scripts/instructions.sh reads.

    instructions_data.py DIRECTORY
"""
import os
import sys

import netCDF4
import numpy as np

SHAPE = (1, 64, 96)


def fragment(path, kind):
    form = "NETCDF3_64BIT_OFFSET" if kind == "classic" else "NETCDF4"
    y, x = np.mgrid[0:SHAPE[1], 0:SHAPE[2]]
    field = np.round(300 + 20 * np.sin(y / 9) + 10 * np.cos(x / 7), 2)[None]
    with netCDF4.Dataset(path, "w", format=form) as file:
        for name, size in zip("tyx", SHAPE):
            file.createDimension(name, size)
        options = dict(zlib=True, shuffle=True, complevel=4, chunksizes=SHAPE) if kind in ("deflated", "packed") else {}
        packed = kind == "packed"
        variable = file.createVariable("v", "i2" if packed else "f4", ("t", "y", "x"),
                                       fill_value=-32767 if packed else 1e20, **options)
        variable.units = "degC" if packed else "K"
        if packed:
            variable.scale_factor, variable.add_offset = 0.01, 25.0
            field = field - 273.15
        variable[:] = field


def aggregation(path, fragment_name, count):
    with netCDF4.Dataset(path, "w") as file:
        for name, size in dict(time=count, lat=SHAPE[1], lon=SHAPE[2], a=3, b=count, ft=count, fy=1, fx=1).items():
            file.createDimension(name, size)
        variable = file.createVariable("v", "f4", (), fill_value=1e20)
        variable.units = "K"
        variable.aggregated_dimensions = "time lat lon"
        variable.aggregated_data = "map: map uris: uris identifiers: identifier"
        sizes = np.ma.masked_all((3, count), "i4")
        sizes[0], sizes[1, 0], sizes[2, 0] = 1, SHAPE[1], SHAPE[2]
        file.createVariable("map", "i4", ("a", "b"))[:] = sizes
        uris = np.full((count, 1, 1), fragment_name, dtype=object)
        file.createVariable("uris", str, ("ft", "fy", "fx"))[:] = uris
        file.createVariable("identifier", str, ())[...] = np.array("v", dtype=object)


def main(directory):
    for kind in ("deflated", "packed", "contiguous", "classic"):
        fragment(os.path.join(directory, f"{kind}_fragment.nc"), kind)
        aggregation(os.path.join(directory, f"{kind}.nc"), f"{kind}_fragment.nc", 100)
    aggregation(os.path.join(directory, "many.nc"), "deflated_fragment.nc", 100_000)


main(sys.argv[1])
