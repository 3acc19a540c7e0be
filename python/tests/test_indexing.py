"""Every index means what it means in numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import libcfa
import samples


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A variable, and its values in memory."""
    path, values = samples.year(tmp_path_factory.mktemp("year"))
    return libcfa.open(path)["zg"], values


def same(read: Any, expected: Any) -> None:
    assert np.shape(read) == np.shape(expected)
    assert np.array_equal(np.ma.getmaskarray(read), np.ma.getmaskarray(expected))
    assert np.array_equal(np.ma.filled(read, 0), np.ma.filled(expected, 0))
    if np.ma.is_masked(expected):
        assert np.ma.isMaskedArray(read)
    elif np.ndim(expected):
        assert type(read) is np.ndarray


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(index=hnp.basic_indices((365, 4, 6), allow_newaxis=True, allow_ellipsis=True))
def test_basic_indices_are_those_of_numpy(both: Any, index: Any) -> None:
    variable, values = both
    same(variable[index], values[index])


def entries(size: int) -> st.SearchStrategy[Any]:
    one = st.integers(-size, size - 1)
    return st.one_of(
        one,
        st.slices(size),
        st.lists(one, max_size=6),
        st.lists(one, min_size=3, max_size=3).map(np.array),
        st.just(slice(None)),
        hnp.arrays(bool, size),
        st.lists(st.booleans(), min_size=size, max_size=size) if size < 9 else st.nothing(),
        hnp.arrays(np.int16, (2, 1), elements=one),
    )


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(index=st.tuples(entries(365), entries(4), entries(6)), length=st.integers(0, 3))
def test_lists_and_masks_are_those_of_numpy(both: Any, index: Any, length: int) -> None:
    variable, values = both
    index = index[:length]
    try:
        expected = values[index]
    except IndexError:
        with pytest.raises(IndexError):
            variable[index]
        return
    same(variable[index], expected)


def test_a_mask_of_all_dimensions_picks_elements(both: Any) -> None:
    variable, values = both
    mask = np.random.default_rng(2).random(values.shape) < 0.01
    same(variable[mask], values[mask])
    same(variable[mask[..., 0], 1], values[mask[..., 0], 1])


