"""Files like those of CMIP6, divided as archives divide them. Each case is a folder; `CASES` maps it to its maker."""

import os

import netCDF4
import numpy as np

MONTHS = {
    "standard": ([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], True),
    "noleap": ([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], False),
    "360_day": ([30] * 12, False),
}


class File:
    """A file that is being written; names of dimensions are made as variables need them."""

    def __init__(self, folder, name):
        os.makedirs(folder, exist_ok=True)
        self.nc = netCDF4.Dataset(os.path.join(folder, name), "w")
        self.nc.setncatts({"Conventions": "CF-1.7 CMIP-6.2", "source_id": "model", "tracking_id": name})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.nc.close()

    def put(self, name, dimensions, values, fill_value=None, stored=None, **attributes):
        """Adds a variable; `stored` is its type when the values are to be packed by its attributes."""
        values = np.ma.asanyarray(values)
        for dimension, size in zip(dimensions, values.shape):
            if dimension not in self.nc.dimensions:
                self.nc.createDimension(dimension, None if dimension == "time" else size)
        variable = self.nc.createVariable(name, stored or values.dtype, dimensions, fill_value=fill_value)
        variable.setncatts(attributes)
        if values.size:
            variable[...] = values

    def time(self, first, sizes, calendar="standard", epoch=0, units="days since 1999-12-31", hours=False):
        """Months as days since an epoch that lies `epoch` days after the usual one, with bounds."""
        edges = first + np.concatenate([[0.0], np.cumsum(sizes)]) - epoch
        scale = 24.0 if hours else 1.0
        cells = np.stack([edges[:-1], edges[1:]], axis=1) * scale
        self.put("time", ("time",), cells.mean(axis=1), standard_name="time", axis="T", bounds="time_bnds",
                 units=units, calendar=calendar)
        self.put("time_bnds", ("time", "bnds"), cells)

    def axis(self, name, values, standard_name, units, axis, bounds=True):
        values = np.asarray(values, "f8")
        more = {"bounds": name + "_bnds"} if bounds else {}
        self.put(name, (name,), values, standard_name=standard_name, units=units, axis=axis, **more)
        if bounds:
            half = abs(values[1] - values[0]) / 2 if len(values) > 1 else 5.0
            self.put(name + "_bnds", (name, "bnds"), np.stack([values - half, values + half], axis=1))

    def height(self):
        self.put("height", (), np.float64(2.0), standard_name="height", units="m", positive="up", axis="Z")


def data(*shape, base=0.0):
    """Numbers that differ everywhere."""
    return (base + np.arange(int(np.prod(shape)), dtype="f8").reshape(shape) / 8).astype("f4")


LAT, LON = np.arange(-60.0, 61.0, 30.0), np.arange(0.0, 360.0, 60.0)


def series(folder, calendar, names, epochs=False, **options):
    """A file for every year, 2000 (a leap year) and 2001; with `epochs`, each with its own reference time."""
    lengths, leaps = MONTHS[calendar]
    begin = 0.0 if calendar == "360_day" else 1.0
    for number, name in enumerate(names):
        sizes = np.array(lengths, "f8")
        if leaps and number == 0:
            sizes[1] = 29
        with File(folder, name) as file:
            if epochs and number:
                file.time(begin, sizes, calendar, epoch=begin, units="hours since 2001-01-01", hours=True)
            else:
                units = "days since 2000-01-01" if calendar == "360_day" else "days since 1999-12-31"
                file.time(begin, sizes, calendar, units=units)
            file.axis("lat", LAT, "latitude", "degrees_north", "Y")
            file.axis("lon", LON, "longitude", "degrees_east", "X")
            file.height()
            values = data(12, len(LAT), len(LON), base=1000.0 * number)
            file.put("tas", ("time", "lat", "lon"), np.ma.masked_where(values == 1000.5, values), fill_value=1e20,
                     standard_name="air_temperature", units="K", coordinates="height", cell_methods="area: time: mean",
                     missing_value=np.float32(1e20), **options)
        begin += sizes.sum()


