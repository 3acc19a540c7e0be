"""Compares what a reader finds in files of the native writer with what was meant.

    readers.py FOLDER READER...

FOLDER has NAME.nc and NAME.json, as tests/written/for_readers.rs writes them. Readers: netCDF4, ncdump, h5py, h5netcdf,
gdal, cfdm, and cfa, the program that CFA names.

A file is a set of facts, each of an object (a path; the path of an attribute has an @) and an aspect. A reader finds
facts, and has a function that tells which of those that were meant it can find, and in what form. Both sets must then
be equal.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

TYPES = {
    "byte": "i1", "ubyte": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "int64": "i8", "uint64": "u8",
    "float": "f4", "double": "f8", "char": "S1",
}
NAMES = {code: name for name, code in TYPES.items()}
# What netCDF has for values that were never written.
FILLS = {"short": -32767, "int": -2147483647, "float": 9.969209968386869e36, "double": 9.969209968386869e36}
# Attributes by which netCDF-4 finds dimensions.
HIDDEN = {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates", "_NCProperties"}


def facts_meant(group, path="", scope=()):
    """The facts of a described group."""
    facts = {}
    scope = (*scope, path)
    for part in ("dimensions", "variables", "groups"):
        facts[path or "/", part] = [child["name"] for child in group[part]]
    for dimension in group["dimensions"]:
        facts[f"{path}/{dimension['name']}", "size"] = dimension["size"]
        facts[f"{path}/{dimension['name']}", "unlimited"] = dimension["unlimited"]
    facts.update(attributes_meant(path or "/", group["attributes"]))
    for variable in group["variables"]:
        name = f"{path}/{variable['name']}"
        for aspect in ("type", "dimensions", "shape", "deflate", "shuffle"):
            facts[name, aspect] = variable[aspect]
        if variable["chunks"] != "any":
            facts[name, "chunks"] = variable["chunks"]
        values = variable["values"]
        if values is None:
            fill = [a["values"][0] for a in variable["attributes"] if a["name"] == "_FillValue"]
            values = (fill or [FILLS[variable["type"]]]) * int(numpy.prod(variable["shape"]))
        facts[name, "values"] = values
        facts.update(attributes_meant(name, variable["attributes"]))
    for child in group["groups"]:
        facts.update(facts_meant(child, f"{path}/{child['name']}", scope))
    return facts


def attributes_meant(path, attributes):
    facts = {(path, "attributes"): [a["name"] for a in attributes]}
    for attribute in attributes:
        facts[f"{path}@{attribute['name']}", "type"] = attribute["type"]
        facts[f"{path}@{attribute['name']}", "values"] = attribute["values"]
    return facts


def plain(values):
    """Values of any shape as a list of what JSON has."""
    array = numpy.ma.getdata(values) if isinstance(values, numpy.ma.MaskedArray) else numpy.asarray(values)
    flat = array.reshape(-1).tolist()
    if array.dtype.kind == "S":
        return [v.decode("latin-1") or "\0" for v in flat]
    return [v.decode() if isinstance(v, bytes) else v for v in flat]


def attribute_found(facts, path, value):
    """An attribute: text does not distinguish char from a single string."""
    if isinstance(value, bytes):
        value = value.decode()
    if isinstance(value, str):
        facts[path, "type"], facts[path, "values"] = "text", value
    elif isinstance(value, list) or numpy.asarray(value).dtype.kind in "OUS":
        facts[path, "type"] = "string"
        facts[path, "values"] = plain(numpy.asarray(value, object))
    else:
        array = numpy.asarray(value)
        facts[path, "type"] = NAMES[array.dtype.str[1:]]
        facts[path, "values"] = plain(array)


def text_is_text(meant, single=True):
    """For readers that do not distinguish text from a (single) string."""
    facts = dict(meant)
    for (path, aspect), value in meant.items():
        if "@" in path and aspect == "type" and value in ("char", "string"):
            values = meant[path, "values"]
            if value == "char" or single and len(values) == 1:
                facts[path, "type"] = "text"
                facts[path, "values"] = values if value == "char" else values[0]
    return facts


def without(facts, *aspects):
    return {key: value for key, value in facts.items() if key[1] not in aspects}


def read_netcdf4(file):
    """By netCDF4-python: all facts."""
    import netCDF4

    def visit(group, path):
        facts[path or "/", "dimensions"] = list(group.dimensions)
        facts[path or "/", "variables"] = list(group.variables)
        facts[path or "/", "groups"] = list(group.groups)
        attributes(path or "/", group)
        for name, dimension in group.dimensions.items():
            facts[f"{path}/{name}", "size"] = len(dimension)
            facts[f"{path}/{name}", "unlimited"] = dimension.isunlimited()
        for name, variable in group.variables.items():
            name = f"{path}/{name}"
            facts[name, "type"] = "string" if variable.dtype is str else NAMES[variable.dtype.str[1:]]
            facts[name, "dimensions"] = list(variable.dimensions)
            facts[name, "shape"] = list(variable.shape)
            facts[name, "values"] = plain(variable[...])
            attributes(name, variable)
            filters = variable.filters() or {}
            chunks = variable.chunking()
            facts[name, "chunks"] = None if chunks in ("contiguous", None) else list(chunks)
            facts[name, "deflate"] = filters.get("complevel") if filters.get("zlib") else None
            facts[name, "shuffle"] = bool(filters.get("shuffle"))
        for name, child in group.groups.items():
            visit(child, f"{path}/{name}")

    def attributes(path, object):
        facts[path, "attributes"] = object.ncattrs()
        for name in object.ncattrs():
            attribute_found(facts, f"{path}@{name}", object.getncattr(name))

    facts = {}
    with netCDF4.Dataset(file) as dataset:
        dataset.set_auto_maskandscale(False)
        dataset.set_auto_chartostring(False)
        visit(dataset, "")
    return facts, text_is_text


def read_ncdump(file):
    """By ncdump, whose text ncgen takes."""
    with tempfile.TemporaryDirectory() as folder:
        text, copy = pathlib.Path(folder) / "text.cdl", pathlib.Path(folder) / "copy.nc"
        # -s shows how data are stored. For CDF-5 ncdump 4.9 cannot do so, and ncgen 4.9 takes int64 for int.
        is_cdf5 = file.read_bytes()[:4] == b"CDF\5"
        dump = ["ncdump", "-p", "9,17", *([] if is_cdf5 else ["-s"]), file]
        text.write_bytes(subprocess.run(dump, check=True, stdout=subprocess.PIPE).stdout)
        kind = subprocess.run(["ncdump", "-k", file], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        subprocess.run(["ncgen", "-k", "netCDF-4" if is_cdf5 else kind, "-o", copy, text], check=True)
        facts, see = read_netcdf4(copy)
        return (without(facts, *ABSENT), lambda meant: without(see(meant), *ABSENT)) if is_cdf5 else (facts, see)


def read_h5py(file):
    """By h5py, with the order of links and attributes."""
    import h5py

    def visit(group, path):
        names = []
        group.id.links.iterate(lambda name: names.append(name.decode()), idx_type=h5py.h5.INDEX_CRT_ORDER)
        links = {name: group[name] for name in names}
        for kind, chosen in (("groups", h5py.Group), ("datasets", h5py.Dataset)):
            facts[path or "/", kind] = [name for name, object in links.items() if isinstance(object, chosen)]
        attributes(path or "/", group)
        for name, object in links.items():
            if isinstance(object, h5py.Group):
                visit(object, f"{path}/{name}")
            else:
                dataset(f"{path}/{name}", object)

    def dataset(path, object):
        if object.attrs.get("NAME", b"").startswith(b"This is a netCDF dimension but not a netCDF variable."):
            facts[path, "dimension"] = [object.shape[0], object.maxshape[0] is None]
            return
        is_text = h5py.check_string_dtype(object.dtype)
        is_string = is_text is not None and is_text.length is None
        facts[path, "type"] = "string" if is_string else NAMES[object.dtype.str[1:]]
        facts[path, "shape"] = list(object.shape)
        facts[path, "unlimited"] = [size is None for size in object.maxshape]
        if "CLASS" not in object.attrs:
            facts[path, "scales"] = [dimension[0].name for dimension in object.dims]
        facts[path, "values"] = plain(object[...])
        facts[path, "deflate"], facts[path, "shuffle"] = object.compression_opts, object.shuffle
        facts[path, "chunks"] = list(object.chunks) if object.chunks else None
        attributes(path, object)

    def attributes(path, object):
        names = []
        h5py.h5a.iterate(object.id, lambda name: names.append(name.decode()), index_type=h5py.h5.INDEX_CRT_ORDER)
        facts[path, "attributes"] = [name for name in names if name not in HIDDEN]
        for name in facts[path, "attributes"]:
            attribute_found(facts, f"{path}@{name}", object.attrs[name])

    facts = {}
    with h5py.File(file) as root:
        visit(root, "")
    return facts, meant_for_h5py


def meant_for_h5py(meant):
    """The same as objects of HDF5: dimensions are scales, and some variables have other names."""
    meant = text_is_text(meant, single=False)
    facts = {}
    dimensions = {p: meant[p, "unlimited"] for p, aspect in meant if aspect == "unlimited"}

    def of(path, name):
        """The path of the nearest dimension of this name."""
        while path:
            path = path.rpartition("/")[0]
            if f"{path}/{name}" in dimensions:
                return f"{path}/{name}"
        raise KeyError(name)

    def link(variable):
        found = meant[variable, "dimensions"]
        hidden = variable in dimensions and not (found and of(variable, found[0]) == variable)
        folder, _, name = variable.rpartition("/")
        return f"{folder}/_nc4_non_coord_{name}" if hidden else variable

    variables = {p for p, aspect in meant if aspect == "shape"}
    scales = {p for p in variables if p in dimensions and link(p) == p}
    for (path, aspect), value in meant.items():
        object, at, name = path.partition("@")
        path = (link(object) if object in variables else object) + at + name
        if aspect == "dimensions" and object in variables:
            found = [of(object, d) for d in value]
            facts[path, "unlimited"] = [dimensions[d] for d in found]
            if object not in scales:
                facts[path, "scales"] = found
        elif aspect == "variables":
            folder = "" if path == "/" else path
            alone = [d for d in meant[path, "dimensions"] if f"{folder}/{d}" not in scales]
            links = [link(f"{folder}/{v}").rpartition("/")[2] for v in value]
            facts[path, "datasets"] = alone + links
            for name in alone:
                path = f"{folder}/{name}"
                facts[path, "dimension"] = [meant[path, "size"], meant[path, "unlimited"]]
        elif aspect not in ("size", "unlimited", "dimensions"):
            facts[path, aspect] = value
    return facts


def read_h5netcdf(file):
    """By h5netcdf: as netCDF4-python, without the order of what is in a group."""
    import h5netcdf

    def visit(group, path):
        facts[path or "/", "dimensions"] = sorted(group.dimensions)
        facts[path or "/", "variables"] = sorted(group.variables)
        facts[path or "/", "groups"] = sorted(group.groups)
        attributes(path or "/", group)
        for name, dimension in group.dimensions.items():
            facts[f"{path}/{name}", "size"] = dimension.size
            facts[f"{path}/{name}", "unlimited"] = dimension.isunlimited()
        for name, variable in group.variables.items():
            name = f"{path}/{name}"
            facts[name, "type"] = "string" if numpy.dtype(variable.dtype).kind == "O" else NAMES[variable.dtype.str[1:]]
            facts[name, "dimensions"] = [d.rpartition("/")[2] for d in variable.dimensions]
            facts[name, "shape"] = list(variable.shape)
            facts[name, "values"] = plain(variable[...])
            facts[name, "deflate"], facts[name, "shuffle"] = variable.compression_opts, variable.shuffle
            facts[name, "chunks"] = list(variable.chunks) if variable.chunks else None
            attributes(name, variable)
        for name, child in group.groups.items():
            visit(child, f"{path}/{name}")

    def attributes(path, object):
        facts[path, "attributes"] = sorted(object.attrs)
        for name in object.attrs:
            attribute_found(facts, f"{path}@{name}", object.attrs[name])

    facts = {}
    with h5netcdf.File(file, "r") as root:
        visit(root, "")
    lists = ("dimensions", "variables", "groups", "attributes")

    def see(meant):
        variables = {p for p, aspect in meant if aspect == "shape"}
        ordered = {k: k[0] in variables and k[1] == "dimensions" for k in meant}
        return {k: sorted(v) if k[1] in lists and not ordered[k] else v for k, v in text_is_text(meant).items()}

    return facts, see


def read_gdal(file):
    """By GDAL's netCDF driver, multidimensional."""
    from osgeo import gdal

    gdal.UseExceptions()

    def visit(group, path):
        facts[path or "/", "groups"] = list(group.GetGroupNames() or [])
        for attribute in group.GetAttributes():
            facts[f"{path or '/'}@{attribute.GetName()}", "values"] = several(attribute.Read())
        for name in group.GetMDArrayNames(["SHOW_ALL=YES", "SHOW_ZERO_DIM=YES"]) or []:
            array = group.OpenMDArray(name)
            name = f"{path}/{name}"
            facts[name, "shape"] = [d.GetSize() for d in array.GetDimensions()]
            facts[name, "dimensions"] = [d.GetName() for d in array.GetDimensions()]
            if array.GetDataType().GetClass() == gdal.GEDTC_NUMERIC and 0 not in facts[name, "shape"]:
                facts[name, "values"] = plain(array.ReadAsArray())
            for attribute in array.GetAttributes():
                facts[f"{name}@{attribute.GetName()}", "values"] = several(attribute.Read())
            if array.GetNoDataValueAsDouble() is not None:
                facts[f"{name}@_FillValue", "values"] = [array.GetNoDataValueAsDouble()]
            if array.GetUnit():
                facts[f"{name}@units", "values"] = array.GetUnit()
        for name in facts[path or "/", "groups"]:
            visit(group.OpenGroup(name), f"{path}/{name}")

    def several(value):
        return value if isinstance(value, str) else list(value) if isinstance(value, (list, tuple)) else [value]

    facts = {}
    visit(gdal.OpenEx(str(file), gdal.OF_MULTIDIM_RASTER, allowed_drivers=["netCDF"]).GetRootGroup(), "")
    return facts, meant_for_gdal


