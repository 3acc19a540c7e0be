#!/usr/bin/python3
"""Writes the small files on which the examples of docs/creating.md run: daily files, tiles, ensembles and forecasts.

make_examples.py FOLDER
"""

import os
import sys

import netCDF4
import numpy as np

LAT = [-45.0, 45.0]
LON = [0.0, 120.0, 240.0]


def write(path, name, standard, units, time, epoch, lat, lon, values, attributes=None, **scalars):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with netCDF4.Dataset(path, "w") as nc:
        nc.setncatts({"Conventions": "CF-1.8", **(attributes or {})})
        for dimension, size in (("time", len(time)), ("lat", len(lat)), ("lon", len(lon)), ("bnds", 2)):
            nc.createDimension(dimension, size)
        t = nc.createVariable("time", "f8", ("time",))
        t.units, t.standard_name, t.bounds = f"days since {epoch}", "time", "time_bnds"
        t[:] = time
        nc.createVariable("time_bnds", "f8", ("time", "bnds"))[:] = [[x - 0.5, x + 0.5] for x in time]
        for axis, unit, long, points in (("lat", "degrees_north", "latitude", lat), ("lon", "degrees_east", "longitude", lon)):
            v = nc.createVariable(axis, "f8", (axis,))
            v.units, v.standard_name = unit, long
            v[:] = points
        data = nc.createVariable(name, "f4", ("time", "lat", "lon"), fill_value=1e20)
        data.standard_name, data.units, data.cell_methods = standard, units, "time: mean"
        for scalar, value in scalars.items():
            v = nc.createVariable(scalar, "i4", ())
            v.standard_name = scalar
            v[...] = value
            data.coordinates = scalar
        data[:] = values


def main():
    folder = sys.argv[1]
    first = np.datetime64("2001-01-01")
    for day in range(90):
        date = str(first + day)
        # Each month counts from its own first day.
        epoch, offset = date[:8] + "01", int(date[8:]) - 0.5
        path = f"{folder}/daily/tas_{date.replace('-', '')}.nc"
        write(path, "tas", "air_temperature", "K", [offset], epoch, LAT, LON, 270.0 + day)
    for j, lat in enumerate(([-60.0, -20.0], [20.0, 60.0])):
        for i, lon in enumerate(([0.0, 60.0], [120.0, 180.0, 240.0])):
            path = f"{folder}/tiles/row{j}/psl_{i}.nc"
            values = 1e5 + 10 * j + i
            write(path, "psl", "air_pressure_at_mean_sea_level", "Pa", [0.5, 1.5], "2001-01-01", lat, lon, values)
    for member in range(1, 4):
        common = ("tas", "air_temperature", "K", [0.5], "2001-01-01", LAT, LON, 280.0 + member)
        write(f"{folder}/members/tas_{member}.nc", *common, realization=member)
        write(f"{folder}/runs/r{member}.nc", *common)
    for year in (2001, 2002):
        for part in range(2):
            time = [365.0 * (year - 2001) + 30 * month + 15 for month in range(9 * part, 9 * part + 9)]
            attributes = {"sub_experiment_id": f"s{year}", "tracking_id": f"hdl:{year}-{part}"}
            path = f"{folder}/forecasts/tas_s{year}-r1_{part}.nc"
            write(path, "tas", "air_temperature", "K", time, "2001-01-01", LAT, LON, year + part, attributes)
    for label, lat in (("gn", [-60.0, -20.0, 20.0, 60.0]), ("gr", LAT)):
        for part in range(2):
            path = f"{folder}/grids/tas_{label}_{part}.nc"
            time = [part + 0.5]
            common = ("tas", "air_temperature", "K", time, "2001-01-01", lat, LON, 280.0 + part)
            write(path, *common, attributes={"grid_label": label})


main()
