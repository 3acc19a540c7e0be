"""Opening files, their description, and errors."""

from __future__ import annotations

import errno
import gc
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest

import libcfa
import samples


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return samples.year(tmp_path_factory.mktemp("year"))[0]


@pytest.fixture
def grouped(tmp_path: Path) -> Path:
    with netCDF4.Dataset(tmp_path / "grouped.nc", "w") as file:
        file.title = "a title"
        file.createDimension("x", 3)
        inner = file.createGroup("a").createGroup("b")
        inner.level = np.int16(7)
        inner.createDimension("y", None)
        v = inner.createVariable("v", "i4", ("y", "x"))
        v[:] = [[1, 2, 3], [4, 5, 6]]
        v.numbers, v.words, v.single = np.array([1.5, 2.5]), ["one", "two"], np.uint8(3)
    return tmp_path / "grouped.nc"


def test_a_dataset_is_a_mapping_of_variables(archive: Path) -> None:
    with libcfa.open(archive) as ds:
        assert sorted(ds) == ["lat", "lon", "time", "zg"] and len(ds) == 4
        assert "zg" in ds and "/zg" in ds and "nothing" not in ds and 3 not in ds
        assert ds["zg"].path == ds["/zg"].path == "/zg" and ds["zg"].name == "zg"
        assert dict(ds)["lat"][...].tolist() == [-30, 0, 30, 60]
        assert ds.dimensions == {"time": 365, "lat": 4, "lon": 6}
        assert ds.attrs["Conventions"] == "CF-1.13"
        assert ds.groups == {} and ds.warnings == []
        assert "zg" in repr(ds)


def test_a_variable_describes_itself(archive: Path) -> None:
    with libcfa.open(archive) as ds:
        zg = ds["zg"]
        assert (zg.shape, zg.ndim, zg.size, len(zg)) == ((365, 4, 6), 3, 8760, 365)
        assert zg.dims == ("time", "lat", "lon") and zg.dtype == np.dtype("f8") and zg.units == "m"
        assert zg.dialect == "CF-1.13" and ds["lat"].dialect is None
        assert zg.chunks == (tuple(samples.MONTHS), (4,), (6,)) and ds["lat"].chunks == ((4,),)
        assert not set(zg.attrs) & {"aggregated_dimensions", "aggregated_data"}
        assert zg.fill_value == zg.attrs["_FillValue"] and ds["lat"].units == "degrees_north"


def test_fragments_are_rows(archive: Path) -> None:
    with libcfa.open(archive) as ds:
        rows = ds["zg"].fragments()
        assert ds["lat"].fragments() == []
    assert len(rows) == 12
    assert (rows[2].index, rows[2].start, rows[2].shape) == ((2, 0, 0), (59, 0, 0), (31, 4, 6))
    assert (rows[2].location, rows[2].identifier) == ("zg_2001-03.nc", "zg")
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(rows)
    assert list(table.columns)[:5] == ["index", "start", "shape", "location", "identifier"]
    assert table["location"][11] == "zg_2001-12.nc"


def test_groups_have_paths(grouped: Path) -> None:
    with libcfa.open(grouped) as ds:
        assert list(ds) == ["/a/b/v"] and ds["a/b/v"].dims == ("y", "x")
        assert list(ds.groups) == ["/a", "/a/b"] and ds.attrs == {"title": "a title"}
        assert ds.dimensions == {"x": 3, "/a/b/y": 2}
        inner = ds.groups["/a/b"]
        assert inner.attrs == {"level": 7} and inner.dimensions == {"y": 2} and inner.unlimited == {"y"}
        attrs = ds["/a/b/v"].attrs
        assert attrs["numbers"].tolist() == [1.5, 2.5] and attrs["words"] == ["one", "two"]
        assert attrs["single"] == 3 and attrs["single"].dtype == np.uint8


