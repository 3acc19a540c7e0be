"""create, check, convert and extract."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest

import libcfa
import samples


@pytest.fixture
def archive(tmp_path: Path) -> Any:
    return samples.year(tmp_path)


def test_create_says_what_it_made(archive: Any, tmp_path: Path) -> None:
    told: list[float] = []
    made = libcfa.create(tmp_path / "new.nc", [tmp_path / "zg_2001-*.nc"], progress=told.append)
    assert made.files == 12 and told[-1] == 1 and told == sorted(told)
    (zg,) = (v for v in made.variables if v.name == "zg")
    assert zg.fragments == 12 and [d.name for d in zg.dimensions] == ["time", "lat", "lon"]
    part = zg.dimensions[0].parts[2]
    assert part.size == 31 and "2001-03-01" in part.coordinates and part.file.endswith("zg_2001-03.nc")
    with libcfa.open(tmp_path / "new.nc") as ds:
        assert np.array_equal(ds["zg"].read(fill=0), archive[1].filled(0))
        assert "libcfa.create" in ds.attrs.get("history", "libcfa.create")


def test_create_replaces_nothing_that_it_reads(archive: Any, tmp_path: Path) -> None:
    first = tmp_path / "zg_2001-01.nc"
    before = first.read_bytes()
    with pytest.raises(ValueError, match="never replaced"):
        libcfa.create(first, [tmp_path / "zg_2001-*.nc"], overwrite=True)
    assert first.read_bytes() == before


def test_a_dry_run_writes_nothing(archive: Any, tmp_path: Path) -> None:
    made = libcfa.create(tmp_path / "dry.nc", str(tmp_path / "zg_2001-*.nc"), dry_run=True)
    assert made.variables and not (tmp_path / "dry.nc").exists()


def test_an_update_adds_files(archive: Any, tmp_path: Path) -> None:
    files = sorted(tmp_path.glob("zg_2001-*.nc"))
    for part in (files[:6], files):
        libcfa.create(tmp_path / "grows.nc", part, update=True)
    with libcfa.open(tmp_path / "grows.nc") as ds:
        assert ds["zg"].shape == (365, 4, 6)
    with pytest.raises(ValueError, match="dialect"):
        libcfa.create(tmp_path / "grows.nc", files, update=True, dialect="CFA-0.6.2")


def test_an_update_says_what_it_did(archive: Any, tmp_path: Path) -> None:
    files = sorted(tmp_path.glob("zg_2001-*.nc"))
    out = tmp_path / "grows.nc"
    libcfa.create(out, files[:6])
    made = libcfa.create(out, files, update=True)
    assert [Path(name).name for name in made.added] == [file.name for file in files[6:]]
    files[11].unlink()
    made = libcfa.create(out, files[:1], update=True, prune="files")
    assert [Path(name).name for name in made.removed] == ["zg_2001-12.nc"]
    assert made.added == () and made.changed == ()


def test_attributes_are_kept_as_variables(archive: Any, tmp_path: Path) -> None:
    files = sorted(tmp_path.glob("zg_2001-*.nc"))
    for file in files:
        with netCDF4.Dataset(file, "a") as nc:
            nc.tracking_id = file.stem
    out = tmp_path / "kept.nc"
    libcfa.create(out, files, keep_attributes="tracking_id")
    with libcfa.open(out) as ds:
        ids = ds["tracking_id"].read()
        assert ds["tracking_id"].dims == ("time",)
        assert list(dict.fromkeys(ids.tolist())) == [file.stem for file in files]


def test_wrong_options_are_value_errors(archive: Any, tmp_path: Path) -> None:
    out, files = tmp_path / "out.nc", tmp_path / "zg_2001-*.nc"
    for wrong in (
        {"dialect": "CF-9"},
        {"format": "zip"},
        {"locations": "there"},
        {"locations": "absolute", "base": "x"},
    ):
        with pytest.raises(ValueError):
            libcfa.create(out, files, **wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        libcfa.create(out, files, gaps=True)  # type: ignore[call-arg]
    with pytest.raises(FileNotFoundError):
        libcfa.create(out, tmp_path / "nothing.nc")


def test_advice_names_options_as_python_writes_them(archive: Any, tmp_path: Path) -> None:
    path, _ = archive
    months = sorted(tmp_path.glob("zg_2001-*.nc"))
    cases: list[tuple[Any, str]] = [
        (lambda: libcfa.extract(path, months[1]), "overwrite=True"),
        (lambda: libcfa.create(months[1], months[:1]), "overwrite=True"),
        (lambda: libcfa.convert(path, months[1]), "overwrite=True"),
        (lambda: libcfa.create(tmp_path / "gap.nc", months[::2]), "allow_gaps=True"),
        (lambda: libcfa.create(tmp_path / "two.nc", months[:2], dimensions="lat"), "dimensions"),
        (lambda: libcfa.create(months[1], months[:1], update=True), "update=True"),
    ]
    for call, advice in cases:
        with pytest.raises(ValueError) as caught:
            call()
        assert advice in str(caught.value) and "--" not in str(caught.value), caught.value


def test_check_reports_what_does_not_hold(archive: Any, tmp_path: Path) -> None:
    path, _ = archive
    told: list[float] = []
    report = libcfa.check(path, fragments=True, progress=told.append)
    assert report.violated == 0 and told[-1] == 1
    assert report.variables[0]["states"] == {"present": 12}
    (tmp_path / "zg_2001-03.nc").unlink()
    report = libcfa.check(path, fragments=True, json_report=tmp_path / "report.json")
    assert report.violated == 1 and (tmp_path / "report.json").exists()
    (finding,) = (f for f in report.findings if f.severity == "requirement")
    assert finding.variable == "/zg" and finding.fragment == (2, 0, 0) and "zg_2001-03.nc" in finding.message


def test_convert_changes_the_dialect(archive: Any, tmp_path: Path) -> None:
    path, values = archive
    libcfa.convert(path, tmp_path / "old.nc", dialect="CFA-0.6.2", format="classic")
    assert libcfa.identify(tmp_path / "old.nc") == "CFA-0.6.2"
    with libcfa.open(tmp_path / "old.nc") as ds:
        assert np.array_equal(ds["zg"].read(fill=0), values.filled(0))
    with pytest.raises(ValueError):
        libcfa.convert(path, path)


def test_extract_writes_plain_data(archive: Any, tmp_path: Path) -> None:
    path, values = archive
    told: list[float] = []
    out = tmp_path / "plain.nc"
    libcfa.extract(path, out, select={"time": slice("2001-03", "2001-05"), "lat": 30}, progress=told.append)
    assert told[-1] == 1
    with netCDF4.Dataset(out) as file:
        assert np.array_equal(np.ma.filled(file["zg"][:], 0), values[59:151, 2:3].filled(0))
    with pytest.raises(ValueError, match="overwrite|exists"):
        libcfa.extract(path, out)
    libcfa.extract(path, out, variables="lat", overwrite=True, compression=0, chunks=[2])
    with netCDF4.Dataset(out) as file:
        assert list(file.variables) == ["lat"]
    for wrong in ({"compression": 10}, {"chunks": [0]}, {"select": {"time": "soon"}}):
        with pytest.raises(ValueError):
            libcfa.extract(path, tmp_path / "wrong.nc", **wrong)  # type: ignore[arg-type]
    assert not (tmp_path / "wrong.nc").exists()
    with pytest.raises(ValueError, match="max_findings"):
        libcfa.check(path, max_findings=-1)
