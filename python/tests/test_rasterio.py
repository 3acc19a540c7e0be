"""rasterio and rioxarray with the GDAL that is part of their wheel, and the plugin for it.

CFA_GDAL_PLUGINS names the folder of the plugin; scripts/test_python.sh builds it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest

import libcfa
import libcfa.rasterio

rasterio = pytest.importorskip("rasterio")
PLUGINS = os.environ.get("CFA_GDAL_PLUGINS")
needs_plugin = pytest.mark.skipif(not PLUGINS, reason="CFA_GDAL_PLUGINS names no folder of plugins")
SHAPE = (24, 30, 40)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Return an aggregation of four files, and one plain file of the same data."""
    folder = tmp_path_factory.mktemp("rasters")
    random = np.random.default_rng(5)
    for part in range(4):
        with netCDF4.Dataset(folder / f"part_{part}.nc", "w") as file:
            for name, size in zip(("time", "lat", "lon"), (6, *SHAPE[1:]), strict=True):
                file.createDimension(name, size)
            for name, units, values in (
                ("time", "days since 2001-01-01", np.arange(6.0) + 6 * part),
                ("lat", "degrees_north", 45.0 + np.arange(30)),
                ("lon", "degrees_east", np.arange(40.0)),
            ):
                file.createVariable(name, "f8", (name,)).units = units
                file[name].standard_name = {"lat": "latitude", "lon": "longitude"}.get(name, name)
                file[name][:] = values
            tas = file.createVariable("tas", "f4", ("time", "lat", "lon"), fill_value=1e20, zlib=True)
            tas[:] = random.uniform(200, 300, (6, *SHAPE[1:]))
            tas[2, 3, :4] = np.ma.masked
    made = folder / "tas.nc"
    libcfa.create(made, str(folder / "part_*.nc"))
    libcfa.extract(made, folder / "plain.nc")
    return str(made), str(folder / "plain.nc")


@pytest.fixture(autouse=True)
def registered(request: pytest.FixtureRequest) -> None:
    if needs_plugin.mark in request.node.own_markers:
        libcfa.rasterio.register()


def own(path: str) -> Any:
    """The values by libcfa itself, with the rows in the order of a raster."""
    with libcfa.open(path) as file:
        return np.ma.filled(file["tas"][...], np.float32(1e20))[:, ::-1]


def in_a_process(program: str, *words: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_plugin
def test_bands_are_those_of_the_aggregation(files: tuple[str, str]) -> None:
    with rasterio.open(files[0]) as raster:
        assert (raster.driver, raster.count, raster.shape) == ("CFA", 24, (30, 40))
        assert raster.descriptions[7] == "time=2001-01-08"
        np.testing.assert_array_equal(raster.read(), own(files[0]))
        window = rasterio.windows.Window(5, 6, 7, 8)
        np.testing.assert_array_equal(raster.read([3, 20], window=window), own(files[0])[[2, 19], 6:14, 5:12])


@needs_plugin
def test_a_warped_raster_is_that_of_the_plain_file(files: tuple[str, str]) -> None:
    from rasterio.vrt import WarpedVRT

    found = []
    for name in (files[0], f"netcdf:{files[1]}:tas"):
        with rasterio.open(name) as raster, WarpedVRT(raster, src_crs="EPSG:4326", crs="EPSG:3857") as warped:
            found.append((warped.transform, warped.read([1, 9])))
    assert found[0][0] == found[1][0]
    np.testing.assert_array_equal(found[0][1], found[1][1])
    assert (found[0][1] < 300).any()


@needs_plugin
def test_rioxarray_has_times(files: tuple[str, str]) -> None:
    rioxarray = pytest.importorskip("rioxarray")
    with rioxarray.open_rasterio(files[0]) as array:
        assert [str(time)[:10] for time in array["time"].values[[0, 23]]] == ["2001-01-01", "2001-01-24"]
        np.testing.assert_array_equal(array.values, own(files[0]))


@needs_plugin
def test_eight_threads_read_the_same(files: tuple[str, str]) -> None:
    expected = own(files[0])
    problems: list[BaseException] = []

    def read(seed: int) -> None:
        random = np.random.default_rng(seed)
        try:
            for _ in range(20):
                with rasterio.open(files[0]) as raster:
                    band = int(random.integers(24))
                    np.testing.assert_array_equal(raster.read(band + 1), expected[band])
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


AMONG_OTHERS = """
import sys
import libcfa.rasterio, rasterio
with rasterio.Env():
    assert rasterio.open(sys.argv[1]).count == 0, "the netCDF driver now opens aggregations"
libcfa.rasterio.register()
libcfa.rasterio.register()
import h5py, netCDF4
with netCDF4.Dataset(sys.argv[2]) as file, h5py.File(sys.argv[2]) as same, rasterio.open(sys.argv[1]) as raster:
    assert raster.count == 24
    for band in range(24):
        assert (raster.read(band + 1)[::-1] == file["tas"][band].filled(1e20)).all()
        assert (raster.read(band + 1)[::-1] == same["tas"][band]).all()
with rasterio.open("netcdf:" + sys.argv[2] + ":tas") as raster:
    assert raster.driver == "netCDF" and raster.count == 24
with open("/proc/self/maps") as maps:
    print(len({line.split()[-1] for line in maps if "/libhdf5-" in line or "/libhdf5." in line}))
"""


@needs_plugin
def test_it_may_come_after_others_and_leaves_them_their_libraries(files: tuple[str, str]) -> None:
    pytest.importorskip("h5py")
    # Three packages have a library of HDF5 each; calls must not get to that of another.
    assert int(in_a_process(AMONG_OTHERS, *files)) >= 2


NONE = """
import sys
import libcfa.rasterio
try:
    libcfa.rasterio.register(*sys.argv[1:])
except OSError as reason:
    print(type(reason).__mro__[2].__name__, reason)
"""


def minor() -> str:
    return ".".join(rasterio.__gdal_version__.split(".")[:2])


def test_a_missing_plugin_is_an_error_that_names_the_versions(tmp_path: Path) -> None:
    for other in ("3.7", "2.99"):
        (tmp_path / other).mkdir()
        (tmp_path / other / "gdal_CFA.so").write_bytes(b"")
    message = in_a_process(NONE, str(tmp_path))
    assert message.startswith("FileNotFoundError ")
    assert f"is {minor()}, " in message and "only for 2.99, 3.7" in message and str(tmp_path) in message
    message = in_a_process(NONE, CFA_GDAL_PLUGINS=str(tmp_path))
    assert str(tmp_path) in message and "/usr/local/lib/cfa/gdalplugins" in message


def test_what_is_no_plugin_for_wheels_is_an_error(tmp_path: Path) -> None:
    (tmp_path / minor()).mkdir()
    plugin = tmp_path / minor() / "gdal_CFA.so"
    for content, reason in ((b"", "is no plugin for wheels"), (b"libgdal-of-the-wheel-" + b"_" * 999 + b"\0", "fit")):
        plugin.write_bytes(content)
        message = in_a_process(NONE, str(tmp_path))
        assert message.startswith("OSError ") and reason in message and str(plugin) in message