def test_paths_are_text_bytes_or_objects(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (str(archive), os.fsencode(archive), archive):
        with libcfa.open(path) as ds:
            assert ds["zg"].shape == (365, 4, 6)
        assert libcfa.identify(path) == "CF-1.13"
    odd = os.fsencode(archive.parent) + b"/\xe9.nc"
    os.link(archive, odd)
    assert libcfa.identify(odd) == "CF-1.13"
    os.remove(odd)
    assert libcfa.identify(archive.parent / "zg_2001-01.nc") is None
    assert libcfa.identify(__file__) is None
    monkeypatch.chdir(archive.parent)
    with libcfa.open(archive.name) as ds:
        monkeypatch.chdir("/")
        assert ds["zg"][0].shape == (4, 6)


def test_settings_have_the_names_of_the_table(archive: Path) -> None:
    names = libcfa.settings()
    assert names["NUM_THREADS"][0] == "0" and "threads" in names["NUM_THREADS"][1]
    moved, one = {str(archive.parent): "/nowhere"}, np.int8(1)
    with libcfa.open(archive, NUM_THREADS=one, LOSSY_CASTS=True, RELOCATE=moved, FRAGMENT_DRIVERS=["GTiff"]) as ds:
        assert ds["zg"][0].shape == (4, 6)
    for wrong in ({"THREADS": 1}, {"NUM_THREADS": "many"}, {"CACHE_BYTES": -1}, {"NUM_THREADS": object()}):
        with pytest.raises(ValueError):
            libcfa.open(archive, **wrong)


def test_settings_have_one_spelling(archive: Path) -> None:
    for name in ("num_threads", "Num_Threads", "NUM-THREADS"):
        with pytest.raises(ValueError, match="NUM_THREADS"):
            libcfa.open(archive, **{name: 1})


def test_values_of_settings_are_taken_whole_or_not_at_all(archive: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    moved.mkdir()
    for path in archive.parent.glob("zg_*.nc"):
        os.link(path, moved / path.name)
    agg = tmp_path / "absolute.nc"
    libcfa.create(agg, moved / "zg_*.nc", locations="absolute")
    moved.rename(tmp_path / "there")
    for old, new in ((moved, tmp_path / "there"), (os.fsencode(moved), os.fsencode(tmp_path / "there"))):
        with libcfa.open(agg, RELOCATE={old: new}, ALLOWED_SOURCES=[os.fsencode(tmp_path / "there")]) as ds:
            assert ds["zg"][0].shape == (4, 6)
    wrong: list[dict[str, Any]] = [
        {"RELOCATE": {"/a;/b=/c": "/d"}},
        {"RELOCATE": {"/a=b": "/d"}},
        {"RELOCATE": {"/a": "/b;/c"}},
        {"ALLOWED_SOURCES": ["/data;/other"]},
        {"ALLOWED_SOURCES": [3]},
        {"ALLOWED_SOURCES": {"/a": "/b"}},
        {"NUM_THREADS": [1, 2]},
    ]
    for settings in wrong:
        with pytest.raises(ValueError, match=next(iter(settings))):
            libcfa.open(archive, **settings)


def test_a_closed_dataset_is_not_read(archive: Path) -> None:
    ds = libcfa.open(archive)
    zg = ds["zg"]
    assert not ds.closed
    ds.close()
    ds.close()
    assert ds.closed and "closed" in repr(ds)
    for use in (lambda: zg[0], lambda: zg.read(), lambda: ds["zg"], lambda: list(ds), zg.fragments):
        with pytest.raises(ValueError, match="closed"):
            use()


def test_closing_gives_back_descriptors(archive: Path) -> None:
    def mine() -> set[str]:
        gc.collect()
        links = (f"/proc/self/fd/{n}" for n in os.listdir("/proc/self/fd"))
        return {os.readlink(link) for link in links if os.path.lexists(link)} & {
            str(p) for p in archive.parent.glob("*.nc")
        }

    ds = libcfa.open(archive)
    zg = ds["zg"]
    zg[...]
    assert mine()
    ds.close()
    assert not mine()


def test_errors_are_those_that_python_users_catch(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "text.nc").write_text("no netCDF")
    cases: list[tuple[type[Exception], str, Any]] = [
        (FileNotFoundError, "io", lambda: libcfa.open(tmp_path / "nothing.nc")),
        (OSError, "not-netcdf", lambda: libcfa.open(tmp_path / "text.nc")),
        (KeyError, "missing-variable", lambda: libcfa.open(archive)["nothing"]),
        (ValueError, "request", lambda: libcfa.open(archive)["zg"].read([400, 0, 0], [1, 1, 1])),
        (ValueError, "type", lambda: libcfa.open(archive)["zg"].read(dtype="i1")),
        (PermissionError, "policy", lambda: libcfa.open(archive, ALLOWED_SOURCES="/nowhere")["zg"][...]),
    ]
    for kind, category, call in cases:
        with pytest.raises(kind) as caught:
            call()
        error = caught.value
        assert isinstance(error, libcfa.Error) and error.category == category, error
        if isinstance(error, FileNotFoundError | PermissionError):
            assert error.errno == (errno.ENOENT if isinstance(error, FileNotFoundError) else errno.EACCES)
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == str(error) and again.category == category
        assert "'\"" not in str(error)


def test_an_error_names_file_variable_and_fragment(tmp_path: Path) -> None:
    path, _ = samples.year(tmp_path)
    (tmp_path / "zg_2001-03.nc").unlink()
    with libcfa.open(path) as ds:
        assert ds["zg"][0].shape == (4, 6)
        with pytest.raises(FileNotFoundError, match="zg_2001-03.nc") as caught:
            ds["zg"][...]
    error = caught.value
    assert isinstance(error, libcfa.Error) and error.category == "fragment-missing"
    assert error.file == str(path) and error.variable == "/zg" and error.fragment == (2, 0, 0)
    with libcfa.open(path, MISSING_FRAGMENTS="FILL") as ds:
        assert np.ma.getmaskarray(ds["zg"][59:90]).all()


def test_warnings_are_reported_once(tmp_path: Path) -> None:
    path, _ = samples.year(tmp_path)
    libcfa.create(path, tmp_path / "zg_2001-*.nc", record_state=True)
    os.utime(tmp_path / "zg_2001-02.nc", (1, 1))
    with libcfa.open(path) as ds:
        with pytest.warns(libcfa.CfaWarning, match="zg_2001-02.nc") as caught:
            ds["zg"][...]
        assert caught[0].filename == __file__
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ds["zg"][...]
        assert len(ds.warnings) == 1


@pytest.mark.parametrize("how", ["index", "select", "array", "read", "extract"])
def test_warnings_name_the_line_of_the_user(tmp_path: Path, how: str) -> None:
    path, _ = samples.year(tmp_path)
    libcfa.create(path, tmp_path / "zg_2001-*.nc", record_state=True)
    os.utime(tmp_path / "zg_2001-02.nc", (1, 1))
    ways = {
        "index": lambda zg: zg[...],
        "select": lambda zg: zg.select(time="2001-02"),
        "array": lambda zg: np.asarray(zg),
        "read": lambda zg: zg.read(),
        "extract": lambda zg: libcfa.extract(path, tmp_path / "plain.nc"),
    }
    with libcfa.open(path) as ds, pytest.warns(libcfa.CfaWarning, match="zg_2001-02.nc") as caught:
        ways[how](ds["zg"])
    assert caught[0].filename == __file__


def test_importing_brings_nothing_else() -> None:
    code = "import sys, libcfa; print([m for m in ('xarray', 'dask', 'pandas', 'netCDF4') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