def meant_for_gdal(meant):
    """Without types and storage, as GDAL has others; without strings, which GDAL 3.6 does not always read; char is bytes."""
    facts = {}
    meant = text_is_text(meant)
    for (path, aspect), value in meant.items():
        kind = meant.get((path, "type"))
        is_variable = (path, "shape") in meant
        if aspect in ("shape", "groups") or aspect == "dimensions" and is_variable:
            facts[path, aspect] = value
        elif aspect == "values" and is_variable and kind != "string" and 0 not in meant[path, "shape"]:
            facts[path, aspect] = [ord(c) for c in value] if kind == "char" else value
        elif aspect == "values" and not is_variable:
            is_fill_of_char = path.endswith("@_FillValue") and kind == "text"
            value = [ord(value)] if is_fill_of_char else value
            facts[path, aspect] = [float(v) for v in value] if kind in ("int64", "uint64") else value
    return facts


def read_cfdm(file):
    """By cfdm: a field with its coordinates, with missing values marked."""
    import cfdm

    (field,) = cfdm.read(str(file))
    facts = {}
    for construct in (field, *field.constructs.filter_by_data().values()):
        name = "/" + construct.nc_get_variable()
        facts[name, "shape"] = list(construct.shape)
        facts[name, "values"] = construct.array.reshape(-1).tolist()
        for attribute, value in construct.properties().items():
            attribute_found(facts, f"{name}@{attribute}", value)
    for axis in field.domain_axes().values():
        facts["/" + axis.nc_get_dimension(), "size"] = axis.get_size()
        facts["/" + axis.nc_get_dimension(), "unlimited"] = axis.nc_is_unlimited()
    return facts, meant_for_cfdm


