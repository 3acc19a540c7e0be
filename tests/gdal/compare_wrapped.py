"""Wrap netCDF files in aggregations of one fragment each, and compare how the driver and GDAL's netCDF driver show them.

    compare_wrapped.py FOLDER [NAME...]    every netCDF file in the folder, or these

Each variable with two dimensions or more becomes an aggregation variable whose only fragment is that variable of the
file itself, or for packed data a copy of its numbers. Rasters and multidimensional arrays are compared, with their
descriptions and values. The reasons for differences that are meant are in DIFFERENCES; the script fails if there is
another one.
"""
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

import fixtures

gdal.UseExceptions()

# What differs, as a pattern of "PLACE: netCDF driver | this driver", and why: docs/gdal.md has the list.
DIFFERENCES = [
    (r"^array .*/no-data: None \|", "missing data of fragments are filled with it"),
    (r"^raster .*/noDataValue: None \| ", "that filling was turned off is not seen"),
    (r"^raster .*/noDataValue: [-0-9.e+]+ \| None$", "no number of the type"),
    (r"^array .*/dimensions/\d+/2: '' \| 'HORIZONTAL_[XY]'$", "named like an axis"),
    (r"^raster .*/metadata//.*#(scale_factor|add_offset|_Unsigned): '.*' \| None$", "coordinates are shown unpacked"),
    (r"/metadata//NETCDF_DIM_.*: .* \| '{?nan", "a missing coordinate is no number"),
    (r"NULL", "strings that are missing are empty"),
    (r"^array .*/values/all one number: ", "the fragment's valid range applies"),
    (r"no error \| .*data are missing, and the variable has no missing value", "a byte out of the valid range"),
    (r"^array .*/system/0: .*UNIT\[", "in units of the coordinates"),
    (r"^raster \S*\b(lat|lon|latitude|longitude|nav_lat|nav_lon)/", "coordinates as a raster of their own"),
    (r"/metadata/GEOLOCATION: \{.* \| None$", "no attribute names these arrays of coordinates"),
    (r"^raster (reflectance/|.*/turned: )", "images of EMIT and PACE are not turned"),
    (r"/metadata///.*/.*: .* \| None$", "coordinates in a group beside"),
]
if tuple(int(n) for n in gdal.VersionInfo("RELEASE_NAME").split(".")[:2]) < (3, 7):
    DIFFERENCES += [(r"PIXELTYPE|'Byte' \| 'Int16'", "signed bytes have no type before 3.7"),
                    (r"no error \| Point outside of projection domain|^array .*/system: None \|", "a grid mapping in another group is found"),
                    (r"^raster .*/values(/all one number)?: int", "limits with fractions do not apply to integers")]

# Statuses of the process for one file.
DOCUMENTED, DIFFERENT, NOT_COMPARED = 10, 11, 12


class CannotWrap(Exception):
    """A file that has nothing to aggregate, or that netCDF4 cannot copy."""


def wrap(plain, path):
    """Write `path`: the file `plain`, with aggregation variables whose fragments are its own."""
    count = 0
    with Dataset(plain) as source, Dataset(path, "w") as out:
        for group, copy in groups(source, out):
            count += wrap_group(group, copy, plain.name)
    if not count:
        raise CannotWrap("no variable with two dimensions")


def groups(source, out):
    yield source, out
    for name, group in source.groups.items():
        yield from groups(group, out.createGroup(name))


def wrap_group(source, out, location):
    fixtures.copy_attributes(source, out)
    for dimension in source.dimensions.values():
        out.createDimension(dimension.name, len(dimension))
    count = 0
    for name, variable in source.variables.items():
        variable.set_auto_maskandscale(False)
        variable.set_auto_chartostring(False)
        if variable._vltype is not None if hasattr(variable, "_vltype") else False:
            continue
        dtype = variable.dtype
        if dtype is not str and (not isinstance(dtype, np.dtype) or dtype.kind not in "iufS" or variable._isenum):
            continue
        fill = getattr(variable, "_FillValue", None)
        if len(variable.shape) < 2 or dtype is str or dtype.kind == "S" or 0 in variable.shape:
            copy = out.createVariable(name, dtype, variable.dimensions, fill_value=fill)
            copy.set_auto_maskandscale(False)
            copy.set_auto_chartostring(False)
            fixtures.copy_attributes(variable, copy)
            if 0 not in variable.shape:
                copy[...] = variable[...]
            continue
        packed = any(name in variable.ncattrs() for name in ("scale_factor", "add_offset"))
        aggregate(variable, out, stored_numbers(variable, location, fill) if packed else location, fill)
        count += 1
    return count