def test_points_far_apart_are_read_without_what_lies_between(both: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    variable, values = both
    days, lats, lons = np.arange(0, 365, 7), np.arange(53) % 4, np.arange(53) % 6
    read = 0
    original = type(variable)._read

    def counted(self: Any, start: Any, count: Any, *rest: Any) -> None:
        nonlocal read
        read += int(np.prod(count))
        original(self, start, count, *rest)

    monkeypatch.setattr(type(variable), "_read", counted)
    monkeypatch.setattr(libcfa._indexing, "_BLOCK", 100)
    same(variable[days, lats, lons], values[days, lats, lons])
    assert read <= 8 * 53
    same(variable[days[:, None], lats[:3], lons[:3]], values[days[:, None], lats[:3], lons[:3]])


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(index=st.tuples(entries(365), entries(4), entries(6)), block=st.sampled_from([1, 20, 300]))
def test_points_of_large_variables_are_those_of_numpy(both: Any, index: Any, block: int) -> None:
    variable, values = both
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(libcfa._indexing, "_BLOCK", block)
        patch.setattr(libcfa._indexing, "_SPARSE", 1)
        try:
            expected = values[index]
        except IndexError:
            return
        same(variable[index], expected)


def test_a_mask_of_a_map_is_read_in_few_blocks(both: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    variable, values = both
    calls = 0
    original = type(variable)._read

    def counted(*arguments: Any) -> None:
        nonlocal calls
        calls += 1
        original(*arguments)

    monkeypatch.setattr(type(variable), "_read", counted)
    mask = np.zeros((4, 6), bool)
    mask[0, 5] = mask[3, 0] = True
    same(variable[:, mask], values[:, mask])
    assert calls == 1
    monkeypatch.setattr(libcfa._indexing, "_BLOCK", 8 * 100)
    monkeypatch.setattr(libcfa._indexing, "_SPARSE", 1)
    same(variable[:, mask], values[:, mask])
    assert calls == 1 + 4


SINGLE = [
    True,
    False,
    np.True_,
    np.array(False),
    None,
    (True, 0),
    (slice(2), True),
    (..., True),
    ([0, 5], True),
    (True, [0, 5], slice(None), [1, 2]),
    (False, [0]),
    (False, [0, 1]),
    (True, None, 3, 1, 2),
    (True, True, 4),
    (True, False),
    (np.zeros((4, 2), int), False),
    (364, 3, 5, True),
    (0, 0, 0, True, 0),
    (365, True),
    (0, True, slice(None), [1, 2]),
]


@pytest.mark.parametrize("index", SINGLE, ids=map(repr, range(len(SINGLE))))
def test_a_single_truth_value_is_a_mask_without_dimensions(both: Any, index: Any) -> None:
    variable, values = both
    try:
        expected = values[index]
    except IndexError:
        with pytest.raises(IndexError):
            variable[index]
        return
    same(variable[index], expected)


@pytest.mark.parametrize("step", [1, 2])
def test_an_ellipsis_separates_lists_even_if_it_stands_for_nothing(both: Any, step: int) -> None:
    variable, values = both
    for index in ((slice(0, 9, step), [0], ..., [1]), ([0, 1], ..., [1, 2]), (..., [0, 1], 0, [1, 2]), ([1], ..., 2)):
        same(variable[index], values[index])


def test_false_reads_nothing(both: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    variable, _ = both
    monkeypatch.setattr(type(variable), "_read", None)
    assert variable[False].shape == (0, 365, 4, 6)
    # Not even memory for what is not wanted.
    none = libcfa._indexing.read((False, [3]), (1 << 50, 4), variable._new, variable._fill)
    assert none.data.shape == (0, 4)


def test_an_ellipsis_keeps_an_array_without_dimensions(both: Any, tmp_path: Path) -> None:
    import netCDF4

    variable, values = both
    for index in ((0, 0, 0), (0, 0, 0, ...), (..., 0, 0, 0), (..., np.array(0), 0, 0)):
        same(variable[index], values[index])
        assert isinstance(variable[index], np.ndarray) is isinstance(values.data[index], np.ndarray), index
    with netCDF4.Dataset(tmp_path / "scalar.nc", "w") as file:
        file.createVariable("s", "f4", ())[...] = 3
    with libcfa.open(tmp_path / "scalar.nc") as ds:
        assert isinstance(ds["s"][...], np.ndarray) and ds["s"][...].shape == () and ds["s"][...] == 3
        assert isinstance(ds["s"][()], np.float32)
        assert ds["s"][True].tolist() == [3] and ds["s"][None].tolist() == [3] and ds["s"][False].shape == (0,)
        assert repr(ds["s"]) == "<libcfa.Variable /s () float32>"


def test_an_index_outside_is_an_index_error(both: Any) -> None:
    variable, _ = both
    for index in (365, (0, -5), (0, 0, [6]), (0, 0, 0, 0), (..., ...), 1.5, "a", np.ones(3, bool), [[True]]):
        with pytest.raises(IndexError):
            variable[index]


def test_a_missing_element_is_masked(both: Any) -> None:
    variable, values = both
    missing = tuple(np.argwhere(values.mask)[0])
    valid = tuple(np.argwhere(~values.mask)[0])
    assert variable[missing] is np.ma.masked
    assert variable[valid] == values[valid]


def test_select_takes_dates_and_numbers(both: Any) -> None:
    variable, values = both
    same(variable.select(time=slice("2001-03", "2001-05")), values[59:151])
    same(variable.select(time="2001-03", lat=30), values[59:90, 2])
    same(variable.select(time=np.datetime64("2001-03-02"), lon=slice(100, None)), values[60:61, :, 2:])
    same(variable.select(lat=slice(None, 0)), values[:, :2])
    for wrong in ({"time": "1999"}, {"depth": 3}, {"lat": slice(0, 30, 2)}, {"time": "March"}):
        with pytest.raises(ValueError):
            variable.select(**wrong)


def test_strings_and_characters_are_indexed_too(tmp_path: Path) -> None:
    import netCDF4

    with netCDF4.Dataset(tmp_path / "words.nc", "w") as file:
        file.createDimension("n", 3)
        file.createDimension("letters", 2)
        file.createVariable("word", str, ("n",))[:] = np.array(["a", "ü", "see"], object)
        file.createVariable("code", "S1", ("n", "letters"))[:] = np.array([[b"a", b"b"], [b"c", b"d"], [b"e", b"f"]])
    with libcfa.open(tmp_path / "words.nc") as ds:
        assert ds["word"][::-1].tolist() == ["see", "ü", "a"]
        assert ds["word"].dtype == object
        assert ds["code"].dtype == np.dtype("S1")
        assert ds["code"][[2, 0], 1].tolist() == [b"f", b"b"]