def meant_for_cfdm(meant):
    facts = {}
    for (path, aspect), value in text_is_text(meant).items():
        if aspect == "values" and "@" not in path:
            fill = meant.get((f"{path}@_FillValue", "values"), [])
            facts[path, aspect] = [None if v in fill else v for v in value]
        elif aspect in ("shape", "size", "unlimited") or "@" in path:
            facts[path, aspect] = value
    # A field has the attributes of the file.
    for aspect in ("type", "values"):
        facts["/tas@Conventions", aspect] = facts.pop(("/@Conventions", aspect))
    return facts


def read_cfa(file):
    """By our own program."""
    facts = {}

    def cfa(*arguments):
        return subprocess.run([os.environ["CFA"], *arguments], check=True, stdout=subprocess.PIPE).stdout

    info = json.loads(cfa("info", "--json", file))
    for group in info["groups"]:
        attributes_of_cfa(facts, group)
    for dimension in info["dimensions"]:
        facts[dimension["path"], "size"] = dimension["size"]
        facts[dimension["path"], "unlimited"] = dimension["unlimited"]
    for variable in info["variables"]:
        if "error" in variable:
            continue
        path = variable["path"]
        attributes_of_cfa(facts, variable)
        facts[path, "type"] = {"char": "char", "str": "string"}.get(variable["dtype"]) or NAMES[variable["dtype"]]
        facts[path, "dimensions"], facts[path, "shape"] = variable["dims"], variable["shape"]
        raw = cfa("read", "--raw", file, path)
        if facts[path, "type"] == "string":
            facts[path, "values"] = raw.decode().split("\n")[:-1]
        else:
            facts[path, "values"] = plain(numpy.frombuffer(raw, TYPES[facts[path, "type"]]))
    return facts, meant_for_cfa


