"""Threads and processes: no lock is held, and a forked process reads while threads of its parent do."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import libcfa
import samples

kept: Any = None


@pytest.fixture(scope="module")
def year(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return samples.year(tmp_path_factory.mktemp("year"))


def total(path: str) -> float:
    """Read in a process of its own, through a new dataset and through that of the parent if there is one."""
    with libcfa.open(path) as ds:
        value = float(ds["zg"].read(fill=0).sum())
    if kept is not None:
        assert float(kept["zg"].read(fill=0).sum()) == value
    return value


def test_threads_read_one_dataset_at_once(year: Any) -> None:
    path, values = year
    with libcfa.open(path, CACHE_BYTES="10K") as ds, ThreadPoolExecutor(16) as pool:
        days = list(range(365)) * 2
        for day, read in zip(days, pool.map(lambda d: ds["zg"].read([d, 0, 0], [1, 4, 6], fill=0), days), strict=True):
            assert np.array_equal(read[0], values[day].filled(0))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_processes_start_while_threads_read(year: Any, method: str) -> None:
    global kept
    path, values = year
    expected = float(values.filled(0).sum())
    stop = threading.Event()
    with libcfa.open(path, CACHE_BYTES=0) as ds:

        def read() -> None:
            while not stop.is_set():
                ds["zg"].read(fill=0)

        readers = [threading.Thread(target=read) for _ in range(4)]
        for reader in readers:
            reader.start()
        kept = ds if method == "fork" else None
        try:
            context = multiprocessing.get_context(method)
            for _ in range(6 if method == "fork" else 1):
                with ProcessPoolExecutor(3, mp_context=context) as pool:
                    results = list(pool.map(total, [str(path)] * 9, timeout=60))
                assert results == [expected] * 9
        finally:
            stop.set()
            kept = None
            for reader in readers:
                reader.join()


def test_a_forked_process_leaves_the_dataset_of_its_parent_alone(year: Any) -> None:
    path, values = year
    ds = libcfa.open(path)
    ds["zg"].read()
    child = os.fork()
    if child == 0:
        # No test code runs on in the child, whatever happens.
        try:
            ok = np.array_equal(ds["zg"].read(fill=0), values.filled(0))
            ds.close()
            os._exit(0 if ok else 1)
        except BaseException:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert np.array_equal(ds["zg"].read(fill=0), values.filled(0))
    ds.close()


def test_a_forked_process_does_not_read_a_file_that_replaced_the_open_one(tmp_path: Path) -> None:
    path, _ = samples.year(tmp_path)
    ds = libcfa.open(path)
    libcfa.create(tmp_path / "half.nc", sorted(tmp_path.glob("zg_2001-*.nc"))[:6])
    os.replace(tmp_path / "half.nc", path)
    child = os.fork()
    if child == 0:
        try:
            ds["zg"].read()
        except OSError as error:
            os._exit(0 if "replaced" in str(error) else 1)
        except BaseException:
            os._exit(2)
        os._exit(3)
    assert os.waitpid(child, 0)[1] == 0
    assert ds["zg"].read().shape == (365, 4, 6)


def test_other_threads_run_while_one_reads(tmp_path: Path) -> None:
    path = samples.heavy(tmp_path, 60)
    with libcfa.open(path, CACHE_BYTES=0, NUM_THREADS=1) as ds:
        ticks = 0
        reader = threading.Thread(target=lambda: ds["v"].read([0] * 3, step=[10, 400, 400]))
        reader.start()
        while reader.is_alive():
            time.sleep(0.001)
            ticks += 1
    # With the interpreter locked by the read, the loop would turn once or twice.
    assert ticks > 10