def monthly(folder):
    series(folder, "standard", ["tas_2000.nc", "tas_2001.nc"])


def epochs(folder):
    series(folder, "standard", ["tas_2000.nc", "tas_2001.nc"], epochs=True)


def noleap(folder):
    series(folder, "noleap", ["tas_2000.nc", "tas_2001.nc"])


def days360(folder):
    series(folder, "360_day", ["tas_2000.nc", "tas_2001.nc"])


def rotated(folder):
    """A rotated pole with two-dimensional latitudes and longitudes, their vertices, cell areas and an ancillary variable."""
    rlat, rlon = np.arange(-2.0, 2.1, 1.0), np.arange(-3.0, 3.1, 1.0)
    lat, lon = 50 + rlat[:, None] + 0.1 * rlon, 10 + rlon + 0.2 * rlat[:, None]
    corners = np.array([[-0.5, -0.5], [-0.5, 0.5], [0.5, 0.5], [0.5, -0.5]])
    for number in range(3):
        with File(folder, f"rotated_{number}.nc") as file:
            file.time(1.0 + 30 * number, [30.0])
            file.axis("rlat", rlat, "grid_latitude", "degrees", "Y")
            file.axis("rlon", rlon, "grid_longitude", "degrees", "X")
            plane = ("rlat", "rlon")
            for name, values, side in (("lat", lat, 0), ("lon", lon, 1)):
                words = {"lat": ("latitude", "degrees_north"), "lon": ("longitude", "degrees_east")}[name]
                file.put(name, plane, values, standard_name=words[0], units=words[1], bounds=name + "_vertices")
                file.put(name + "_vertices", plane + ("vertices",), values[..., None] + corners[:, side])
            file.put("rotated_pole", (), np.int32(0), grid_mapping_name="rotated_latitude_longitude",
                     grid_north_pole_latitude=39.25, grid_north_pole_longitude=-162.0)
            file.put("areacella", plane, np.cos(np.radians(lat)) * 1e10, standard_name="cell_area", units="m2")
            file.height()
            shape = (1, len(rlat), len(rlon))
            words = {"coordinates": "lat lon height", "grid_mapping": "rotated_pole", "cell_measures": "area: areacella"}
            file.put("tas", ("time",) + plane, data(*shape, base=100.0 * number), standard_name="air_temperature",
                     units="K", ancillary_variables="tas_err", cell_methods="time: mean", **words)
            file.put("tas_err", ("time",) + plane, data(*shape, base=-50.0 * number), units="K",
                     standard_name="air_temperature standard_error", **words)


def hybrid(folder):
    """Hybrid levels, with terms of the bounds, and a surface pressure that has time."""
    full, half = np.array([0.9, 0.6, 0.2]), np.array([1.0, 0.8, 0.4, 0.0])
    for number in range(2):
        with File(folder, f"ta_{number}.nc") as file:
            file.time(1.0 + 60 * number, [31.0, 29.0] if number == 0 else [31.0, 30.0])
            file.put("lev", ("lev",), full, standard_name="atmosphere_hybrid_sigma_pressure_coordinate", units="1",
                     positive="down", axis="Z", bounds="lev_bnds", formula="p = a*p0 + b*ps",
                     formula_terms="a: a b: b p0: p0 ps: ps")
            cells = np.stack([half[:-1], half[1:]], axis=1)
            file.put("lev_bnds", ("lev", "bnds"), cells, formula_terms="a: a_bnds b: b_bnds p0: p0 ps: ps")
            file.put("a", ("lev",), 0.3 * full, long_name="a")
            file.put("b", ("lev",), 0.7 * full, long_name="b")
            file.put("a_bnds", ("lev", "bnds"), 0.3 * cells)
            file.put("b_bnds", ("lev", "bnds"), 0.7 * cells)
            file.put("p0", (), np.float64(100000.0), long_name="reference pressure", units="Pa")
            file.axis("lat", LAT, "latitude", "degrees_north", "Y")
            file.axis("lon", LON, "longitude", "degrees_east", "X")
            shape = (2, len(LAT), len(LON))
            file.put("ps", ("time", "lat", "lon"), data(*shape, base=1e5 + 100 * number), units="Pa",
                     standard_name="surface_air_pressure", cell_methods="time: mean")
            file.put("ta", ("time", "lev", "lat", "lon"), data(2, 3, *shape[1:], base=1000.0 * number), units="K",
                     standard_name="air_temperature", cell_methods="time: mean")


