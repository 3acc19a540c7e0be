"""Times that are decoded here are those of xarray, in every respect."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import xarray as xr
from hypothesis import example, given, settings
from hypothesis import strategies as st

import libcfa
from libcfa import _times
from libcfa._variable import Variable

DATES = st.dates().map(str) | st.datetimes().map(lambda t: t.strftime("%Y-%m-%d %H:%M:%S"))
UNITS = st.builds("{} since {}".format, st.sampled_from(["days", "hours", "minutes", "seconds", "weeks"]), DATES)
CALENDARS = st.sampled_from([None, "standard", "gregorian", "proleptic_gregorian", "noleap", "360_day", "Standard"])
EIGHTHS = st.integers(-(10**6), 10**6).map(lambda n: n / 8)
NUMBERS = st.one_of(
    st.lists(EIGHTHS | st.floats(), min_size=1, max_size=5).map(lambda v: np.array(v, "f8")),
    st.lists(EIGHTHS, min_size=1, max_size=5).map(lambda v: np.array(v, "f8")),
    st.lists(st.floats(width=32), min_size=1, max_size=5).map(lambda v: np.array(v, "f4")),
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5).map(lambda v: np.array(v, "i8")),
    st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=5).map(lambda v: np.array(v, "u8")),
    st.lists(st.integers(-(2**15), 2**15 - 1), min_size=1, max_size=5).map(lambda v: np.array(v, "i2")),
)


@settings(max_examples=1000, deadline=None)
@given(values=NUMBERS, units=UNITS, calendar=CALENDARS)
@example(values=np.array([0.5, 1.5]), units="days since 2000-01-01", calendar="standard")
@example(values=np.array([2**63 - 1]), units="seconds since 1900-01-01", calendar=None)
@example(values=np.array([1 / 3]), units="days since 1850-01-01", calendar=None)
@example(values=np.array([20000.001953125]), units="days since 1850-01-01", calendar=None)
@example(values=np.array([0]), units="days since 0001-01-01", calendar=None)
def test_decoded_times_are_those_of_xarray(values: Any, units: str, calendar: str | None) -> None:
    attrs = {"units": units} | ({} if calendar is None else {"calendar": calendar})
    ours = _times.decoded(values, attrs)
    if ours is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            theirs = xr.conventions.decode_cf_variable("time", xr.Variable(("time",), values, attrs)).load()
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs.values)


def test_the_usual_times_are_decoded() -> None:
    for unit, noon in (("days", 0.5), ("hours", 12), ("minutes", 720), ("seconds", 43200)):
        for since in ("1850-01-01", "2000-02-29 00:00:00", "1970-01-01T00:00:00"):
            for dtype in ("f8", "i4") if noon >= 1 else ("f8", "f4"):
                decoded = _times.decoded(np.array([noon], dtype), {"units": f"{unit} since {since}"})
                assert decoded is not None and decoded[0] == np.datetime64(since[:10] + "T12", "ns")


@pytest.mark.parametrize("name", ["_FillValue", "missing_value", "scale_factor", "add_offset", "_Unsigned", "dtype"])
def test_numbers_that_mean_something_else_are_left_to_xarray(name: str) -> None:
    assert _times.decoded(np.array([1]), {"units": "days since 2001-01-01", name: 1}) is None


@pytest.mark.parametrize(
    "attrs",
    [
        {},
        {"calendar": "noleap"},
        {"bounds": "time_bounds"},
        {"bounds": "nothing"},
        {"_FillValue": np.nan},
        {"missing_value": -1.0},
        {"calendar": np.array([1, 2])},
        {"units": "days since 2001-02-30"},
        {"units": "days since 0001-01-01"},
        {"units": "K"},
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["f8", "i4"])
@pytest.mark.parametrize(
    "how", [{}, {"decode_times": False}, {"mask_and_scale": False}, {"decode_coords": "all"}], ids=str
)
@pytest.mark.filterwarnings("ignore")
def test_coordinates_are_those_that_xarray_decodes(tmp_path: Path, attrs: Any, dtype: str, how: Any) -> None:
    attrs = {"units": "days since 2001-01-01", "long_name": "time", **attrs}
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as file:
        file.createDimension("time", 3)
        file.createDimension("bound", 2)
        fill = attrs.pop("_FillValue", None)
        v = file.createVariable("time", dtype, ("time",), fill_value=fill if dtype == "f8" else None)
        v.set_auto_maskandscale(False)
        v.setncatts(attrs)
        v[:] = [0, 1, 2]
        file.createVariable("time_bounds", "f8", ("time", "bound"))[:] = 1
        file.createVariable("v", "f4", ("time",))[:] = 1

    def opened(engine: str) -> Any:
        try:
            return xr.open_dataset(tmp_path / "a.nc", engine=engine, **how).load()
        except Exception as error:
            return type(error)

    ours, theirs = opened("cfa"), opened("netcdf4")
    if isinstance(theirs, type):
        assert ours is theirs
        return
    xr.testing.assert_identical(ours, theirs)
    for name in ("time", "time_bounds"):
        of_files = ("source", "original_shape", "dtype", "units", "calendar", "bounds")
        one, other = ({k: v for k, v in ds[name].encoding.items() if k in of_files} for ds in (ours, theirs))
        np.testing.assert_equal(one, other)


def test_each_coordinate_is_read_once_and_the_data_not_at_all(year: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    read = Variable._read

    def counted(variable: Variable, *args: Any, **kwargs: Any) -> None:
        reads.append(variable.path)
        read(variable, *args, **kwargs)

    monkeypatch.setattr(Variable, "_read", counted)
    with xr.open_dataset(year[0], engine="cfa"):
        assert sorted(reads) == ["/lat", "/lon", "/time"]


def test_a_coordinate_that_cannot_be_read_is_an_error_and_not_left_out(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as file:
        file.createDimension("lat", 500)
        file.createVariable("lat", "f8", ("lat",), zlib=True, chunksizes=(500,))[:] = np.arange(500)
    with h5py.File(tmp_path / "a.nc") as file:
        chunk = file["lat"].id.get_chunk_info(0)
    with open(tmp_path / "a.nc", "r+b") as file:
        file.seek(chunk.byte_offset)
        file.write(b"\xff" * chunk.size)
    with pytest.raises(libcfa.Error, match="lat"):
        xr.open_dataset(tmp_path / "a.nc", engine="cfa")
