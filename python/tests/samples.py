"""Small archives, each with the values that an aggregation of it has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np

import libcfa

MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def year(folder: Path) -> tuple[Path, np.ma.MaskedArray[Any, Any]]:
    """Twelve months of heights with missing data: every second one packed, every third one in kilometres.

    Multiples of 250 m are exact in each of these forms.
    """
    random = np.random.default_rng(1)
    whole = []
    for month, days in enumerate(MONTHS):
        metres = random.integers(-80, 160, (days, 4, 6)) * 250.0
        missing = random.random(metres.shape) < 0.1
        whole.append(np.ma.MaskedArray(metres, mask=missing))
        with netCDF4.Dataset(folder / f"zg_2001-{month + 1:02}.nc", "w") as file:
            for name, size in (("time", days), ("lat", 4), ("lon", 6)):
                file.createDimension(name, size)
                file.createVariable(name, "f8", (name,))
            file["time"].units, file["time"].calendar = f"days since 2001-{month + 1:02}-01", "standard"
            file["time"][:] = np.arange(days)
            file["lat"].units, file["lat"][:] = "degrees_north", [-30, 0, 30, 60]
            file["lon"].units, file["lon"][:] = "degrees_east", np.arange(6) * 60
            is_packed, units = month % 2 == 1, "km" if month % 3 == 1 else "m"
            zg = file.createVariable("zg", "i2" if is_packed else "f4", ("time", "lat", "lon"), fill_value=-999)
            zg.set_auto_maskandscale(False)
            zg.units = units
            values = metres / 1000 if units == "km" else metres
            if is_packed:
                zg.scale_factor, zg.add_offset = (0.25, 0.5) if units == "km" else (250.0, 500.0)
                values = np.round((values - zg.add_offset) / zg.scale_factor)
            zg[:] = np.where(missing, -999, values)
    out = folder / "zg.nc"
    libcfa.create(out, folder / "zg_2001-*.nc")
    return out, np.ma.concatenate(whole)


def heavy(folder: Path, fragments: int) -> Path:
    """An aggregation of which a read of a corner inflates all: every fragment is the one chunk of the same file."""
    with netCDF4.Dataset(folder / "chunk.nc", "w") as file:
        for name, size in (("time", 10), ("y", 400), ("x", 400)):
            file.createDimension(name, size)
        v = file.createVariable("v", "i4", ("time", "y", "x"), zlib=True, complevel=1, chunksizes=(10, 400, 400))
        v[:] = np.random.default_rng(3).integers(0, 1000, v.shape)
    with netCDF4.Dataset(folder / "heavy.nc", "w") as file:
        file.Conventions = "CF-1.13"
        for name, size in (("time", 10 * fragments), ("y", 400), ("x", 400), ("dims", 3), ("n", fragments), ("one", 1)):
            file.createDimension(name, size)
        v = file.createVariable("v", "i4", ())
        v.aggregated_dimensions = "time y x"
        v.aggregated_data = "map: map uris: uris identifiers: identifiers"
        sizes = np.ma.masked_all((3, fragments), "i4")
        sizes[0], sizes[1, 0], sizes[2, 0] = 10, 400, 400
        file.createVariable("map", "i4", ("dims", "n"), fill_value=-1)[:] = sizes
        file.createVariable("uris", str, ("n", "one", "one"))[:] = np.full((fragments, 1, 1), "chunk.nc", object)
        file.createVariable("identifiers", str, ())[...] = "v"
    return folder / "heavy.nc"