def stored_numbers(variable, location, fill):
    """Write a file with the numbers of a packed variable: fragments are unpacked if they say how."""
    folder = Path(variable.group().filepath()).parent
    name = f"{location}.{variable.group().path.replace('/', '_')}.{variable.name}.nc"
    with Dataset(folder / name, "w") as out:
        group = out.createGroup(variable.group().path) if variable.group().path != "/" else out
        for dimension, size in zip(variable.dimensions, variable.shape):
            if dimension not in group.dimensions:
                group.createDimension(dimension, size)
        copy = group.createVariable(variable.name, variable.dtype, variable.dimensions, fill_value=fill)
        copy.set_auto_maskandscale(False)
        copy[...] = variable[...]
    return name


def aggregate(variable, out, location, fill):
    name, rank = variable.name, len(variable.shape)
    for dimension, size in ((f"cfa_j_{name}", rank), (f"cfa_i_{name}", 1), *((f"cfa_f{i}_{name}", 1) for i in range(rank))):
        out.createDimension(dimension, size)
    out.createVariable(f"cfa_map_{name}", "i4", (f"cfa_j_{name}", f"cfa_i_{name}"))[:] = np.array(variable.shape)[:, None]
    grid = tuple(f"cfa_f{i}_{name}" for i in range(rank))
    out.createVariable(f"cfa_uris_{name}", str, grid)[...] = np.full((1,) * rank, location, dtype=object)
    group = variable.group().path.rstrip("/")
    out.createVariable(f"cfa_ids_{name}", str, ())[...] = f"{group}/{name}" if group else name
    data = out.createVariable(name, variable.dtype, (), fill_value=fill)
    fixtures.copy_attributes(variable, data)
    data.aggregated_dimensions = " ".join(variable.dimensions)
    prefix = f"{group}/" if group else ""
    data.aggregated_data = f"map: {prefix}cfa_map_{name} uris: {prefix}cfa_uris_{name} identifiers: {prefix}cfa_ids_{name}"


# What belongs to the aggregation and not to the data.
OURS = re.compile(r"aggregated_(dimensions|data)$|.*#aggregated_(dimensions|data)$")


def raster(name, path, names):
    """What GDAL says of a raster, without names of drivers and files."""
    dataset = gdal.Open(name)
    info = gdal.Info(dataset, format="json")
    # The corners follow from the transform.
    for key in ("description", "driverShortName", "driverLongName", "files", "stac", "cornerCoordinates", "wgs84Extent"):
        info.pop(key, None)
    for band in info["bands"]:
        band.pop("block")
        # The netCDF driver leaves it empty.
        band.pop("description", None)
    info["metadata"].pop("SUBDATASETS", None)
    text = json.dumps(info).replace('"-nan"', '"nan"').replace(json.dumps(str(path))[1:-1], "FILE")
    info = json.loads(re.sub(r'(NETCDF|CFA):\\"?FILE\\"?', "FILE", text))
    for metadata in [info["metadata"].get("", {}), *(band.get("metadata", {}).get("", {}) for band in info["bands"])]:
        for key in [key for key in metadata if OURS.match(key)]:
            del metadata[key]
    info["values"] = dataset.ReadAsArray() if names else None
    return info


def subdatasets(path, driver):
    dataset = gdal.OpenEx(str(path), gdal.OF_RASTER, allowed_drivers=[driver])
    listed = dataset.GetMetadata("SUBDATASETS") or {}
    return [listed[key].rsplit(":", 1)[1] for key in listed if key.endswith("_NAME")], dataset.RasterCount


def array(group, name):
    """What GDAL says of a multidimensional array."""
    found = group.OpenMDArrayFromFullname(name)
    described = {
        "type": str(gdal.GetDataTypeName(found.GetDataType().GetNumericDataType())),
        "dimensions": [(d.GetFullName(), d.GetSize(), d.GetType(), d.GetDirection()) for d in found.GetDimensions() or ()],
        "unit": found.GetUnit(), "scale": found.GetScale(), "offset": found.GetOffset(),
        "no-data": found.GetNoDataValueAsDouble() if found.GetNoDataValueAsRaw() is not None else None,
        "attributes": {a.GetName(): a.Read() for a in found.GetAttributes() or () if not OURS.match(a.GetName())},
    }
    system = found.GetSpatialRef()
    described["system"] = system and (system.ExportToWkt(), system.GetDataAxisToSRSAxisMapping())
    if found.GetDataType().GetClass() == gdal.GEDTC_NUMERIC:
        described["values"] = found.ReadAsArray()
    return described


def arrays(path, driver):
    root = gdal.OpenEx(str(path), gdal.OF_MULTIDIM_RASTER, allowed_drivers=[driver]).GetRootGroup()
    names = []
    pending = [root]
    while pending:
        group = pending.pop()
        prefix = group.GetFullName().rstrip("/")
        names += [f"{prefix}/{name}" for name in group.GetMDArrayNames() or ()]
        pending += [group.OpenGroup(name) for name in group.GetGroupNames() or ()]
    return root, names