def grid(folder, encode):
    """Uneven tiles in time, latitude and longitude; `encode` returns the values and attributes that the tile stores."""
    lats, lons = (LAT[:2], LAT[2:]), (LON[:1], LON[1:4], LON[4:])
    for t, steps in enumerate((1, 2)):
        for j, lat in enumerate(lats):
            for i, lon in enumerate(lons):
                with File(folder, f"ts_{t}{j}{i}.nc") as file:
                    file.time(1.0 + t, [1.0] * steps)
                    file.axis("lat", lat, "latitude", "degrees_north", "Y", bounds=False)
                    file.axis("lon", lon, "longitude", "degrees_east", "X", bounds=False)
                    values = data(steps, len(lat), len(lon), base=250.0 + 10 * (t + 2 * j + 4 * i))
                    values, words = encode(j, i, values)
                    file.put("ts", ("time", "lat", "lon"), values, standard_name="surface_temperature", **words)


def tiles(folder):
    grid(folder, lambda j, i, values: (values, {"units": "K"}))


def packed(folder):
    """Tiles that are packed, each in its own way and with its own missing value."""

    def encode(j, i, values):
        words = {"units": "K", "scale_factor": 0.125, "add_offset": 200.0 + 25 * j, "stored": "i2",
                 "fill_value": np.int16(-32768 + i)}
        return np.ma.masked_where(values == values.min(), values), words

    grid(folder, encode)


def units(folder):
    """Tiles in different units."""

    def encode(j, i, values):
        if (j, i) == (1, 1):
            return values - np.float32(273.15), {"units": "degC"}
        return values, {"units": "K"}

    grid(folder, encode)


def ensemble(folder):
    """Members distinguished by a scalar coordinate."""
    for member in (3, 1, 2):
        with File(folder, f"r{member}.nc") as file:
            file.time(1.0, [31.0, 29.0])
            file.axis("lat", LAT, "latitude", "degrees_north", "Y")
            file.put("realization", (), np.int32(member), standard_name="realization", units="1")
            file.put("tas", ("time", "lat"), data(2, len(LAT), base=100.0 * member), standard_name="air_temperature",
                     units="K", coordinates="realization")


def stations(folder):
    """Time series at stations with names; a row of characters each."""
    names = np.array([list("Ulm   "), list("Potsdam"[:6])], "S1")
    for number in range(2):
        with File(folder, f"stations_{number}.nc") as file:
            file.time(1.0 + 3 * number, [1.0, 1.0, 1.0])
            file.put("station_name", ("station", "strlen"), names, standard_name="platform_name", cf_role="timeseries_id")
            file.put("lat", ("station",), np.array([48.4, 52.4]), standard_name="latitude", units="degrees_north")
            file.put("lon", ("station",), np.array([10.0, 13.1]), standard_name="longitude", units="degrees_east")
            file.put("tas", ("time", "station"), data(3, 2, base=10.0 * number), standard_name="air_temperature",
                     units="K", coordinates="station_name lat lon")


def climatology(folder):
    """Climatological time, and two cell methods of one quantity in one file."""
    for number in range(2):
        with File(folder, f"season_{number}.nc") as file:
            mid = np.array([45.0 + 90 * number])
            file.put("time", ("time",), mid, standard_name="time", units="days since 1960-01-01", calendar="standard",
                     climatology="climatology_bounds")
            file.put("climatology_bounds", ("time", "nv"), np.array([[mid[0] - 45, mid[0] + 10912]]))
            file.axis("lat", LAT, "latitude", "degrees_north", "Y")
            for name, method in (("tmin", "minimum"), ("tmax", "maximum")):
                file.put(name, ("time", "lat"), data(1, len(LAT), base=100.0 * number + len(name + method)), units="K",
                         standard_name="air_temperature",
                         cell_methods=f"time: {method} within years time: mean over years")


