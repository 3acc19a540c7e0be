"""Plain netCDF files and aggregations (CF-1.13) of the same data, for the tests of the GDAL driver."""
import contextlib
from pathlib import Path

import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

RNG = np.random.default_rng(7)


@contextlib.contextmanager
def configured(name, value):
    """GDAL with a configuration option."""
    gdal.SetConfigOption(name, value)
    try:
        yield
    finally:
        gdal.SetConfigOption(name, None)


def copy_attributes(source, target, leave_out=()):
    for name in source.ncattrs():
        if name not in ("_FillValue", *leave_out):
            set_attribute(target, name, source.getncattr(name))


def set_attribute(target, name, value):
    """Set an attribute as it is: newer versions of netCDF4 give missing_value the type of the variable."""
    if name == "missing_value" and isinstance(value, str):
        target.setncattr("given_missing_value", value)
        target.renameAttribute("given_missing_value", name)
    else:
        target.setncattr(name, value)


def copy_variable(source, target, name):
    variable = source[name]
    fill = getattr(variable, "_FillValue", None)
    copy = target.createVariable(name, variable.dtype, variable.dimensions, fill_value=fill)
    copy.set_auto_maskandscale(False)
    variable.set_auto_maskandscale(False)
    copy_attributes(variable, copy)
    copy[...] = variable[...]


def aggregate(plain, path, names, parts=2, axis=0):
    """Write `path`: the file `plain`, but with the variables `names` cut along a dimension into fragments beside it.

    Variables of groups are named by paths.
    """
    plain, path = Path(plain), Path(path)
    with Dataset(plain) as source, Dataset(path, "w") as out:
        source.set_auto_maskandscale(False)
        aggregate_group(source, out, names, path, parts, axis)
    return path


def aggregate_group(source, out, names, path, parts, axis):
    copy_attributes(source, out)
    for dimension in source.dimensions.values():
        out.createDimension(dimension.name, len(dimension))
    places = {name if source.path == "/" else f"{source.path}/{name}": name for name in source.variables}
    for place, name in places.items():
        if place not in names:
            copy_variable(source, out, name)
    for place in names:
        if place in places:
            cut(source, out, places[place], path, parts, axis)
    for name, group in source.groups.items():
        aggregate_group(group, out.createGroup(name), names, path, parts, axis)


