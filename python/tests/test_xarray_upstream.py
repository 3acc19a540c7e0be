"""xarray's own tests of its netCDF engines, with netcdf4 as the writer and cfa as the reader."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
import xarray as xr

pytest.importorskip("xarray.tests.test_backends")
from xarray import backends
from xarray.tests import test_backends

# Why a test of xarray does not apply to this engine.
STORAGE = "the engine does not report how an ordinary variable is compressed and chunked in its file"
ENUM = "the engine reads enumerations as their integers"
WRITES = "the test writes with the engine itself, which only reads"
LEFT_OUT = {
    "test_dump_encodings": STORAGE,
    "test_compression_encoding_legacy": STORAGE,
    "test_encoding_kwarg_compression": STORAGE,
    "test_keep_chunksizes_if_no_original_shape": STORAGE,
    "test_preferred_chunks_is_present": STORAGE,
    "test_auto_chunking_is_based_on_disk_chunk_sizes": STORAGE,
    "test_base_chunking_uses_disk_chunk_sizes": STORAGE,
    "test_preferred_chunks_are_disk_chunk_sizes": STORAGE,
    "test_encoding_enum__no_fill_value": ENUM,
    "test_encoding_enum__multiple_variable_with_enum": ENUM,
    "test_create_default_indexes": WRITES,
    "test_byte_attrs": "attributes that are not UTF-8 are decoded in another way",
}


@pytest.fixture(params=["s", "ms", "us", "ns"])
def time_unit(request: pytest.FixtureRequest) -> Any:
    """The unit of time that some tests are run with."""
    return request.param


@pytest.fixture(params=[True, False])
def use_dask(request: pytest.FixtureRequest) -> Any:
    """Whether some tests are run with Dask."""
    return request.param


@pytest.fixture(autouse=True)
def applies(request: pytest.FixtureRequest) -> None:
    """Skip the tests that do not apply."""
    why = LEFT_OUT.get(request.function.__name__)
    if why is not None:
        pytest.skip(why)


@pytest.mark.filterwarnings("ignore")
class TestPlainFiles(test_backends.NetCDF4Base):
    """Ordinary netCDF-4 files."""

    engine: Any = "cfa"

    def save(self, dataset: xr.Dataset, path: Any, **kwargs: Any) -> Any:
        """Write with netcdf4."""
        return dataset.to_netcdf(path, engine="netcdf4", **kwargs)

    @contextlib.contextmanager
    def create_store(self) -> Iterator[Any]:
        """Return a store that is written by netcdf4."""
        open_store: Any = backends.NetCDF4DataStore.open
        with test_backends.create_tmp_file() as path, open_store(path, mode="w") as store:
            yield store


class TestPlainFilesWithDask(TestPlainFiles):
    """The same, read in chunks."""

    @contextlib.contextmanager
    def open(self, path: Any, **kwargs: Any) -> Iterator[xr.Dataset]:
        """Open in chunks."""
        kwargs.setdefault("chunks", {})
        with xr.open_dataset(path, engine="cfa", **kwargs) as dataset:
            yield dataset

    @pytest.mark.skip(reason="Dask reads anew each time, and sorts what it reads")
    def test_dataset_caching(self) -> None:
        """Caching is that of lazy arrays."""


def test_what_is_left_out_is_there() -> None:
    """A test that xarray renames must not be left out unnoticed."""
    assert not [name for name in LEFT_OUT if not hasattr(test_backends.NetCDF4Base, name)]