def groups(folder):
    """Data in groups, with coordinates in the root, in the group and in one of its own."""
    for number in range(2):
        with File(folder, f"groups_{number}.nc") as file:
            file.time(1.0 + 2 * number, [1.0, 1.0])
            file.axis("lat", LAT, "latitude", "degrees_north", "Y")
            root = file.nc
            file.nc = root.createGroup("forecast")
            file.height()
            words = {"units": "K", "cell_methods": "time: mean"}
            tas = file.nc.createVariable("tas", "f4", ("time", "lat"))
            tas.setncatts({"standard_name": "air_temperature", "coordinates": "height", **words})
            tas[...] = data(2, len(LAT), base=100.0 * number)
            file.nc = file.nc.createGroup("ocean")
            file.put("depth", ("depth",), np.array([5.0, 10.0]), standard_name="depth", units="m", positive="down")
            thetao = file.nc.createVariable("thetao", "f4", ("time", "depth"))
            thetao.setncatts({"standard_name": "sea_water_potential_temperature", **words})
            thetao[...] = data(2, 2, base=50.0 * number)
            file.nc = root


def forecast(folder, name, start, epoch=0, reference=False, **attributes):
    """Months of two years from a start, in days since 1999-12-31 or another epoch."""
    with File(folder, name) as file:
        file.nc.setncatts(attributes)
        units = f"days since {2000 + start}-01-01" if epoch else "days since 2000-01-01"
        first = 0.0 if epoch else float([0, 366, 731][start])
        file.put("time", ("time",), first + 30.0 * np.arange(24), standard_name="time", units=units, calendar="standard")
        file.axis("lat", LAT, "latitude", "degrees_north", "Y")
        file.axis("lon", LON, "longitude", "degrees_east", "X")
        words = {}
        if reference:
            file.put("reftime", (), np.float64(first), standard_name="forecast_reference_time", calendar="standard",
                     units="days since 2000-01-01")
            words["coordinates"] = "reftime"
        file.put("tas", ("time", "lat", "lon"), data(24, len(LAT), len(LON), base=1000.0 * start), units="K",
                 standard_name="air_temperature", **words)


def starts(folder):
    """Forecasts from several starts, which their files name."""
    for start in range(3):
        forecast(folder, f"s{start}.nc", start, sub_experiment_id=f"s{2000 + start}")


def start_epochs(folder):
    """The same times from another epoch in each file."""
    for start in range(3):
        forecast(folder, f"s{start}.nc", start, epoch=1)


def reference_times(folder):
    """Forecasts with a scalar time of their start."""
    for start in range(3):
        forecast(folder, f"s{start}.nc", start, reference=True)


def grids(folder):
    """One variable on two grids, in two files each."""
    for number in range(2):
        for label, lat, lon in (("gn", LAT, LON), ("gr", LAT[::2], LON[::2])):
            with File(folder, f"tas_{label}_{number}.nc") as file:
                file.nc.grid_label = label
                file.time(1.0 + 30 * number, [30.0])
                file.axis("lat", lat, "latitude", "degrees_north", "Y")
                file.axis("lon", lon, "longitude", "degrees_east", "X")
                values = data(1, len(lat), len(lon), base=100.0 * number + len(lat))
                file.put("tas", ("time", "lat", "lon"), values, units="K", standard_name="air_temperature")


# Cases in which one name stands for several fields.
APART = {case.__name__: case for case in (starts, start_epochs, reference_times, grids)}

CASES = {case.__name__: case for case in (monthly, epochs, noleap, days360, rotated, hybrid, tiles, packed, units,
                                          ensemble, stations, climatology, groups)}
