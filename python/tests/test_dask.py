"""Dask: threads, and clusters of several processes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import netCDF4
import numpy as np
import pytest
import xarray as xr
from conftest import aggregate, plain_file

import libcfa

distributed = pytest.importorskip("distributed")

#: The bytes of one step of time of the archive ``large``.
STEP = 500 * 500 * 4


@pytest.fixture(scope="module", params=["spawn", "forkserver", "fork"])
def client(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A cluster of two processes, started in this way."""
    options = {
        "distributed.worker.multiprocessing-method": request.param,
        # Nothing is spilled, paused or killed: tests look at memory themselves.
        **{f"distributed.worker.memory.{what}": False for what in ("target", "spill", "pause", "terminate")},
    }
    with (
        dask.config.set(options),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=2, processes=True, dashboard_address=":0", protocol="tcp"
        ) as cluster,
        distributed.Client(cluster, timeout=30) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """200 MB in 200 fragments, which are the data of ten files again and again."""
    folder = tmp_path_factory.mktemp("large")
    for n in range(10):
        plain_file(folder / f"{n}.nc", {"v": np.full((1, 500, 500), n, "f4")})
    with netCDF4.Dataset(folder / "large.nc", "w") as file:
        aggregate(file, "v", "f4", {"t": [1] * 200, "y": [500], "x": [500]}, [f"{n % 10}.nc" for n in range(200)])
    return folder / "large.nc"


def test_means_of_threads_are_right(year: Any) -> None:
    path, values = year
    with xr.open_dataset(path, engine="cfa", chunks={}, chunk_bytes=0) as ds:
        assert len(ds.chunks["time"]) == 12
        np.testing.assert_allclose(ds.zg.mean("time").compute(scheduler="threads"), values.mean(0))


def test_a_cluster_computes_means(client: Any, year: Any) -> None:
    path, values = year
    with xr.open_dataset(path, engine="cfa", chunks={}, chunk_bytes=0) as ds:
        np.testing.assert_allclose(client.compute(ds.zg.mean("time")).result(timeout=50), values.mean(0))
        by_month = ds.zg.groupby("time.month").mean().compute()
        np.testing.assert_allclose(by_month[1], values[31:59].mean(0))


def test_a_cluster_rechunks(client: Any, year: Any) -> None:
    path, values = year
    with xr.open_dataset(path, engine="cfa", chunks={}, chunk_bytes=0) as ds:
        turned = ds.zg.chunk(time=-1, lat=1, lon=2).persist()
        distributed.wait(turned, timeout=50)
        np.testing.assert_array_equal(turned, values.filled(np.nan))
        assert turned.chunks == ((365,), (1,) * 4, (2,) * 3)


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
def test_a_cluster_writes_zarr(client: Any, year: Any, tmp_path: Path) -> None:
    path, values = year
    with xr.open_dataset(path, engine="cfa", chunks={"time": 50}) as ds:
        ds.to_zarr(tmp_path / "out.zarr")
    with xr.open_zarr(tmp_path / "out.zarr") as again:
        np.testing.assert_array_equal(again.zg, values.filled(np.nan))
        assert again.zg.encoding["chunks"][0] == 50


def test_chunks_of_unequal_months_need_chunk_before_to_zarr(year: Any, tmp_path: Path) -> None:
    with xr.open_dataset(year[0], engine="cfa", chunks={}, chunk_bytes=0) as ds:
        with pytest.raises(ValueError, match="uniform chunk"):
            ds.to_zarr(tmp_path / "out.zarr", consolidated=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ds.chunk(time=100).to_zarr(tmp_path / "again.zarr", consolidated=False)


def test_errors_of_workers_say_where(client: Any, tmp_path: Path) -> None:
    plain_file(tmp_path / "there.nc", {"v": np.ones(1)})
    with netCDF4.Dataset(tmp_path / "gap.nc", "w") as file:
        aggregate(file, "v", "f4", {"t": [1, 1]}, ["there.nc", "gone.nc"])
    with xr.open_dataset(tmp_path / "gap.nc", engine="cfa", chunks={}, chunk_bytes=0) as ds:
        with pytest.raises(FileNotFoundError, match=r"gone\.nc") as caught:
            ds.v.sum().compute()
        error: Any = caught.value
        assert isinstance(error, libcfa.Error)
        assert (error.category, error.fragment) == ("fragment-missing", (1,))


def peak(reset: bool = False) -> int:
    """Return the most memory that this process has had, in bytes; with ``reset``, from now on."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="the system does not tell the peak")
def test_memory_of_workers_is_bounded_by_their_tasks(client: Any, large: Path) -> None:
    expected = np.mean(np.arange(10))
    with xr.open_dataset(large, engine="cfa", chunks={}, chunk_bytes=10 * STEP) as ds:
        assert ds.v.data.npartitions == 20
        assert ds.v.mean().compute() == expected  # each worker has imported and opened everything
        before = client.run(peak, reset=True)
        assert ds.v.mean().compute() == expected
        after = client.run(peak)
    # Two tasks at once, each with a chunk of 10 MB, what its sum needs and what the engine keeps; the file has 200 MB.
    grown = {worker: after[worker] - before[worker] for worker in after}
    assert max(grown.values()) < 8 * 10 * STEP, grown
