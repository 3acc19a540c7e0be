"""Lazy reads through xarray: selections against numpy, and the chunks that Dask gets."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from libcfa import _chunks
from libcfa._xarray_array import CfaArray

SHAPE = (10, 7, 9)


class Both(tuple[Any, ...]):
    """A file and its values, which are not shown if a test does not hold."""

    def __repr__(self) -> str:
        return "tiles"


@pytest.fixture(scope="module")
def both(tiles: Any) -> Any:
    assert tiles[1].shape == SHAPE
    return Both(tiles)


def indices(size: int) -> st.SearchStrategy[Any]:
    number = st.integers(-size, size - 1)
    end = st.none() | st.integers(-size, size)
    step = st.none() | st.integers(-4, 4).filter(bool)
    # xarray itself, with any engine, raises an error for empty slices that run backwards.
    parts = st.builds(slice, end, end, step).filter(lambda part: len(range(*part.indices(size))) > 0)
    return st.one_of(number, parts, st.lists(number, max_size=12))


@settings(max_examples=300, deadline=None)
@given(key=st.tuples(*map(indices, SHAPE)))
def test_outer_selections_are_those_of_memory(both: Any, key: Any) -> None:
    path, values = both
    with xr.open_dataset(path, engine="cfa", cache=False) as ds:
        lists = [np.array(one, int) if isinstance(one, list) else one for one in key]
        memory = xr.DataArray(values, dims=("t", "y", "x"))
        np.testing.assert_array_equal(ds.v[tuple(lists)], memory[tuple(lists)])


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_selections_of_any_chunking_are_those_of_memory(both: Any, data: Any) -> None:
    path, values = both
    sizes = {d: data.draw(st.integers(1, size), d) for d, size in zip("tyx", SHAPE, strict=True)}
    key = data.draw(st.tuples(*map(indices, SHAPE)))
    with xr.open_dataset(path, engine="cfa", chunks=sizes) as ds:
        lists = tuple(np.array(one, int) if isinstance(one, list) else one for one in key)
        expected = xr.DataArray(values, dims=("t", "y", "x"))[lists]
        np.testing.assert_array_equal(ds.v[lists].compute(scheduler="synchronous"), expected)


def test_points_are_those_of_memory(both: Any) -> None:
    path, values = both
    random = np.random.default_rng(5)
    points = {d: ("point", random.integers(0, size, 20)) for d, size in zip("tyx", SHAPE, strict=True)}
    with xr.open_dataset(path, engine="cfa") as ds:
        np.testing.assert_array_equal(ds.v.isel(points), values[tuple(p for _, p in points.values())])


def test_selections_by_coordinate_are_read_once_and_late(both: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path, values = both
    reads: list[str] = []
    read = CfaArray._read

    def counted(array: CfaArray, key: Any) -> Any:
        reads.append(array.source.variable)
        return read(array, key)

    monkeypatch.setattr(CfaArray, "_read", counted)
    with xr.open_dataset(path, engine="cfa") as ds:
        part = ds.v.sel(t=slice(20, 50), x=[30, 0])
        assert "/v" not in reads
        np.testing.assert_array_equal(part, values[2:6][:, :, [3, 0]])
        assert reads.count("/v") == 1


def test_each_fragment_is_a_chunk_with_chunk_bytes_0(both: Any) -> None:
    with xr.open_dataset(both[0], engine="cfa", chunks={}, chunk_bytes=0) as ds:
        assert ds.v.chunks == ((3, 1, 4, 2), (2, 5), (1, 6, 2))
        np.testing.assert_array_equal(ds.v.compute(), both[1])


def test_chunks_are_whole_fragments_merged_up_to_chunk_bytes(both: Any) -> None:
    path, values = both
    with xr.open_dataset(path, engine="cfa", chunks={}) as ds:
        assert ds.v.chunks == ((10,), (7,), (9,))
    with xr.open_dataset(path, engine="cfa", chunks={}, chunk_bytes=4 * 7 * 9 * 4) as ds:
        assert ds.v.chunks == ((4, 4, 2), (7,), (9,))
        np.testing.assert_array_equal(ds.v.compute(), values)
    with xr.open_dataset(path, engine="cfa", chunks={}, chunk_bytes=1) as ds:
        assert ds.v.chunks == ((3, 1, 4, 2), (2, 5), (1, 6, 2))


@pytest.mark.parametrize("chunks", [{}, "auto", {"t": 2}, {"t": 2, "y": 3, "x": 4}, {"t": -1}, 3, {"y": "auto"}])
@pytest.mark.parametrize("chunk_bytes", [0, 1000])
def test_no_chunking_warns(both: Any, chunks: Any, chunk_bytes: int) -> None:
    path, values = both
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with xr.open_dataset(path, engine="cfa", chunks=chunks, chunk_bytes=chunk_bytes) as ds:
            np.testing.assert_array_equal(ds.v.compute(), values)


def test_a_dimension_without_chunks_of_the_user_has_those_of_the_fragments(both: Any) -> None:
    with xr.open_dataset(both[0], engine="cfa", chunks={"t": 5}, chunk_bytes=0) as ds:
        assert ds.v.chunks == ((5, 5), (2, 5), (1, 6, 2))


def test_variables_of_one_dataset_have_the_same_chunks_where_they_can(kinds: Any) -> None:
    with xr.open_dataset(kinds, engine="cfa", chunks={}, chunk_bytes=16) as ds:
        assert ds.chunks["time"] == (2, 2)


def test_each_fragment_of_each_variable_is_a_chunk_with_chunk_bytes_0() -> None:
    layouts: dict[Any, _chunks.Layout] = {
        "large": _chunks.Layout(8, {"t": 4}, {"t": (4,)}),
        "small": _chunks.Layout(4, {"t": 4}, {"t": (2, 2)}),
    }
    assert _chunks.choose(layouts, 0) == {"large": {"t": (4,)}, "small": {"t": (2, 2)}}
    assert _chunks.choose(layouts, 100) == {"large": {"t": (4,)}, "small": {"t": (4,)}}


def test_chunks_never_split_a_fragment() -> None:
    layouts: dict[Any, _chunks.Layout] = {
        "large": _chunks.Layout(8, {"t": 6}, {"t": (3, 3)}),
        "small": _chunks.Layout(4, {"t": 6}, {"t": (4, 2)}),
        "ordinary": _chunks.Layout(4, {"t": 6, "bound": 2}, {}),
    }
    chosen = _chunks.choose(layouts, 24)
    assert chosen == {"large": {"t": (3, 3)}, "small": {"t": (6,)}, "ordinary": {"t": (3, 3)}}


@given(st.lists(st.integers(0, 50), min_size=1), st.integers(0, 200))
def test_merged_sizes_are_as_few_as_possible(sizes: list[int], limit: int) -> None:
    merged = _chunks.merged(tuple(sizes), limit)
    assert sum(merged) == sum(sizes)
    ends, all_ends = np.cumsum(merged), np.cumsum(sizes)
    assert set(ends) <= set(all_ends)
    assert all(size <= max(limit, max(sizes)) for size in merged)
    for one, end in zip(merged[:-1], ends, strict=False):
        following = next((s for s in np.diff(all_ends[all_ends >= end]) if s), 0)
        assert one + following > limit


@given(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=6), min_size=1, max_size=3), st.integers(1, 3000))
def test_chunks_of_one_variable_are_at_most_chunk_bytes_or_a_fragment(parts: Any, limit: int) -> None:
    fragments = {f"d{n}": tuple(sizes) for n, sizes in enumerate(parts)}
    shape = {d: sum(sizes) for d, sizes in fragments.items()}
    chunks = _chunks.choose({"v": _chunks.Layout(4, shape, fragments)}, limit)["v"]  # type: ignore[arg-type]
    largest = 4 * np.prod([max(sizes) for sizes in chunks.values()])
    assert largest <= max(limit, 4 * np.prod([max(sizes) for sizes in fragments.values()]))
