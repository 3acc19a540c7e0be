"""Fragments and aggregation files, cut along their first dimension, for the tests with a server."""
import numpy as np
from netCDF4 import Dataset

TIMES, ROWS = 4, 3


def values(number, shape=(TIMES, ROWS)):
    """The data of a fragment: no two fragments have a value in common."""
    return (np.arange(np.prod(shape)).reshape(shape) + 1e6 * number).astype("f8")


def fragment(path, data, format="NETCDF4", **storage):
    """Writes a fragment with the variable `tas` and returns its data."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with Dataset(path, "w", format=format) as file:
        dimensions = [f"d{i}" for i in range(data.ndim)]
        for name, size in zip(dimensions, data.shape):
            file.createDimension(name, size)
        variable = file.createVariable("tas", data.dtype, dimensions, **storage)
        variable.units = "K"
        variable[...] = data
    return data


def fragments(folder, count=2, suffix="", **how):
    """Writes small fragments `f0.nc`, `f1.nc`, ...; returns their names and the data of all."""
    names = [f"f{number}{suffix}.nc" for number in range(count)]
    parts = [fragment(folder / name, values(number), **how) for number, name in enumerate(names)]
    return names, np.concatenate(parts)


def aggregation(path, locations, shape=(TIMES, ROWS), dialect="CF-1.13"):
    """Writes an aggregation file whose fragments have this shape.

    In CFA-0.6.2 an entry of `locations` may be a tuple: the versions of a fragment.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    rank, count = len(shape), len(locations)
    versions = max(len(entry) if isinstance(entry, tuple) else 1 for entry in locations)
    with Dataset(path, "w") as file:
        names = ["time", *(f"d{i}" for i in range(1, rank))]
        for name, size in zip(names, (count * shape[0], *shape[1:])):
            file.createDimension(name, size)
        for i in range(rank):
            file.createDimension(f"f{i}", count if i == 0 else 1)
        file.createDimension("j", rank)
        file.createDimension("i", count)
        file.createDimension("version", versions)
        table = np.ma.masked_all((rank, count), "i4")
        table[0] = shape[0]
        table[1:, 0] = shape[1:]
        file.createVariable("sizes", "i4", ("j", "i"), fill_value=-1)[:] = table
        grid = [f"f{i}" for i in range(rank)]
        entries = [entry if isinstance(entry, tuple) else (entry,) for entry in locations]
        padded = np.array([[*entry, *[""] * (versions - len(entry))] for entry in entries], dtype=object)
        shaped = padded.reshape([count, *[1] * (rank - 1), versions])
        if versions == 1:
            file.createVariable("places", str, grid)[...] = shaped[..., 0]
        else:
            file.createVariable("places", str, [*grid, "version"])[...] = shaped
        file.createVariable("name", str, ())[...] = "tas"
        tas = file.createVariable("tas", "f8", (), fill_value=-1.0)
        tas.units = "K"
        tas.aggregated_dimensions = " ".join(names)
        if dialect == "CF-1.13":
            file.Conventions = "CF-1.13"
            tas.aggregated_data = "map: sizes uris: places identifiers: name"
        else:
            file.Conventions = "CF-1.10 CFA-0.6.2"
            file.createVariable("format", str, ())[...] = "nc"
            tas.aggregated_data = "location: sizes file: places format: format address: name"
    return path


def sample(folder, **how):
    """An aggregation file `agg.nc` with relative fragments beside it; returns the data."""
    names, data = fragments(folder)
    aggregation(folder / "agg.nc", names, **how)
    return data
