"""Parts of a variable by coordinates: labels, dates and numbers, as Python writes them."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest

import libcfa

UTC = datetime.UTC
LABELS = ["a", "b..c", "..", " d ", "e=f", "2001-03", "12"]


@pytest.fixture(scope="module")
def v(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Numbers along labels, times every six hours and a fraction of a second later, and levels."""
    path = tmp_path_factory.mktemp("select") / "labels.nc"
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("station", len(LABELS)), ("time", 8), ("level", 3), ("index", 2)):
            file.createDimension(name, size)
        file.createVariable("station", str, ("station",))[:] = np.array(LABELS, object)
        time = file.createVariable("time", "i8", ("time",))
        time.units, time.calendar = "milliseconds since 2001-03-01", "standard"
        time[:] = np.arange(8) * 6 * 3_600_000 + 59_123
        file.createVariable("level", "f8", ("level",))[:] = [1, 5, 9]
        v = file.createVariable("v", "i4", ("station", "time", "level", "index"))
        v[:] = np.arange(v.size).reshape(v.shape)
    return libcfa.open(path)["v"]


@pytest.mark.parametrize("at", range(len(LABELS)))
def test_every_label_is_selected_by_itself(v: Any, at: int) -> None:
    assert np.array_equal(v.select(station=LABELS[at]), v[at])
    assert np.array_equal(v.select(station=LABELS[at].encode()), v[at])
    assert np.array_equal(v.select(station=slice(LABELS[at], LABELS[at])), v[at : at + 1])
    assert np.array_equal(v.select(station=slice(None, LABELS[at])), v[: at + 1])


def test_labels_are_not_texts_of_ranges(v: Any) -> None:
    for label in ("a..e=f", "a..", "", "b"):
        with pytest.raises(ValueError, match="has nothing at"):
            v.select(station=label)


def test_a_part_by_label_is_extracted(v: Any, tmp_path: Path) -> None:
    libcfa.extract(v._dataset.path, tmp_path / "part.nc", variables="v", select={"station": "b..c", "level": 5})
    with netCDF4.Dataset(tmp_path / "part.nc") as file:
        assert np.array_equal(file["v"][:], v[1:2, :, 1:2])


def test_datetimes_with_a_zone_are_converted(v: Any) -> None:
    east = datetime.timezone(datetime.timedelta(hours=2))
    west = datetime.timezone(-datetime.timedelta(hours=5))
    expected = v[:, 2:5]
    for first, last in (
        (datetime.datetime(2001, 3, 1, 12), datetime.datetime(2001, 3, 2, 0, 1)),
        (datetime.datetime(2001, 3, 1, 12, tzinfo=UTC), datetime.datetime(2001, 3, 2, 0, 1, tzinfo=UTC)),
        (datetime.datetime(2001, 3, 1, 14, tzinfo=east), datetime.datetime(2001, 3, 1, 19, 1, tzinfo=west)),
    ):
        assert np.array_equal(v.select(time=slice(first, last)), expected), first
    pandas = pytest.importorskip("pandas")
    stamps = [pandas.Timestamp(text, tz="Europe/Oslo") for text in ("2001-03-01 13:00", "2001-03-02 01:01")]
    assert np.array_equal(v.select(time=slice(*stamps)), expected)


@pytest.mark.parametrize("text", ["2001-03-01T12:00+02:00", "2001-03-01T12:00-05", "2001-03-01T12-05"])
def test_texts_with_a_zone_are_refused(v: Any, text: str) -> None:
    with pytest.raises(ValueError, match="UTC"):
        v.select(time=text)


def test_fractions_of_a_second_are_exact(v: Any) -> None:
    moment = datetime.datetime(2001, 3, 1, 6, 0, 59, 123_000)
    assert np.array_equal(v.select(time=moment), v[:, 1])
    assert np.array_equal(v.select(time=np.datetime64(moment, "ns")), v[:, 1])
    # Without them, the second is meant.
    assert np.array_equal(v.select(time=moment.replace(microsecond=0)), v[:, 1])
    assert np.array_equal(v.select(time="2001-03-01T06:00:59"), v[:, 1:2])


