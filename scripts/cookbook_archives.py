#!/usr/bin/python3
"""Writes the small archives of docs/cookbook.md, and knows what is in each of them as a whole.

    cookbook_archives.py FOLDER

Every value says where it belongs: it is computed from the indices in the whole archive. `ARCHIVES` has a function for
each recipe, which writes the files and returns a `Whole`.
"""

import os
import sys
from dataclasses import dataclass, field
from itertools import pairwise

import cftime
import netCDF4
import numpy as np

LAT = [-60.0, 0.0, 60.0]
LON = [0.0, 90.0, 180.0, 270.0]


@dataclass
class Whole:
    """What the files of an archive are together: data by the name of the variable, and coordinates by theirs.

    Times are texts such as 2001-02-28T12:00. `dims` are the names of the dimensions of the first variable.
    """

    dims: tuple
    data: dict
    coordinates: dict = field(default_factory=dict)


class Writer:
    """Creates the files of an archive in a folder, or, without one, in memory only."""

    def __init__(self, folder=None):
        self.folder = folder

    def file(self, path, **attributes):
        name = os.path.join(self.folder or "", path)
        if self.folder:
            os.makedirs(os.path.dirname(name), exist_ok=True)
        nc = netCDF4.Dataset(name, "w", diskless=not self.folder)
        nc.Conventions = "CF-1.8"
        nc.setncatts(attributes)
        return nc


def put(nc, name, dims, values, kind="f8", **attributes):
    """A variable with its values; its dimensions are created as they are needed."""
    values = np.ma.asanyarray(values)
    for dim, size in zip(dims, values.shape):
        if dim not in nc.dimensions:
            nc.createDimension(dim, size)
    fill = attributes.pop("_FillValue", None)
    variable = nc.createVariable(name, kind, dims, fill_value=fill)
    variable.setncatts(attributes)
    variable[...] = values
    return variable


def time_axis(nc, values, units, calendar="standard", bounds=None, kind="f8"):
    more = {"bounds": "time_bnds"} if bounds is not None else {}
    put(nc, "time", ("time",), values, kind, units=units, calendar=calendar, standard_name="time", axis="T", **more)
    if bounds is not None:
        put(nc, "time_bnds", ("time", "bnds"), bounds)


def globe(nc, lat=LAT, lon=LON):
    put(nc, "lat", ("lat",), lat, units="degrees_north", standard_name="latitude", axis="Y")
    put(nc, "lon", ("lon",), lon, units="degrees_east", standard_name="longitude", axis="X")


def position(*shape, steps, first):
    """The value of every place: `first`, and the step of each dimension times its index."""
    grids = np.indices(shape)
    return first + sum(step * grid for step, grid in zip(steps, grids))


def dates(values, units, calendar="standard"):
    values = np.asarray(values)
    found = cftime.num2date(values.ravel(), units, calendar, only_use_cftime_datetimes=True)
    return np.array([d.isoformat()[:16] for d in found]).reshape(values.shape)