def attributes_of_cfa(facts, object):
    facts[object["path"], "attributes"] = sorted(object["attributes"])
    for name, value in object["attributes"].items():
        facts[f"{object['path']}@{name}", "values"] = value if isinstance(value, (str, list)) else [value]


def meant_for_cfa(meant):
    """Without types of attributes, order and storage, and without the aggregation, which has no fragments."""
    facts = {}
    for (path, aspect), value in text_is_text(meant).items():
        is_variable = (path, "shape") in meant
        if (path.partition("@")[0] + "@aggregated_data", "values") in meant and aspect not in ("size", "unlimited"):
            continue
        if aspect == "attributes":
            facts[path, aspect] = sorted(value)
        elif aspect in ("size", "unlimited", "values"):
            facts[path, aspect] = value
        elif aspect in ("type", "dimensions", "shape") and is_variable:
            facts[path, aspect] = value
    return facts


READERS = {
    "netCDF4": read_netcdf4,
    "ncdump": read_ncdump,
    "h5py": read_h5py,
    "h5netcdf": read_h5netcdf,
    "gdal": read_gdal,
    "cfdm": read_cfdm,
    "cfa": read_cfa,
}
# The files that a reader takes, where it does not take all: GDAL 3.6 does not open CDF-5.
FILES = {
    "h5py": {"netcdf4", "field"},
    "h5netcdf": {"netcdf4", "field"},
    "gdal": {"netcdf4", "field", "classic", "classic_field"},
    "cfdm": {"field", "classic_field"},
}
# How data are stored in a classic file, whatever was asked for.
ABSENT = {"chunks": None, "deflate": None, "shuffle": False}