def test_days_and_months_keep_their_dimension_whatever_they_hold(v: Any) -> None:
    for day in ("2001-03-02", datetime.date(2001, 3, 2), np.datetime64("2001-03-02")):
        assert np.array_equal(v.select(time=day), v[:, 4:]), day
    assert v.select(time=np.datetime64("2001-03")).shape == v.shape
    one = slice(datetime.date(2001, 3, 2), "2001-03-02T00")
    assert v.select(time=one).shape == (7, 1, 3, 2)


def test_numbers_that_are_none_select_nothing(v: Any) -> None:
    assert np.array_equal(v.select(level=slice(np.float32(1), np.int8(5)), index=1), v[:, :, :2, 1])
    for wrong in (
        {"level": np.nan},
        {"level": slice(np.nan, 5)},
        {"level": [1, 6]},
        {"level": []},
        {"index": -1},
        {"index": 1.5},
    ):
        with pytest.raises(ValueError):
            v.select(**wrong)


def test_a_single_day_in_a_file_keeps_its_dimension(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "daily.nc", "w") as file:
        file.createDimension("time", 3)
        time = file.createVariable("time", "i4", ("time",))
        time.units, time[:] = "days since 2001-03-01", np.arange(3)
        file.createVariable("v", "i4", ("time",))[:] = np.arange(3)
    with libcfa.open(tmp_path / "daily.nc") as ds:
        for day in ("2001-03-02", datetime.date(2001, 3, 2), np.datetime64("2001-03-02")):
            assert ds["v"].select(time=day).tolist() == [1], day
        assert ds["v"].select(time=datetime.datetime(2001, 3, 2)) == 1
        assert ds["v"].select(time=1) == 1


def test_lists_are_joined_in_their_order(v: Any) -> None:
    assert np.array_equal(v.select(level=[9, 1]), v[:, :, [2, 0]])
    assert np.array_equal(v.select(level=np.array([9.0, 1.0]), station=[LABELS[2], LABELS[0]]), v[[2, 0]][:, :, [2, 0]])
    assert np.array_equal(v.select(time=["2001-03-02", slice(None, "2001-03-01T06")]), v[:, [4, 5, 6, 7, 0, 1]])
    assert v.select(level=[5]).shape == (7, 8, 1, 2)
    assert np.array_equal(v.select({"level": (1, 9)}, index=1), v[:, :, [0, 2], 1])


def test_the_nearest_is_selected_by_method(v: Any) -> None:
    assert np.array_equal(v.select(level=3, method="nearest"), v[:, :, 0])
    assert np.array_equal(v.select(level=[8, 3.1], method="nearest"), v[:, :, [2, 1]])
    assert np.array_equal(v.select(time="2001-03-01T07", method="nearest"), v[:, 1])
    assert np.array_equal(v.select(time=slice("2001-03-02", None), level=3.1, method="nearest"), v[:, 4:, 1])
    for wrong in ({"level": [8, 8.5]}, {"level": 20}, {"station": "a"}, {"level": "x"}):
        with pytest.raises(ValueError):
            v.select(**wrong, method="nearest")
    with pytest.raises(ValueError, match="method is 'pad'"):
        v.select(level=3, method="pad")


def test_longitudes_of_any_turn_and_cells(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "map.nc", "w") as file:
        file.createDimension("x", 36)
        file.createDimension("two", 2)
        x = file.createVariable("x", "f4", ("x",))
        x.units, x.bounds = "degrees_east", "edges"
        x[:] = np.arange(36) * 10
        file.createVariable("edges", "f4", ("x", "two"))[:] = np.stack([x[:] - 5, x[:] + 5], axis=1)
        v = file.createVariable("v", "i2", ("x",), fill_value=-7)
        v[:] = np.ma.masked_equal(np.arange(36), 35)
    with libcfa.open(tmp_path / "map.nc") as ds:
        part = ds["v"].select(x=slice(-20, 20))
        assert part.tolist() == [34, None, 0, 1, 2]
        assert part.fill_value == -7
        assert ds["v"].select(x=-92) == 27
        assert ds["v"].select(x=-92, method="nearest") == 27
    libcfa.extract(tmp_path / "map.nc", tmp_path / "part.nc", select={"x": slice(-20, 20)}, variables="v")
    with netCDF4.Dataset(tmp_path / "part.nc") as file:
        assert file["x"][:].tolist() == [-20, -10, 0, 10, 20]
        assert file["edges"][0].tolist() == [-25, -15]