def cut(source, out, name, path, parts, axis):
    variable = source[name]
    shape = variable.shape
    parts = min(parts, shape[axis])
    sizes = [len(a) for a in np.array_split(np.arange(shape[axis]), parts)]
    ends = np.cumsum([0, *sizes])
    uris = []
    for k in range(parts):
        file = path.with_name(f"{path.stem}{source.path.rstrip('/').replace('/', '_')}_{name}_{k}.nc")
        uris.append(file.name)
        with Dataset(file, "w") as fragment:
            for i, dimension in enumerate(variable.dimensions):
                fragment.createDimension(dimension, sizes[k] if i == axis else shape[i])
            fill = getattr(variable, "_FillValue", None)
            chunks = tuple(max(1, (sizes[k] if i == axis else n) // 2) for i, n in enumerate(shape))
            copy = fragment.createVariable(name, variable.dtype, variable.dimensions, fill_value=fill, zlib=True,
                                           chunksizes=chunks)
            copy.set_auto_maskandscale(False)
            units = getattr(variable, "units", None)
            if units and not hasattr(variable, "scale_factor"):
                copy.units = units
            if hasattr(variable, "calendar"):
                copy.calendar = variable.calendar
            index = tuple(slice(ends[k], ends[k + 1]) if i == axis else slice(None) for i in range(len(shape)))
            copy[...] = variable[index]
    rank = len(shape)
    grid = [parts if i == axis else 1 for i in range(rank)]
    for i, n in enumerate(grid):
        out.createDimension(f"f_{name}_{i}", n)
    out.createDimension(f"j_{name}", rank)
    out.createDimension(f"i_{name}", parts)
    table = np.ma.masked_all((rank, parts), "i4")
    for i in range(rank):
        table[i, : grid[i]] = sizes if i == axis else shape[i]
    out.createVariable(f"map_{name}", "i4", (f"j_{name}", f"i_{name}"), fill_value=-1)[:] = table
    places = out.createVariable(f"uris_{name}", str, tuple(f"f_{name}_{i}" for i in range(rank)))
    places[...] = np.array(uris, dtype=object).reshape(grid)
    out.createVariable(f"id_{name}", str, ())[...] = name
    fill = getattr(variable, "_FillValue", None)
    data = out.createVariable(name, variable.dtype, (), fill_value=fill)
    copy_attributes(variable, data)
    data.aggregated_dimensions = " ".join(variable.dimensions)
    data.aggregated_data = f"map: map_{name} uris: uris_{name} identifiers: id_{name}"


def axis(file, name, values, **attributes):
    file.createDimension(name, len(values))
    variable = file.createVariable(name, attributes.pop("dtype", "f8"), (name,))
    variable[:] = values
    variable.setncatts(attributes)


def times(file, count=5):
    axis(file, "time", np.arange(count) + 0.5, standard_name="time", units="days since 2001-02-27", calendar="noleap")


def data(file, dimensions=("time", "lat", "lon"), name="tas", dtype="f4", **attributes):
    shape = [len(file.dimensions[d]) for d in dimensions]
    variable = file.createVariable(name, dtype, dimensions, fill_value=attributes.pop("fill", 1e20))
    variable.set_auto_maskandscale(False)
    values = RNG.uniform(-100, 100, shape).astype(dtype)
    values.flat[3] = variable._FillValue
    variable[...] = values
    variable.setncatts({"units": "K", "long_name": "near-surface temperature", **attributes})
    return variable


LAT = dict(standard_name="latitude", units="degrees_north")
LON = dict(standard_name="longitude", units="degrees_east")
X = dict(standard_name="projection_x_coordinate", units="m")
Y = dict(standard_name="projection_y_coordinate", units="m")


def lat_lon(file, lat, lon, **more):
    times(file)
    axis(file, "lat", lat, **LAT, **more)
    axis(file, "lon", lon, **LON, **more)
    data(file)


def ascending(file):
    lat_lon(file, np.arange(-45.0, 46, 10), np.arange(-20.0, 21, 4))


def descending(file):
    lat_lon(file, np.arange(45.0, -46, -10), np.arange(-20.0, 21, 4))


def zero_to_360(file):
    lat_lon(file, np.arange(-85.0, 86, 10), np.arange(0.0, 360, 15))


def beyond_180(file):
    lat_lon(file, np.arange(-45.0, 46, 10), np.arange(190.0, 250, 4))


def single_precision(file):
    lat_lon(file, np.arange(-45.0, 46, 10) / 7, np.arange(-20.0, 21, 4) / 7, dtype="f4")


def uneven_latitude(file):
    lat_lon(file, np.linspace(-45, 45, 10) + 0.02 * np.sin(np.arange(10)), np.arange(-20.0, 21, 4))


def very_uneven(file):
    lat_lon(file, np.array([0.0, 1, 3, 7, 15, 31]), np.arange(-20.0, 21, 4))


def wgs84(file):
    lat_lon(file, np.arange(-45.0, 46, 10), np.arange(-20.0, 21, 4))
    crs = file.createVariable("crs", "i4", ())
    crs.setncatts(dict(grid_mapping_name="latitude_longitude", semi_major_axis=6378137.0, inverse_flattening=298.257223563))
    file["tas"].grid_mapping = "crs"


def projected(file, mapping, x=X, y=Y, scale=1.0):
    times(file)
    axis(file, "y", (np.arange(8) * 5000.0 + 1e6) * scale, **y)
    axis(file, "x", (np.arange(6) * 5000.0 - 2e5) * scale, **x)
    crs = file.createVariable("projection", "i4", ())
    crs.setncatts(mapping)
    data(file, ("time", "y", "x"), grid_mapping="projection")


LAMBERT = dict(grid_mapping_name="lambert_conformal_conic", standard_parallel=np.array([30.0, 60.0]),
               longitude_of_central_meridian=10.0, latitude_of_projection_origin=45.0, false_easting=0.0,
               false_northing=0.0, semi_major_axis=6378137.0, inverse_flattening=298.257223563)


def lambert(file):
    projected(file, LAMBERT)


def mapping_of_named_coordinates(file):
    lambert(file)
    file["tas"].grid_mapping = "projection: x y"


def mappings_of_two_kinds(file):
    lambert(file)
    file.createVariable("sphere", "i4", ()).setncatts(dict(grid_mapping_name="latitude_longitude", earth_radius=6371229.0))
    for name, attributes in (("lat", LAT), ("lon", LON)):
        variable = file.createVariable(name, "f8", ("y", "x"))
        variable[:] = np.arange(48.0).reshape(8, 6)
        variable.setncatts(attributes)
    file["tas"].setncatts(dict(coordinates="lat lon", grid_mapping="sphere: lat lon projection: x y"))


def lambert_in_km(file):
    projected(file, LAMBERT, dict(X, units="km"), dict(Y, units="km"), 1e-3)


def reference_system_on_the_data(file):
    """As files made by rasterio or R have it; names that are not enough otherwise then do."""
    times(file)
    axis(file, "north", np.arange(8) * 5000.0 + 1e6, units="m")
    axis(file, "east", np.arange(6) * 5000.0 - 2e5, units="m")
    data(file, ("time", "north", "east"), crs="+proj=laea +lat_0=52 +lon_0=10 +datum=WGS84",
         res=np.array([5000.0, 5000.0]), transform=np.array([5000.0, 0, -202500.0, 0, -5000.0, 1037500.0]))


def polar_stereographic(file):
    projected(file, dict(grid_mapping_name="polar_stereographic", straight_vertical_longitude_from_pole=-45.0,
                         latitude_of_projection_origin=90.0, standard_parallel=70.0, false_easting=0.0,
                         false_northing=0.0, earth_radius=6371229.0))


def rotated_pole(file):
    times(file)
    axis(file, "rlat", np.arange(-10.0, 11, 2), standard_name="grid_latitude", units="degrees")
    axis(file, "rlon", np.arange(-20.0, 21, 2), standard_name="grid_longitude", units="degrees")
    crs = file.createVariable("rotated_pole", "i4", ())
    crs.setncatts(dict(grid_mapping_name="rotated_latitude_longitude", grid_north_pole_latitude=39.25,
                       grid_north_pole_longitude=-162.0))
    data(file, ("time", "rlat", "rlon"), grid_mapping="rotated_pole")


def rotated_pole_on_a_sphere(file):
    rotated_pole(file)
    file["rotated_pole"].earth_radius = 6371229.0


def two_dimensional(file, dimensions=("y", "x")):
    times(file)
    two_dimensional_plane(file, dimensions)


def two_dimensional_plane(file, dimensions=("y", "x")):
    """Needs the dimension time; lat and lon have these dimensions."""
    file.createDimension("y", 6)
    file.createDimension("x", 8)
    j, i = np.mgrid[0:6, 0:8]
    for name, values, attributes in (("lat", 40 + j + 0.1 * i, LAT), ("lon", 5 + i - 0.1 * j, LON)):
        variable = file.createVariable(name, "f8", dimensions)
        variable[...] = np.broadcast_to(values, variable.shape)
        variable.setncatts(attributes)
    data(file, ("time", "y", "x"), coordinates="lat lon")


def two_dimensional_and_time(file):
    """As the Weather Research and Forecasting model has them."""
    two_dimensional(file, ("time", "y", "x"))


def no_coordinates(file):
    for name, size in (("a", 3), ("b", 6), ("c", 8)):
        file.createDimension(name, size)
    data(file, ("a", "b", "c"))


def bare(file):
    """As little text as can be: the header is small."""
    for name, size in (("t", 2), ("y", 3), ("x", 4)):
        file.createDimension(name, size)
    data(file, ("t", "y", "x"))
    file.delncattr("title")


def levels(file):
    times(file, 3)
    axis(file, "lev", [850.0, 500.0], standard_name="air_pressure", units="hPa", positive="down")
    axis(file, "lat", np.arange(-45.0, 46, 10), **LAT)
    axis(file, "lon", np.arange(-20.0, 21, 4), **LON)
    data(file, ("time", "lev", "lat", "lon"))


def lists_without_entries(file):
    ascending(file)
    for holder in (file, file["tas"], file["lat"]):
        holder.setncattr("nothing", np.array([], "f8"))


def packed(file):
    times(file)
    axis(file, "lat", np.arange(-45.0, 46, 10), **LAT)
    axis(file, "lon", np.arange(-20.0, 21, 4), **LON)
    data(file, dtype="i2", fill=np.int16(-32768), scale_factor=0.01, add_offset=273.15)


def large_integers(file):
    """Numbers that no double has."""
    axis(file, "time", np.array([2**53 + 1, 2**53 + 3]), dtype="i8", standard_name="time", units="ns since 1970-01-01")
    axis(file, "key", np.array([2**64 - 1, 1], "u8"), dtype="u8")
    axis(file, "lat", np.arange(-45.0, 46, 10), **LAT)
    axis(file, "lon", np.arange(-20.0, 21, 4), **LON)
    data(file, ("time", "key", "lat", "lon"), dtype="u8", fill=np.uint64(2**64 - 1), one=np.int64(-(2**63) + 1),
         several=np.array([2**53 + 1, 2**64 - 3], "u8"))


def only_plane(file):
    axis(file, "lat", np.arange(-45.0, 46, 10), **LAT)
    axis(file, "lon", np.arange(-20.0, 21, 4), **LON)
    data(file, ("lat", "lon"))


GEOREFERENCING = (ascending, descending, zero_to_360, beyond_180, single_precision, uneven_latitude, very_uneven, wgs84,
                  lambert, lambert_in_km, polar_stereographic, rotated_pole, rotated_pole_on_a_sphere, two_dimensional,
                  two_dimensional_and_time, no_coordinates, bare, levels, packed, only_plane, reference_system_on_the_data,
                  mapping_of_named_coordinates, mappings_of_two_kinds, large_integers, lists_without_entries)


def make(folder, case, names=("tas",), **how):
    """The paths of a plain file and of its aggregation."""
    folder = Path(folder)
    plain = folder / f"{case.__name__}_plain.nc"
    with Dataset(plain, "w") as file:
        file.Conventions = "CF-1.8"
        file.title = case.__name__
        case(file)
    return str(plain), str(aggregate(plain, folder / f"{case.__name__}.nc", names, **how))