def differences(expected, found, place=""):
    """The leaves in which two descriptions differ."""
    if isinstance(expected, dict) and isinstance(found, dict):
        if "error" in found:
            yield place, "no error", found["error"]
            return
        for key in sorted({*expected, *found}, key=str):
            yield from differences(expected.get(key), found.get(key), f"{place}/{key}")
    elif isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)) and len(expected) == len(found):
        for number, pair in enumerate(zip(expected, found)):
            yield from differences(*pair, f"{place}/{number}")
    elif isinstance(expected, np.ndarray) and isinstance(found, np.ndarray):
        if expected.dtype != found.dtype or expected.shape != found.shape or expected.tobytes() != found.tobytes():
            same = expected.shape == found.shape and np.array_equal(expected, found, equal_nan=expected.dtype.kind == "f")
            if not same:
                # Where numbers are taken as missing, what differs is the no-data value everywhere.
                masked = expected.shape == found.shape and len(np.unique(found[expected != found])) == 1
                yield f"{place}/all one number" if masked else place, summary(expected), summary(found)
    elif isinstance(expected, np.ndarray) or isinstance(found, np.ndarray):
        yield place, summary(expected), summary(found)
    elif expected != found and not (isinstance(expected, float) and isinstance(found, float) and same_number(expected, found)):
        yield place, summary(expected), summary(found)


def same_number(one, other):
    """Whether numbers are equal; packed coordinates may be unpacked in single precision."""
    return math.isnan(one) and math.isnan(other) or math.isclose(one, other, rel_tol=1e-7)


def summary(value):
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)} {value.ravel()[:6].tolist()}"
    return repr(value)


def attempt(action, *words):
    """The result of an action, or the class of its failure."""
    try:
        return action(*words)
    except RuntimeError as error:
        return {"error": str(error).split("\n")[0]}


def compare(plain, wrapped):
    expected, count = subdatasets(plain, "netCDF")
    pairs = [(f'NETCDF:"{plain}":{name}', f'CFA:"{wrapped}":{name}', name) for name in expected]
    own, own_count = attempt(subdatasets, wrapped, "CFA") if pairs or count else ([], 0)
    if count and not pairs:
        pairs = [(str(plain), str(wrapped), "")]
    for first, second, name in pairs:
        one = attempt(raster, first, plain, True)
        if "error" in one:
            continue
        other = attempt(raster, second, wrapped, True)
        if "error" not in other and one["size"] != other["size"]:
            yield f"raster {name}/turned", one["size"], other["size"]
        else:
            yield from differences(one, other, f"raster {name}")
    try:
        root, names = arrays(plain, "netCDF")
    except RuntimeError:
        return
    wrapped_root, wrapped_names = arrays(wrapped, "CFA")
    yield from differences({name: 1 for name in names}, {name: 1 for name in wrapped_names}, "arrays ")
    for name in names:
        if name in wrapped_names:
            one = attempt(array, root, name)
            if "error" not in one:
                yield from differences(one, attempt(array, wrapped_root, name), f"array {name}")


def one_file(plain, folder):
    """What differs for one file, as lines."""
    copy, wrapped = folder / plain.name, folder / f"wrapped_{plain.stem}.nc"
    shutil.copy(plain, copy)
    try:
        wrap(copy, wrapped)
        subdatasets(copy, "netCDF")
    except (CannotWrap, OSError, RuntimeError, ValueError, TypeError, AttributeError, IndexError) as problem:
        print(f"  -- not compared: {type(problem).__name__}: {problem}")
        return None
    found = []
    for place, expected, own in compare(copy, wrapped):
        line = f"{place}: {expected} | {own}"
        reasons = [reason for pattern, reason in DIFFERENCES if re.search(pattern, line)]
        print(f"  {'ok  ' if reasons else 'FAIL'} {line[:400]}{' (' + reasons[0] + ')' if reasons else ''}")
        found.append(bool(reasons))
    return found


def main():
    folder = Path(sys.argv[1])
    if len(sys.argv) == 4 and sys.argv[2] == "--one":
        with tempfile.TemporaryDirectory() as place:
            found = one_file(folder / sys.argv[3], Path(place))
        sys.exit(NOT_COMPARED if found is None else 0 if not found else DOCUMENTED if all(found) else DIFFERENT)
    names = sys.argv[2:] or sorted(path.name for path in folder.iterdir() if path.suffix in (".nc", ".nc4"))
    results = {}
    for name in names:
        # A process each: libraries below GDAL may crash on a damaged file.
        done = subprocess.run([sys.executable, __file__, folder, "--one", name], capture_output=True, text=True)
        results[name] = done.returncode
        if done.returncode:
            broken = done.returncode not in (DOCUMENTED, DIFFERENT, NOT_COMPARED)
            print(f"{name}\n{done.stdout}{done.stderr if broken else ''}", end="", flush=True)
    equal, documented, left = (sum(code == sort for code in results.values()) for sort in (0, DOCUMENTED, NOT_COMPARED))
    compared = len(results) - left
    print(f"wrapped, through GDAL {gdal.__version__}: {equal} of {compared} files equal, "
          f"{documented} with documented differences only; {left} not compared")
    sys.exit(compared == 0 or compared != equal + documented)


if __name__ == "__main__":
    main()
