"""Arrays of xarray and their files: pickles, tokens, shared handles, and files that are replaced."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import xarray as xr
from conftest import aggregate, plain_file
from dask.base import tokenize

import libcfa
from libcfa import _handles
from libcfa._xarray_array import CfaArray


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """An aggregation of two files."""
    write(tmp_path / "all.nc", [1, 2])
    return tmp_path / "all.nc"


def write(path: Path, values: list[float], dtype: str = "f4") -> None:
    """Write an aggregation with a fragment for each value, in place of one that has the name."""
    names = [f"{path.stem}_{value}.nc" for value in values]
    for name, value in zip(names, values, strict=True):
        plain_file(path.parent / name, {"v": np.array([value], dtype)})
    with netCDF4.Dataset(path.parent / "new.nc", "w") as file:
        aggregate(file, "v", dtype, {"t": [1] * len(values)}, names)
    os.replace(path.parent / "new.nc", path)


def opened(path: Path, **kwargs: Any) -> xr.Dataset:
    return xr.open_dataset(path, engine="cfa", cache=False, **kwargs)


def array_of(dataset: xr.Dataset) -> CfaArray:
    array: Any = dataset.variables["v"]._data
    while not isinstance(array, CfaArray):
        array = array.array
    return array


def read(pickled: bytes) -> list[float]:
    return list(map(float, pickle.loads(pickled).v.values))


def test_an_array_of_a_replaced_file_is_an_error_and_a_new_one_is_right(pair: Path) -> None:
    old = opened(pair)
    assert list(old.v.values) == [1, 2]
    write(pair, [3, 4])
    with pytest.raises(libcfa.Error, match="was changed or replaced after it was opened"):
        old.v.load()
    assert list(opened(pair).v.values) == [3, 4]
    # The new dataset opened the file again, which does not make the old one right.
    with pytest.raises(libcfa.Error, match="was changed or replaced"):
        old.v.load()


def test_a_file_that_is_written_in_place_counts_as_replaced(pair: Path) -> None:
    old = opened(pair)
    with netCDF4.Dataset(pair, "a") as file:
        file["v_uris"][1] = "all_1.nc"
    with pytest.raises(libcfa.Error, match="was changed or replaced"):
        old.v.load()
    assert list(opened(pair).v.values) == [1, 1]


def test_a_pickle_of_a_replaced_file_is_an_error(pair: Path) -> None:
    pickled = pickle.dumps(opened(pair))
    assert read(pickled) == [1, 2]
    write(pair, [3, 4])
    with pytest.raises(libcfa.Error, match="was changed or replaced"):
        read(pickled)


@pytest.mark.parametrize(("values", "dtype"), [([1, 2, 3], "f4"), ([1, 2], "f8")])
def test_another_shape_or_type_is_an_error_also_if_the_identity_is_unknown(
    pair: Path, values: list[float], dtype: str
) -> None:
    source = array_of(opened(pair)).source._replace(identity=None)
    write(pair, values, dtype)
    with pytest.raises(libcfa.Error, match=r"was replaced: /v now has shape \(\d,\) and type"):
        source.open()


def test_a_missing_file_is_not_found(pair: Path) -> None:
    old = opened(pair)
    pair.unlink()
    with pytest.raises(FileNotFoundError):
        old.v.load()


def test_tokens_change_with_the_file_and_with_nothing_else(pair: Path) -> None:
    def tokens(**kwargs: Any) -> list[str]:
        dataset = opened(pair, **kwargs)
        chunked = dataset.chunk(t=1)
        return [tokenize(array_of(dataset)), chunked.v.data.name]

    first = tokens()
    assert tokens() == first
    assert pickle.loads(pickle.dumps(opened(pair))).chunk(t=1).v.data.name == first[1]
    assert not set(tokens(settings={"NUM_THREADS": 1})) & set(first)
    assert not set(tokens(mask_and_scale=False)) & set(first)
    write(pair, [3, 4])
    assert not set(tokens()) & set(first)
    with_chunks = opened(pair, chunks={}).v.data.name
    write(pair, [5, 6])
    assert opened(pair, chunks={}).v.data.name != with_chunks


def test_pickles_are_small_whatever_the_number_of_fragments(tmp_path: Path) -> None:
    plain_file(tmp_path / "one.nc", {"v": np.ones(1, "f4")})
    with netCDF4.Dataset(tmp_path / "all.nc", "w") as file:
        aggregate(file, "v", "f4", {"t": [1] * 20_000}, ["one.nc"] * 20_000)
    with opened(tmp_path / "all.nc", chunk_bytes=0) as dataset:
        assert len(pickle.dumps(array_of(dataset))) < 2000
        assert len(pickle.dumps(dataset)) < 20_000
        assert len(dataset.copy(deep=True).v.encoding["preferred_chunks"]["t"]) == 20_000
        assert pickle.loads(pickle.dumps(dataset)).v[:100].sum() == 100


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_other_processes_read_pickles(pair: Path, method: str) -> None:
    pickled = pickle.dumps(opened(pair, settings={"NUM_THREADS": 1}))
    with ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
        assert list(pool.map(read, [pickled] * 4, timeout=50)) == [[1, 2]] * 4


@pytest.fixture
def busy(year: Any) -> Iterator[None]:
    """Threads that read and open as long as a test runs."""
    stop = threading.Event()

    def keep_reading() -> None:
        while not stop.is_set():
            with opened(year[0]) as dataset:
                dataset.zg.load()

    threads = [threading.Thread(target=keep_reading) for _ in range(3)]
    for thread in threads:
        thread.start()
    yield
    stop.set()
    for thread in threads:
        thread.join()


def _forked(pickled: bytes, kept: int) -> list[float]:
    assert kept > 0
    assert len(_handles._handles._open) == 0, "handles of the parent must not be used"
    return read(pickled)


@pytest.mark.usefixtures("busy")
@pytest.mark.filterwarnings("ignore:This process")
def test_a_fork_while_threads_read_has_its_own_handles(pair: Path) -> None:
    dataset = opened(pair)
    dataset.v.load()
    pickled = pickle.dumps(dataset)
    context = multiprocessing.get_context("fork")
    for _ in range(10):
        with ProcessPoolExecutor(1, context) as pool:
            kept = len(_handles._handles._open)
            assert pool.submit(_forked, pickled, kept).result(timeout=30) == [1, 2]


def test_arrays_of_one_file_share_a_handle_and_close_drops_it(pair: Path) -> None:
    first, second = opened(pair), opened(pair)
    handle = _handles.get(str(pair), ())
    assert list(second.v.values) == [1, 2]
    assert _handles.get(str(pair), ()) is handle
    first.close()
    assert (str(pair), ()) not in _handles._handles._open
    # As with other engines, reading opens the file again.
    assert list(second.v.values) == [1, 2]


def test_a_limited_number_of_files_is_kept_open(tmp_path: Path) -> None:
    write(tmp_path / "all.nc", [1])
    for n in range(_handles._KEPT + 5):
        _handles.get(str(tmp_path / "all.nc"), (("NUM_THREADS", str(n + 1)),))
    assert len(_handles._handles._open) == _handles._KEPT


def test_a_relative_name_means_the_same_file_after_a_change_of_directory(
    pair: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(pair.parent)
    dataset = opened(Path("all.nc"))
    _handles.drop(str(pair), ())
    monkeypatch.chdir("/")
    assert list(dataset.v.values) == [1, 2]


def test_threads_read_one_array_at_once(year: Any) -> None:
    path, values = year
    dataset = opened(path)
    wrong = []

    def check(n: int) -> None:
        part = dataset.zg[n * 30 : n * 30 + 40].values
        if not np.array_equal(part, values[n * 30 : n * 30 + 40].filled(np.nan), equal_nan=True):
            wrong.append(n)

    threads = [threading.Thread(target=check, args=(n % 12,)) for n in range(48)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
