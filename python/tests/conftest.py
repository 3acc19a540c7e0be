"""Small archives that several tests read, each written once and never changed."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest

import libcfa
import samples

Array = np.ndarray[Any, Any]


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers of the tests of xarray."""
    for name in ("asyncio", "flaky", "network", "skip_if_param", "skip_with_dask_array", "slow"):
        config.addinivalue_line("markers", f"{name}: used by the tests of xarray")


@pytest.fixture(scope="session")
def year(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """Twelve months, some packed, some in other units, each with its own epoch, with missing data; and their values."""
    return samples.year(tmp_path_factory.mktemp("year"))


@pytest.fixture(scope="session")
def tiles(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Array]:
    """A variable in tiles of unequal sizes, and its values."""
    folder = tmp_path_factory.mktemp("tiles")
    parts = [[3, 1, 4, 2], [2, 5], [1, 6, 2]]
    whole = np.random.default_rng(2).random([sum(sizes) for sizes in parts]).astype("f4")
    edges = [[0, *itertools.accumulate(sizes)] for sizes in parts]
    names = []
    for index in itertools.product(*(range(len(sizes)) for sizes in parts)):
        names.append("tile_" + "_".join(map(str, index)) + ".nc")
        tile = whole[tuple(slice(edges[d][i], edges[d][i + 1]) for d, i in enumerate(index))]
        plain_file(folder / names[-1], {"v": tile})
    with netCDF4.Dataset(folder / "tiles.nc", "w") as file:
        aggregate(file, "v", "f4", dict(zip("tyx", parts, strict=True)), names)
        for name, size in zip("tyx", whole.shape, strict=True):
            file.createVariable(name, "f8", (name,))[:] = np.arange(size) * 10
    return folder / "tiles.nc", whole


@pytest.fixture(scope="session")
def undeclared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Variables without ``_FillValue`` along t = 0 to 3, of which the last is missing in its file.

    ``x`` is floating point, ``p`` packed, ``n`` integer, ``whole`` integer with nothing missing; ``bad`` is malformed.
    """
    folder = tmp_path_factory.mktemp("undeclared")
    plain_file(folder / "a.nc", {name: np.arange(2.0) for name in "xpn"})
    with netCDF4.Dataset(folder / "b.nc", "w") as file:
        file.createDimension("d0", 2)
        for name in "xpn":
            file.createVariable(name, "f8", ("d0",), fill_value=-1.0)[:] = [2, -1]
    plain_file(folder / "c.nc", {"whole": np.arange(4, dtype="i4")})
    with netCDF4.Dataset(folder / "all.nc", "w") as file:
        for name, dtype in (("x", "f4"), ("p", "i2"), ("n", "i4")):
            aggregate(file, name, dtype, {"t": [2, 2]}, ["a.nc", "b.nc"])
        file["p"].scale_factor = 0.5
        aggregate(file, "whole", "i4", {"t": [4]}, ["c.nc"])
        bad = file.createVariable("bad", "f4", ())
        bad.aggregated_dimensions, bad.aggregated_data = "t", "map: nowhere uris: nowhere identifiers: nowhere"
    return folder / "all.nc"


@pytest.fixture(scope="session")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files with numbers, texts, characters, unsigned numbers and a group, joined along time."""
    folder = tmp_path_factory.mktemp("kinds")
    for n in range(2):
        with netCDF4.Dataset(folder / f"part_{n}.nc", "w") as file:
            file.title = "kinds"
            file.createDimension("time", 2)
            file.createDimension("letter", 3)
            time = file.createVariable("time", "i4", ("time",))
            time.units, time.calendar, time[:] = f"hours since 2001-01-0{n + 1}", "standard", [0, 12]
            bounds = [[0, 12], [12, 24]]
            time.bounds = "time_bounds"
            file.createDimension("bound", 2)
            file.createVariable("time_bounds", "i4", ("time", "bound"))[:] = bounds
            file.createVariable("count", "i4", ("time",))[:] = [n, n + 10]
            masked = file.createVariable("masked", "i2", ("time",), fill_value=-7)
            masked[:] = np.ma.MaskedArray([n, 5], mask=[False, n == 1])
            label = file.createVariable("label", str, ("time",))
            label[0], label[1] = f"first {n}", "zweite ä"
            code = file.createVariable("code", "S1", ("time", "letter"), fill_value=b"-")
            code[:] = np.array([list("ab-"), list("xyz")], "S1")
            unsigned = file.createVariable("unsigned", "i1", ("time",))
            unsigned._Unsigned, unsigned[:] = "true", [1, -2]
            file.createGroup("other").createVariable("beside", "f8", ("time",))[:] = [n, n]
            inner = file.createGroup("upper").createGroup("inner")
            inner.level = np.int32(2)
            inner.createVariable("deep", "f8", ("time",))[:] = [n, n + 0.5]
    libcfa.create(folder / "kinds.nc", folder / "part_*.nc")
    return folder / "kinds.nc"


def plain_file(path: Path, variables: dict[str, Array]) -> None:
    """Write variables of one shape."""
    with netCDF4.Dataset(path, "w") as file:
        for name, values in variables.items():
            dims = [f"d{d}" for d in range(values.ndim)]
            for d, size in zip(dims, values.shape, strict=True):
                if d not in file.dimensions:
                    file.createDimension(d, size)
            file.createVariable(name, values.dtype, dims)[:] = values


def aggregate(file: netCDF4.Dataset, name: str, dtype: str, parts: dict[str, list[int]], uris: Sequence[str]) -> None:
    """Write an aggregation variable as CF-1.13 describes it."""
    for d, sizes in parts.items():
        if d not in file.dimensions:
            file.createDimension(d, sum(sizes))
        file.createDimension(f"{name}_{d}", len(sizes))
    file.createDimension(f"{name}_j", len(parts))
    file.createDimension(f"{name}_i", max(map(len, parts.values())))
    table = file.createVariable(f"{name}_map", "i4", (f"{name}_j", f"{name}_i"))
    for row, sizes in enumerate(parts.values()):
        table[row, : len(sizes)] = sizes
    locations = file.createVariable(f"{name}_uris", str, [f"{name}_{d}" for d in parts])
    grid = [len(sizes) for sizes in parts.values()]
    for index, uri in zip(itertools.product(*map(range, grid)), uris, strict=True):
        locations[index] = uri
    file.createVariable(f"{name}_identifiers", str, ())[...] = name
    variable = file.createVariable(name, dtype, ())
    variable.aggregated_dimensions = " ".join(parts)
    variable.aggregated_data = f"map: {name}_map uris: {name}_uris identifiers: {name}_identifiers"