def months(year, count, units, calendar):
    """Middles and bounds of months from January of a year."""
    first = [cftime.datetime(year + m // 12, m % 12 + 1, 1, calendar=calendar) for m in range(count + 1)]
    edges = cftime.date2num(first, units, calendar)
    bounds = np.array([edges[:-1], edges[1:]], "f8").T
    return bounds.mean(axis=1), bounds


def year_axis(nc, year, units, calendar):
    middles, bounds = months(year, 12, units, calendar)
    time_axis(nc, middles, units, calendar, bounds)


def month_dates(year, count, units, calendar):
    return dates(months(year, count, units, calendar)[0], units, calendar)


def facets(variable, table, member="r1i1p1f1", experiment="historical", number=0):
    """Global attributes of a file of CMIP6."""
    return {
        "mip_era": "CMIP6",
        "variable_id": variable,
        "table_id": table,
        "source_id": "DEMO",
        "experiment_id": experiment,
        "variant_label": member,
        "grid_label": "gn",
        "tracking_id": f"hdl:21.14100/{table}-{member}-{number}",
        "title": "DEMO output prepared for CMIP6",
    }


def data_name(variable, table, member, span, experiment="historical"):
    return f"{variable}_{table}_DEMO_{experiment}_{member}_gn_{span}.nc"


AIR = {"standard_name": "air_temperature", "units": "K", "cell_methods": "time: mean"}


def monthly(writer):
    """CMIP6, monthly: a file for each year, a calendar without leap years."""
    units, calendar = "days since 1850-01-01", "noleap"
    tas = position(36, 3, 4, steps=(1, 10, 2.5), first=250)
    for n in range(3):
        year, part = 2001 + n, slice(12 * n, 12 * n + 12)
        name = data_name("tas", "Amon", "r1i1p1f1", f"{year}01-{year}12")
        with writer.file(f"monthly/{name}", **facets("tas", "Amon", number=n)) as nc:
            year_axis(nc, year, units, calendar)
            globe(nc)
            put(nc, "height", (), 2.0, units="m", standard_name="height", positive="up")
            put(nc, "tas", ("time", "lat", "lon"), tas[part], "f4", coordinates="height", _FillValue=1e20, **AIR)
    middles = month_dates(2001, 36, units, calendar)
    return Whole(("time", "lat", "lon"), {"tas": tas}, {"time": middles, "lat": LAT, "lon": LON, "height": 2.0})


def daily(writer):
    """CMIP6, daily: a file for each quarter, each with times of another epoch; one of them lies elsewhere at first."""
    first = np.datetime64("2000-01-01")
    quarters = np.arange("2000-01", "2002-02", 3, dtype="M8[M]").astype("M8[D]")
    edges = (quarters - first).astype(int)
    tasmax = position(edges[-1], 2, 4, steps=(0.125, 10, 2.5), first=273)
    for n, (begin, end) in enumerate(pairwise(edges)):
        names = [str(first + day).replace("-", "") for day in (begin, end - 1)]
        folder = "late" if n == 5 else "daily"
        name = data_name("tasmax", "day", "r1i1p1f1", "-".join(names))
        with writer.file(f"{folder}/{name}", **facets("tasmax", "day", number=n)) as nc:
            days = np.arange(end - begin, dtype="f8")
            time_axis(nc, days + 0.5, f"days since {first + begin}", "standard", np.array([days, days + 1]).T)
            globe(nc, LAT[:2])
            put(nc, "tasmax", ("time", "lat", "lon"), tasmax[begin:end], "f4", **{**AIR, "cell_methods": "time: maximum"})
    days = dates(np.arange(edges[-1]) + 0.5, f"days since {first}")
    return Whole(("time", "lat", "lon"), {"tasmax": tasmax}, {"time": days, "lat": LAT[:2], "lon": LON})


def rotated(writer):
    """A regional model on a rotated pole, with years of 360 days."""
    units, calendar = "days since 1949-12-01", "360_day"
    rlat, rlon = np.array([-6.0, -2.0, 2.0, 6.0]), np.array([-8.0, -4.0, 0.0, 4.0, 8.0])
    lat, lon = _unrotated(rlat, rlon, 39.25, -162.0)
    tas = position(24, 4, 5, steps=(0.5, 5, 1), first=270)
    for n in range(2):
        year = 2001 + n
        name = f"tas_EUR-440_DEMO_historical_r1i1p1_DEMO-RCM_v1_mon_{year}01-{year}12.nc"
        with writer.file(f"rotated/{name}", title="a regional model", driving_experiment="historical") as nc:
            year_axis(nc, year, units, calendar)
            put(nc, "rlat", ("rlat",), rlat, units="degrees", standard_name="grid_latitude", axis="Y")
            put(nc, "rlon", ("rlon",), rlon, units="degrees", standard_name="grid_longitude", axis="X")
            put(nc, "lat", ("rlat", "rlon"), lat, units="degrees_north", standard_name="latitude")
            put(nc, "lon", ("rlat", "rlon"), lon, units="degrees_east", standard_name="longitude")
            pole = {"grid_north_pole_latitude": 39.25, "grid_north_pole_longitude": -162.0}
            put(nc, "rotated_pole", (), 0, "i4", grid_mapping_name="rotated_latitude_longitude", **pole)
            more = {"grid_mapping": "rotated_pole", "coordinates": "lat lon", **AIR}
            put(nc, "tas", ("time", "rlat", "rlon"), tas[12 * n : 12 * n + 12], "f4", **more)
    middles = month_dates(2001, 24, units, calendar)
    coordinates = {"time": middles, "rlat": rlat, "rlon": rlon, "lat": lat, "lon": lon}
    return Whole(("time", "rlat", "rlon"), {"tas": tas}, coordinates)


def _unrotated(rlat, rlon, pole_lat, pole_lon):
    """Geographic latitudes and longitudes of a rotated grid."""
    x, y = np.radians(np.meshgrid(rlon, rlat))
    pole = np.radians(pole_lat)
    lat = np.arcsin(np.sin(pole) * np.sin(y) + np.cos(pole) * np.cos(y) * np.cos(x))
    turn = np.arctan2(np.cos(y) * np.sin(x), np.sin(pole) * np.cos(y) * np.cos(x) - np.cos(pole) * np.sin(y))
    return np.degrees(lat).round(6), ((pole_lon + 180 + np.degrees(turn)) % 360).round(6)


def hybrid(writer):
    """Hybrid sigma-pressure levels: their pressure follows from the surface pressure of each time."""
    units = "days since 2001-01-01"
    ta = position(4, 3, 3, 4, steps=(1, 20, 5, 0.5), first=210)
    ps = position(4, 3, 4, steps=(10, 100, 5), first=100000)
    lev, a, b = [0.1, 0.5, 0.9], [0.1, 0.2, 0.0], [0.0, 0.3, 0.9]
    for n in range(2):
        part, days = slice(2 * n, 2 * n + 2), np.array([0.5, 1.5]) + 2 * n
        with writer.file(f"hybrid/ta_2001010{2 * n + 1}.nc") as nc:
            time_axis(nc, days, units, "standard", np.array([days - 0.5, days + 0.5]).T)
            terms = {"formula_terms": "p0: p0 a: a b: b ps: ps", "positive": "down", "axis": "Z"}
            long = "atmosphere_hybrid_sigma_pressure_coordinate"
            put(nc, "lev", ("lev",), lev, units="1", standard_name=long, **terms)
            put(nc, "a", ("lev",), a)
            put(nc, "b", ("lev",), b)
            put(nc, "p0", (), 100000.0, units="Pa")
            globe(nc)
            put(nc, "ps", ("time", "lat", "lon"), ps[part], "f4", standard_name="surface_air_pressure", units="Pa")
            put(nc, "ta", ("time", "lev", "lat", "lon"), ta[part], "f4", **AIR)
    days = dates(np.arange(4) + 0.5, units)
    coordinates = {"time": days, "lev": lev, "lat": LAT, "lon": LON, "a": a, "b": b, "p0": 100000.0}
    return Whole(("time", "lev", "lat", "lon"), {"ta": ta, "ps": ps}, coordinates)


def ocean(writer):
    """A tripolar grid: latitudes and longitudes, and the corners of cells, on two index dimensions; land is missing."""
    units, calendar = "days since 1850-01-01", "noleap"
    j, i = np.arange(4), np.arange(5)
    lat = 60.0 + 6 * j[:, None] - 1.5 * abs(i - 2)[None, :]
    lon = (70.0 + 72 * i[None, :] + 4 * j[:, None]) % 360
    tos = np.ma.array(position(24, 4, 5, steps=(0.25, 2, 0.5), first=-1))
    tos[:, 1, 2:4] = np.ma.masked
    for n in range(2):
        year = 2001 + n
        name = data_name("tos", "Omon", "r1i1p1f1", f"{year}01-{year}12")
        with writer.file(f"ocean/{name}", **facets("tos", "Omon", number=n)) as nc:
            year_axis(nc, year, units, calendar)
            put(nc, "j", ("j",), j, "i4", units="1", long_name="cell index along second dimension")
            put(nc, "i", ("i",), i, "i4", units="1", long_name="cell index along first dimension")
            for axis, values, unit in (("latitude", lat, "degrees_north"), ("longitude", lon, "degrees_east")):
                more = {"units": unit, "bounds": f"vertices_{axis}"}
                put(nc, axis, ("j", "i"), values, standard_name=axis, **more)
                shift = np.array([-2.0, 2, 2, -2]) if axis == "longitude" else np.array([-3.0, -3, 3, 3])
                put(nc, f"vertices_{axis}", ("j", "i", "vertices"), values[..., None] + shift, units=unit)
            more = {"standard_name": "sea_surface_temperature", "units": "degC", "cell_methods": "area: mean where sea time: mean"}
            more["coordinates"] = "latitude longitude"
            put(nc, "tos", ("time", "j", "i"), tos[12 * n : 12 * n + 12], "f4", _FillValue=1e20, **more)
    middles = month_dates(2001, 24, units, calendar)
    coordinates = {"time": middles, "j": j, "i": i, "latitude": lat, "longitude": lon}
    return Whole(("time", "j", "i"), {"tos": tos}, coordinates)


def ensemble(writer):
    """Members in folders, each with a file for each year; an attribute says which member it is."""
    units, calendar = "days since 1850-01-01", "noleap"
    members = ["r1i1p1f1", "r2i1p1f1", "r10i1p1f1"]
    tas = position(3, 24, 3, 4, steps=(100, 1, 10, 2.5), first=200)
    for m, member in enumerate(members):
        for n in range(2):
            year = 2001 + n
            name = data_name("tas", "Amon", member, f"{year}01-{year}12")
            with writer.file(f"ensemble/{member}/{name}", **facets("tas", "Amon", member, number=n)) as nc:
                year_axis(nc, year, units, calendar)
                globe(nc)
                put(nc, "tas", ("time", "lat", "lon"), tas[m, 12 * n : 12 * n + 12], "f4", **AIR)
    middles = month_dates(2001, 24, units, calendar)
    coordinates = {"member": members, "time": middles, "lat": LAT, "lon": LON}
    return Whole(("member", "time", "lat", "lon"), {"tas": tas}, coordinates)


def hindcasts(writer):
    """Seasonal forecasts: every run has the same lead times, and says when it started."""
    starts = ["2001-05-01", "2001-11-01", "2002-05-01"]
    tas = position(3, 6, 3, 4, steps=(100, 1, 10, 2.5), first=200)
    leads = np.arange(6) * 30.0 + 15
    seconds = (np.array(starts, "M8[D]") - np.datetime64("1970-01-01")).astype("f8") * 86400
    for n, start in enumerate(starts):
        with writer.file(f"hindcasts/tas_{start.replace('-', '')[:6]}.nc") as nc:
            lead = {"standard_name": "forecast_period", "units": "days", "axis": "T"}
            put(nc, "leadtime", ("leadtime",), leads, **lead)
            reference = {"standard_name": "forecast_reference_time", "units": "seconds since 1970-01-01"}
            put(nc, "reftime", (), seconds[n], calendar="standard", **reference)
            put(nc, "valid_time", ("leadtime",), leads, units=f"days since {start}", standard_name="time")
            globe(nc)
            more = {"coordinates": "reftime valid_time", **AIR}
            more["cell_methods"] = "leadtime: mean"
            put(nc, "tas", ("leadtime", "lat", "lon"), tas[n], "f4", **more)
    valid = np.array([dates(leads, f"days since {start}") for start in starts])
    coordinates = {"reftime": dates(seconds, "seconds since 1970-01-01"), "leadtime": leads, "valid_time": valid}
    coordinates |= {"lat": LAT, "lon": LON}
    return Whole(("reftime", "leadtime", "lat", "lon"), {"tas": tas}, coordinates)


def tiles(writer):
    """A map in tiles of a projection, one of which lies elsewhere at first."""
    x, y = np.arange(9) * 1000.0 - 4000, 3000 - np.arange(6) * 1000.0
    ndvi = position(6, 9, steps=(0.0625, 0.03125), first=0.125)
    for v in range(2):
        for h in range(3):
            folder = "late" if (v, h) == (1, 1) else "tiles"
            rows, columns = slice(3 * v, 3 * v + 3), slice(3 * h, 3 * h + 3)
            with writer.file(f"{folder}/ndvi_h{h:02}v{v:02}.nc", title=f"tile {h}, {v}") as nc:
                put(nc, "y", ("y",), y[rows], units="m", standard_name="projection_y_coordinate", axis="Y")
                put(nc, "x", ("x",), x[columns], units="m", standard_name="projection_x_coordinate", axis="X")
                sphere = {"earth_radius": 6371007.181, "longitude_of_projection_origin": 0.0}
                put(nc, "crs", (), 0, "i4", grid_mapping_name="sinusoidal", false_easting=0.0, **sphere)
                more = {"standard_name": "normalized_difference_vegetation_index", "units": "1"}
                put(nc, "ndvi", ("y", "x"), ndvi[rows, columns], "f4", grid_mapping="crs", **more)
    return Whole(("y", "x"), {"ndvi": ndvi}, {"y": y, "x": x})


def packed(writer):
    """A reanalysis: integers, packed anew in every file, hourly, from north to south."""
    lat = LAT[::-1]
    t2m = np.ma.array(position(72, 3, 4, steps=(0.5, 10, 2), first=240))
    t2m[30, 1, 2] = np.ma.masked
    for n, (scale, offset) in enumerate(((0.5, 270.0), (0.25, 275.0), (0.125, 280.0))):
        part = slice(24 * n, 24 * n + 24)
        with writer.file(f"packed/t2m_2001010{n + 1}.nc") as nc:
            # 885,360 hours from 1900 to 2001.
            hours = 885360 + np.arange(24) + 24 * n
            time_axis(nc, hours, "hours since 1900-01-01 00:00:00.0", "gregorian", kind="i4")
            globe(nc, lat)
            more = {"scale_factor": scale, "add_offset": offset, "units": "K", "long_name": "2 metre temperature"}
            put(nc, "t2m", ("time", "lat", "lon"), t2m[part], "i2", _FillValue=np.int16(-32767), **more)
    hours = dates(np.arange(72), "hours since 2001-01-01")
    return Whole(("time", "lat", "lon"), {"t2m": t2m}, {"time": hours, "lat": lat, "lon": LON})


def swaths(writer):
    """An orbit in granules of different length, without coordinates along the track but latitudes and longitudes."""
    lengths = (4, 5, 3)
    bt = position(sum(lengths), 3, steps=(1, 0.25), first=230)
    lat = position(sum(lengths), 3, steps=(5, 0.5), first=-30)
    lon = position(sum(lengths), 3, steps=(-1, 8), first=10)
    begin = 0
    for n, length in enumerate(lengths):
        part = slice(begin, begin + length)
        with writer.file(f"swaths/bt_20010101T0{n}.nc", orbit=100) as nc:
            seconds = np.arange(begin, begin + length) * 600.0 - 3600 * n
            place = {"coordinates": "lat lon scan_time"}
            units = f"seconds since 2001-01-01T0{n}:00:00"
            put(nc, "scan_time", ("scan",), seconds, units=units, standard_name="time", calendar="standard")
            put(nc, "lat", ("scan", "pixel"), lat[part], "f4", units="degrees_north", standard_name="latitude")
            put(nc, "lon", ("scan", "pixel"), lon[part], "f4", units="degrees_east", standard_name="longitude")
            more = {"standard_name": "brightness_temperature", "units": "K"}
            put(nc, "bt", ("scan", "pixel"), bt[part], "f4", **more, **place)
        begin += length
    seconds = dates(np.arange(sum(lengths)) * 600.0, "seconds since 2001-01-01")
    return Whole(("scan", "pixel"), {"bt": bt}, {"scan_time": seconds, "lat": lat, "lon": lon})


STATIONS = [("Bergen", 60.38, 5.33, 12.0), ("Oslo", 59.94, 10.72, 94.0), ("Tromso", 69.65, 18.94, 100.0)]


def stations(writer):
    """A file for each station: a series, and scalars that say which station it is and where."""
    tas = position(3, 10, steps=(100, 0.5), first=200)
    for n, (name, lat, lon, height) in enumerate(STATIONS):
        with writer.file(f"stations/{name.lower()}.nc", featureType="timeSeries") as nc:
            time_axis(nc, np.arange(10) + 0.5, "days since 2001-01-01")
            put(nc, "lat", (), lat, units="degrees_north", standard_name="latitude")
            put(nc, "lon", (), lon, units="degrees_east", standard_name="longitude")
            put(nc, "height", (), height, units="m", standard_name="height")
            nc.createVariable("station_name", str, ())[...] = name
            nc["station_name"].cf_role = "timeseries_id"
            more = {"coordinates": "lat lon height station_name", **AIR}
            put(nc, "tas", ("time",), tas[n], "f4", **more)
    names, lats, lons, heights = zip(*STATIONS)
    coordinates = {"station_name": names, "lat": lats, "lon": lons, "height": heights}
    coordinates["time"] = dates(np.arange(10) + 0.5, "days since 2001-01-01")
    return Whole(("station", "time"), {"tas": tas}, coordinates)


def releases(writer):
    """A folder for each release of a file: one of three files was corrected."""
    units, calendar = "days since 1850-01-01", "noleap"
    tas = position(36, 3, 4, steps=(1, 10, 2.5), first=250)
    for release, years, error in (("v20190101", range(3), 100), ("v20200101", [1], 0)):
        for n in years:
            year, part = 2001 + n, slice(12 * n, 12 * n + 12)
            name = data_name("tas", "Amon", "r1i1p1f1", f"{year}01-{year}12")
            place = f"releases/historical/r1i1p1f1/Amon/tas/gn/{release}"
            wrong = error if n == 1 else 0
            with writer.file(f"{place}/{name}", **facets("tas", "Amon", number=f"{release}-{n}")) as nc:
                year_axis(nc, year, units, calendar)
                globe(nc)
                put(nc, "tas", ("time", "lat", "lon"), tas[part] + wrong, "f4", **AIR)
    middles = month_dates(2001, 36, units, calendar)
    return Whole(("time", "lat", "lon"), {"tas": tas}, {"time": middles, "lat": LAT, "lon": LON})


ARCHIVES = [monthly, daily, rotated, hybrid, ocean, ensemble, hindcasts, tiles, packed, swaths, stations, releases]


def main():
    writer = Writer(sys.argv[1])
    for archive in ARCHIVES:
        archive(writer)


if __name__ == "__main__":
    main()