def shown(value):
    text = repr(value)
    return text if len(text) < 200 else text[:200] + " ..."


def differences(meant, found):
    for key in sorted(set(meant) | set(found)):
        if key not in found:
            yield f"{key[0]}: {key[1]} is not found; meant is {shown(meant[key])}"
        elif key not in meant:
            yield f"{key[0]}: {key[1]} is found, and not meant: {shown(found[key])}"
        elif meant[key] != found[key]:
            yield f"{key[0]}: {key[1]} is {shown(found[key])}; meant is {shown(meant[key])}"


def version(reader):
    """What reads, with its version."""
    if reader in ("ncdump", "cfa"):
        program, option = ("ncdump", "-h") if reader == "ncdump" else (os.environ["CFA"], "--version")
        done = subprocess.run([program, option], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return [line for line in done.stdout.splitlines() if "version" in line or "cfa " in line][-1].strip()
    if reader == "netCDF4":
        import netCDF4

        return f"netCDF4 {netCDF4.__version__}, libnetcdf {netCDF4.__netcdf4libversion__}, HDF5 {netCDF4.__hdf5libversion__}"
    if reader == "gdal":
        from osgeo import gdal

        return f"GDAL {gdal.__version__}"
    import h5py

    return f"{reader} {__import__(reader).__version__}, HDF5 {h5py.version.hdf5_version}"


def main():
    folder, readers = pathlib.Path(sys.argv[1]), sys.argv[2:]
    failed = False
    for name in readers:
        print(version(name))
        for file in sorted(folder.glob("*.nc")):
            if file.stem not in FILES.get(name, {file.stem}):
                continue
            described = json.loads(file.with_suffix(".json").read_text())
            found, see = READERS[name](file)
            meant = facts_meant(described["root"])
            if not described["netcdf4"]:
                meant = {key: ABSENT.get(key[1], value) for key, value in meant.items()}
            meant = see(meant)
            # The writer chose these chunks.
            found = {key: value for key, value in found.items() if key[1] != "chunks" or key in meant}
            wrong = list(differences(meant, found))
            print(f"    {file.name}: {len(meant)} facts, {len(wrong)} differ")
            for line in wrong[:20]:
                print(f"        {line}")
            failed |= bool(wrong)
    sys.exit(failed)


main()
