"""Reads into arrays of the caller."""

from __future__ import annotations

from typing import Any

import netCDF4
import numpy as np
import pytest

import libcfa
import samples


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A variable, and its values in memory."""
    path, values = samples.year(tmp_path_factory.mktemp("year"))
    return libcfa.open(path)["zg"], values


def test_a_block_is_read_with_steps(both: Any) -> None:
    zg, values = both
    read = zg.read([360, 3, 1], [6, 2, 3], [-10, -2, 1])
    expected = values[360:309:-10, 3::-2, 1:4]
    assert np.array_equal(read, expected.filled(zg.fill_value))
    assert zg.read().shape == values.shape and zg.read([100, 0, 0]).shape == (265, 4, 6)
    assert zg.read([100, 3, 0], step=[-1, -1, 1]).shape == (101, 4, 6)


def test_out_and_mask_are_filled_in_place(both: Any) -> None:
    zg, values = both
    out, mask = np.zeros((365, 4, 6), "f4"), np.zeros((365, 4, 6), bool)
    assert zg.read([0, 0, 0], [365, 4, 6], out=out, mask=mask) is out
    assert np.array_equal(mask, ~values.mask)
    assert np.array_equal(out[mask], values.compressed())


def test_missing_data_have_the_wanted_fill(both: Any) -> None:
    zg, values = both
    assert np.array_equal(zg.read(fill=-1), values.filled(-1))
    assert np.array_equal(zg.read(fill=np.nan), values.filled(np.nan), equal_nan=True)
    mask = np.zeros(values.shape, bool)
    assert np.array_equal(zg.read(fill=7, dtype="i4", mask=mask), values.filled(7))
    assert np.array_equal(mask, ~values.mask)


@pytest.mark.parametrize(
    ("dtype", "fill"),
    [
        ("f4", 1e40),
        ("f4", "x"),
        ("f8", "1"),
        ("f8", 1j),
        ("f8", 10**400),
        ("f8", np.ma.masked),
        ("f8", [1.0, 2.0]),
        ("i4", 2**31),
        ("i4", 1.5),
        ("i4", np.nan),
        ("u8", -1),
        ("u1", 1e6),
    ],
)
def test_a_fill_that_the_type_does_not_have_is_a_value_error(both: Any, dtype: str, fill: Any) -> None:
    zg, _ = both
    out = np.full((2, 4, 6), 5, dtype)
    with pytest.raises(ValueError, match="fill"):
        zg.read([0, 0, 0], [2, 4, 6], out=out, fill=fill)
    assert (out == 5).all()


def test_a_fill_of_another_type_with_the_same_value_is_taken(both: Any) -> None:
    zg, values = both
    expected = values[:31]
    for dtype, fill in (("i4", -5.0), ("i4", np.uint8(7)), ("f4", -np.inf), ("f4", 0.1), ("f8", True)):
        read = zg.read([0, 0, 0], [31, 4, 6], dtype=dtype, fill=fill)
        assert np.array_equal(read, expected.astype(dtype).filled(fill)), dtype


def test_characters_are_filled_with_characters(tmp_path: Any) -> None:
    with netCDF4.Dataset(tmp_path / "text.nc", "w") as file:
        file.createDimension("x", 3)
        file.createVariable("c", "S1", ("x",), fill_value=b"-")[:] = np.array([b"a", b"-", b"c"])
        file.createVariable("s", str, ("x",))[:] = np.array(["a", "", "c"], object)
    with libcfa.open(tmp_path / "text.nc") as ds:
        assert ds["c"].read(fill="?").tolist() == ds["c"].read(fill=b"?").tolist() == [b"a", b"?", b"c"]
        for wrong in ("ab", "", "\u00e4", 5):
            with pytest.raises(ValueError, match="fill"):
                ds["c"].read(fill=wrong)
        assert ds["s"].read(fill="none").tolist() == ["a", "none", "c"]


def test_arrays_that_do_not_fit_are_value_errors(both: Any) -> None:
    zg, _ = both
    start, count = [0, 0, 0], [2, 4, 6]
    fixed = np.zeros((2, 4, 6))
    fixed.flags.writeable = False
    for out in (np.zeros((2, 4, 5)), np.zeros((4, 6, 2)).T, np.zeros((2, 4, 12))[..., ::2], fixed, [0.0] * 48):
        with pytest.raises(ValueError):
            zg.read(start, count, out=out)
    for dtype in (">f8", complex, bool, "U3", "f2", "M8[s]", object):
        with pytest.raises(ValueError):
            zg.read(start, count, out=np.empty((2, 4, 6), dtype))
    for mask in (np.zeros((2, 4, 6), "u1"), np.zeros((2, 4), bool), np.zeros((4, 6, 2), bool).T):
        with pytest.raises(ValueError):
            zg.read(start, count, mask=mask)
    for part in (([0, 0], [1, 1]), ([0, 0, 0], [366, 1, 1]), ([-1, 0, 0], [1, 1, 1]), ([0, 0, 0], [1, -1, 1])):
        with pytest.raises(ValueError):
            zg.read(*part)
    with pytest.raises(ValueError):
        zg.read(start, count, [0, 1, 1])
    # Refused before memory is taken.
    for part in (([0, 0, 0], [10**13, 4, 6]), ([2**70, 0, 0], [1, 1, 1]), ([0, 0, 0], [1, 1, 1], [2**70, 1, 1])):
        with pytest.raises(ValueError, match="outside|too large"):
            zg.read(*part)
    with pytest.raises(ValueError):
        zg.read(start, count, out=np.zeros((2, 4, 6)), dtype="f4")


def test_masked_arrays_are_value_errors_since_their_masks_would_stay_as_they_were(both: Any) -> None:
    v, _ = both
    with pytest.raises(ValueError, match="out is a masked array"):
        v.read(out=np.ma.masked_all(v.shape, v.dtype))
    with pytest.raises(ValueError, match="mask is a masked array"):
        v.read(mask=np.ma.zeros(v.shape, bool))


def test_progress_ends_with_one_and_may_raise(both: Any) -> None:
    zg, _ = both
    told: list[float] = []
    zg.read(progress=told.append)
    assert told[-1] == 1 and told.count(1) == 1 and told == sorted(told)

    def stop(fraction: float) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        zg.read(progress=stop)


def test_packed_data_are_unpacked_on_request(tmp_path: Any) -> None:
    with netCDF4.Dataset(tmp_path / "packed.nc", "w") as file:
        file.createDimension("x", 4)
        v = file.createVariable("v", "i2", ("x",), fill_value=-1)
        v.scale_factor, v.add_offset = 0.5, 10.0
        v.set_auto_maskandscale(False)
        v[:] = [0, 1, -1, 3]
    with libcfa.open(tmp_path / "packed.nc") as ds:
        assert ds["v"][...].tolist() == [0, 1, None, 3] and ds["v"].dtype == np.int16
        assert np.array_equal(ds["v"].read(unpacked=True), [10, 10.5, np.nan, 11.5], equal_nan=True)
        assert ds["v"].read(unpacked=True, dtype="f4").dtype == np.float32


def test_empty_and_scalar_reads(both: Any, tmp_path: Any) -> None:
    zg, _ = both
    assert zg.read([0, 0, 0], [0, 4, 6]).shape == (0, 4, 6)
    with netCDF4.Dataset(tmp_path / "scalar.nc", "w") as file:
        file.createVariable("s", "f4", ())[...] = 3
    with libcfa.open(tmp_path / "scalar.nc") as ds:
        assert ds["s"].read() == 3 and ds["s"][...] == 3 and ds["s"].shape == ()
        with pytest.raises(TypeError):
            len(ds["s"])


def test_an_array_of_a_variable_has_nan_where_data_are_missing(both: Any) -> None:
    zg, values = both
    assert np.array_equal(np.asarray(zg), values.filled(np.nan), equal_nan=True)
    with pytest.raises(ValueError):
        np.array(zg, copy=False)
