"""What is omitted on the way to a dataset changes nothing, and is not done again."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import netCDF4
import numpy as np
import pytest
import xarray as xr

import libcfa
from libcfa import _xarray_decode

ATTRIBUTES: list[dict[str, Any]] = [
    {},
    {"units": "K", "long_name": "plain", "valid_min": 1.0},
    *({"units": unit} for unit in ("days", "seconds", "nanoseconds", "days since 2001-01-01", "degrees_north")),
    {"units": "days since 2001-01-01", "bounds": "other"},
    *({name: 1} for name in ("missing_value", "scale_factor", "add_offset")),
    {"_Unsigned": "true"},
    {"_Encoding": "utf-8"},
    {"dtype": "bool"},
    {"dtype": "timedelta64[ns]", "units": "days"},
    {"coordinates": "other absent"},
    {"grid_mapping": "other"},
    {"bounds": "other", "ancillary_variables": "other"},
]
DECODERS: list[dict[str, Any]] = [
    {},
    {"decode_cf": False},
    {"decode_times": False},
    {"decode_timedelta": False},
    {"decode_timedelta": True},
    {"mask_and_scale": False},
    {"decode_coords": "all"},
    {"decode_coords": False},
    {"create_default_indexes": False},
]


def described(path: Path, how: dict[str, Any]) -> Any:
    """Return all that a user can see of a dataset, or the type of the error."""
    try:
        with xr.open_dataset(path, engine="cfa", **how) as ds:
            encodings = {name: repr(sorted(v.encoding.items(), key=str)) for name, v in ds.variables.items()}
            order = list(ds.variables), list(ds.dims), list(ds.coords), list(ds.xindexes), sorted(ds.encoding)
            return ds.load(), encodings, order
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("dtype", ["i1", "i4", "u2", "f4", "f8", "S1", str])
@pytest.mark.parametrize("attrs", ATTRIBUTES, ids=str)
@pytest.mark.filterwarnings("ignore")
def test_what_is_omitted_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dtype: Any, attrs: dict[str, Any]
) -> None:
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("v", 2)
        file.createDimension("w", 2)
        for name, dims in (("v", ("v",)), ("data", ("w", "v")), ("other", ("v", "w"))):
            variable = file.createVariable(name, dtype if name != "other" else "f8", dims)
            if name != "other":
                variable.setncatts(attrs)
            variable.set_auto_maskandscale(False)
            values: list[Any] = ["a", "b"] if dtype in ("S1", str) and name != "other" else [1, 2]
            variable[:] = np.array(values * (1 if len(dims) == 1 else 2), object).reshape(variable.shape)
    for how in DECODERS:
        ours = described(path, how)
        with monkeypatch.context() as all_steps:
            all_steps.setattr(_xarray_decode, "is_decoded", lambda variable: False)
            all_steps.setattr(_xarray_decode, "_direct", lambda variables: None)
            theirs = described(path, how)
        if isinstance(theirs, type):
            assert ours is theirs, how
            continue
        xr.testing.assert_identical(ours[0], theirs[0])
        assert ours[1:] == theirs[1:], how


@pytest.mark.parametrize("dims", [("x", "y"), ()])
def test_a_variable_with_the_name_of_a_dimension_is_what_xarray_makes_of_it(tmp_path: Path, dims: Any) -> None:
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as file:
        for name in "xy":
            file.createDimension(name, 2)
        file.createVariable("x", "f8", dims)[...] = 1
        file.createVariable("v", "f8", ("x", "y"))[...] = 2

    def opened(engine: str) -> Any:
        try:
            return xr.open_dataset(tmp_path / "a.nc", engine=engine).load()
        except Exception as error:
            return type(error), str(error)

    ours, theirs = opened("cfa"), opened("netcdf4")
    if isinstance(theirs, tuple):
        assert ours == theirs
    else:
        xr.testing.assert_identical(ours, theirs)


def test_a_slice_through_a_fresh_handle_takes_few_calls(tiles: Any) -> None:
    folder = str(Path(libcfa.__file__).parent)
    calls = 0

    def count(frame: FrameType | None, event: str, _: Any) -> None:
        nonlocal calls
        while event in ("call", "c_call") and frame is not None:
            if frame.f_code.co_filename.startswith(folder):
                calls += 1
                return
            frame = frame.f_back

    def read() -> None:
        with xr.open_dataset(tiles[0], engine="cfa") as ds:
            np.testing.assert_array_equal(ds.v[4].values, tiles[1][4])

    read()  # imports
    sys.setprofile(count)
    try:
        read()
    finally:
        sys.setprofile(None)
    # Calls of Python and C that this package makes, directly or through xarray, for four variables.
    assert calls < 900, f"{calls} calls"
