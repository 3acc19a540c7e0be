"""The engine ``cfa`` of xarray: values, missing data, groups, decoding and round trips."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import xarray as xr
from conftest import aggregate, plain_file

import libcfa
from libcfa import xarray_backend
from libcfa.xarray_backend import CfaBackendEntrypoint


def opened(path: Path, **kwargs: Any) -> xr.Dataset:
    return xr.open_dataset(path, engine="cfa", **kwargs)


def test_importing_libcfa_imports_neither_xarray_nor_dask_nor_pandas() -> None:
    code = "import libcfa, sys; print([m for m in ('xarray', 'dask', 'pandas') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout == b"[]\n"


def test_values_are_those_of_the_fragments_after_conversion(year: Any) -> None:
    path, _ = year

    def in_metres(part: xr.Dataset) -> xr.Dataset:
        factor = 1000.0 if part.zg.attrs["units"] == "km" else 1.0
        return part.assign(zg=part.zg.astype("f8") * factor)

    files = sorted(path.parent.glob("zg_*.nc"))
    with xr.open_mfdataset(files, engine="netcdf4", preprocess=in_metres) as whole, opened(path) as ours:
        xr.testing.assert_equal(ours, whole)
        assert (ours.zg.dtype, ours.time.dtype) == (whole.zg.dtype, whole.time.dtype)


def test_missing_data_are_nan_and_the_fill_value_is_an_encoding(year: Any) -> None:
    path, values = year
    with opened(path) as ds:
        np.testing.assert_array_equal(ds.zg, values.filled(np.nan))
        assert "_FillValue" in ds.zg.encoding
        assert "_FillValue" not in ds.zg.attrs


def test_aggregated_times_decode_as_stored_ones(year: Any, tmp_path: Path) -> None:
    path, _ = year
    libcfa.create(tmp_path / "out.nc", path.parent / "zg_*.nc", aggregate_coordinates=True)
    with opened(tmp_path / "out.nc") as ds, opened(path) as stored:
        assert libcfa.open(tmp_path / "out.nc")["time"].dialect == "CF-1.13"
        xr.testing.assert_identical(ds.time, stored.time)
        assert str(ds.time[-1].values) == "2001-12-31T00:00:00.000000000"


def test_attributes_that_define_the_aggregation_are_hidden(tiles: Any) -> None:
    with opened(tiles[0]) as ds:
        assert set(ds.variables) == {"v", "t", "y", "x"}
        assert ds.v.attrs == {}


def test_missing_floats_and_packed_numbers_are_nan_without_any_fill_value(undeclared: Path) -> None:
    with opened(undeclared, drop_variables="bad") as ds:
        np.testing.assert_array_equal(ds.x, [0, 1, 2, np.nan])
        np.testing.assert_array_equal(ds.p, [0, 0.5, 1, np.nan])


def test_a_malformed_variable_is_left_out_with_a_warning(undeclared: Path) -> None:
    with pytest.warns(libcfa.CfaWarning, match="bad is left out"), opened(undeclared) as ds:
        assert set(ds.data_vars) == {"x", "p", "n", "whole"}
    with warnings.catch_warnings(), opened(undeclared, drop_variables="bad") as ds:
        warnings.simplefilter("error")
        assert "x" in ds


def test_missing_integers_without_fill_value_are_an_error(undeclared: Path) -> None:
    with opened(undeclared, drop_variables=["bad"]) as ds:
        assert ds.n.dtype == np.int32
        np.testing.assert_array_equal(ds.n[:3], [0, 1, 2])
        with pytest.raises(libcfa.Error, match="mask_and_scale=False") as caught:
            ds.n.load()
        assert caught.value.variable == "/n"
        np.testing.assert_array_equal(ds.whole, np.arange(4))


def test_the_way_that_the_error_names_gives_missing_integers(undeclared: Path) -> None:
    with opened(undeclared, drop_variables=["bad"], mask_and_scale={"n": False}) as ds:
        assert ds.n.attrs["_FillValue"] == ds.n[3] == -2147483647
        decoded = xr.decode_cf(ds[["n"]])
        np.testing.assert_array_equal(decoded.n, [0, 1, 2, np.nan])
    with opened(undeclared, drop_variables=["bad"], settings={"MISSING_FRAGMENTS": "FILL"}) as ds:
        np.testing.assert_array_equal(ds.n, [0, 1, 2, np.nan])


def test_unmasked_data_say_what_is_missing(undeclared: Path) -> None:
    with opened(undeclared, drop_variables=["bad"], mask_and_scale=False) as ds:
        assert ds.x.attrs["_FillValue"] == ds.x[3]
        assert ds.p.dtype == np.int16
        assert ds.p.attrs["_FillValue"] == ds.p[3]


def test_missing_fragments_follow_the_settings(year: Any, tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "gap.nc", "w") as file:
        aggregate(file, "v", "f4", {"t": [1, 1]}, ["there.nc", "gone.nc"])
    plain_file(tmp_path / "there.nc", {"v": np.ones(1)})
    with opened(tmp_path / "gap.nc") as ds, pytest.raises(FileNotFoundError, match=r"gone\.nc"):
        ds.load()
    with opened(tmp_path / "gap.nc", settings={"MISSING_FRAGMENTS": "FILL"}) as ds, pytest.warns(libcfa.CfaWarning):
        np.testing.assert_array_equal(ds.v, [1, np.nan])
    with pytest.raises(ValueError, match="NO_SUCH"):
        opened(year[0], settings={"NO_SUCH": 1})


def test_integers_texts_characters_and_unsigned_numbers(kinds: Path) -> None:
    with opened(kinds) as ds:
        assert ds["count"].dtype == np.int32
        assert list(ds["count"].values) == [0, 10, 1, 11]
        np.testing.assert_array_equal(ds.masked, [0, 5, 1, np.nan])
        assert list(ds.label.values) == ["first 0", "zweite ä", "first 1", "zweite ä"]
        assert ds.label[1].item() == "zweite ä"
        assert list(ds.unsigned.values) == [1, 254, 1, 254]
        assert ds.unsigned.dtype == np.uint8
        with xr.open_dataset(kinds.parent / "part_0.nc", engine="netcdf4") as part:
            assert ds.code.encoding["_FillValue"] == part.code.encoding["_FillValue"] == b"-"
            np.testing.assert_array_equal(ds.code[:2], part.code)


def test_groups(kinds: Path) -> None:
    with opened(kinds, group="upper/inner") as ds:
        assert ds.attrs == {"level": 2}
        assert list(ds.deep.values) == [0, 0.5, 1, 1.5]
    with xr.open_datatree(kinds, engine="cfa") as tree:
        assert {node.path for node in tree.subtree} == {"/", "/other", "/upper", "/upper/inner"}
        assert set(tree["other"].data_vars) == {"beside"}
        assert tree.attrs["title"] == "kinds"
        # Coordinates are inherited.
        assert tree["/upper/inner/deep"].sel(time="2001-01-02T12").item() == 1.5
    assert set(xr.open_groups(kinds, engine="cfa")) == {"/", "/other", "/upper", "/upper/inner"}
    with xr.open_datatree(kinds, engine="cfa", group="upper") as tree:
        assert [node.path for node in tree.subtree] == ["/", "/inner"]
    with pytest.raises(OSError, match="no group /nowhere; it has: /"):
        opened(kinds, group="nowhere")


def test_decoders_are_those_of_xarray(kinds: Path) -> None:
    with opened(kinds, decode_times=False) as ds:
        assert ds.time.dtype == np.float64
        assert list(ds.time.values) == [0, 12, 24, 36]
    with opened(kinds, decode_coords="all") as ds:
        assert "time_bounds" in ds.coords
    with opened(kinds, decode_times=xr.coders.CFDatetimeCoder(use_cftime=True)) as ds:
        assert ds.indexes["time"].__class__.__name__ == "CFTimeIndex"


@pytest.mark.parametrize("chunks", [None, {}])
@pytest.mark.parametrize("engine", ["netcdf4", "h5netcdf"])
def test_round_trip_through_netcdf(year: Any, kinds: Path, tmp_path: Path, engine: Any, chunks: Any) -> None:
    pytest.importorskip({"netcdf4": "netCDF4", "h5netcdf": "h5py"}[engine])
    for path in (year[0], kinds):
        with opened(path, chunks=chunks) as ds:
            ds.to_netcdf(tmp_path / "out.nc", engine=engine)
            for reader in ("netcdf4", "cfa"):
                with xr.open_dataset(tmp_path / "out.nc", engine=reader) as again:
                    xr.testing.assert_equal(ds.load(), again)
                    same = {v for v in ds if ds[v].encoding["dtype"] == again[v].encoding["dtype"]}
                    assert same >= set(ds) - {"label"}


@pytest.mark.parametrize("chunks", [None, {}])
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")
def test_round_trip_through_zarr(year: Any, kinds: Path, tmp_path: Path, chunks: Any) -> None:
    # zarr itself cannot read characters with a fill value.
    for n, (path, dropped) in enumerate(((year[0], []), (kinds, ["code"]))):
        with opened(path, chunks=chunks, drop_variables=dropped) as ds:
            ds.to_zarr(tmp_path / f"{n}.zarr")
            with xr.open_zarr(tmp_path / f"{n}.zarr") as again:
                xr.testing.assert_equal(ds.load(), again)


def test_data_are_written_in_their_own_type(tiles: Any, tmp_path: Path) -> None:
    with opened(tiles[0]) as ds:
        assert ds.v.encoding["dtype"] == np.float32
        ds.to_netcdf(tmp_path / "out.nc", engine="netcdf4")
    with netCDF4.Dataset(tmp_path / "out.nc") as file:
        assert file["v"].dtype == np.float32


def test_packed_data_are_written_packed(undeclared: Path, tmp_path: Path) -> None:
    with opened(undeclared, drop_variables=["bad", "n"]) as ds:
        ds.to_netcdf(tmp_path / "out.nc", engine="netcdf4")
        with netCDF4.Dataset(tmp_path / "out.nc") as file:
            assert file["p"].dtype == np.int16
            assert file["p"].scale_factor == 0.5
        with xr.open_dataset(tmp_path / "out.nc", engine="netcdf4") as again:
            xr.testing.assert_equal(ds.load(), again)


def test_unlimited_dimensions_and_the_source_are_encodings(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "plain.nc", "w") as file:
        file.createDimension("t", None)
        file.createGroup("g").createVariable("v", "f4", ("t",))[:] = [1, 2]
    with opened(tmp_path / "plain.nc", group="g") as ds:
        assert ds.encoding == {"source": str(tmp_path / "plain.nc"), "unlimited_dims": {"t"}}


def test_unsigned_numbers_of_an_ordinary_variable_survive_a_round_trip(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "plain.nc", "w") as file:
        file.createDimension("t", 2)
        v = file.createVariable("v", "i1", ("t",))
        v._Unsigned, v[:] = "true", [1, -2]
    with opened(tmp_path / "plain.nc") as ds:
        ds.to_netcdf(tmp_path / "out.nc", engine="netcdf4")
        with xr.open_dataset(tmp_path / "out.nc", engine="netcdf4") as again:
            assert list(ds.v.values) == list(again.v.values) == [1, 254]


def test_texts_with_a_fill_value_are_nan_where_they_are_missing(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "plain.nc", "w") as file:
        file.createDimension("t", 2)
        v = file.createVariable("v", str, ("t",), fill_value="none")
        v[0], v[1] = "some", "none"
    with opened(tmp_path / "plain.nc") as ds:
        assert ds.v.values.tolist()[0] == "some"
        assert np.isnan(ds.v.values[1])


def test_guess_is_true_for_aggregations_alone_and_never_raises(year: Any, tmp_path: Path) -> None:
    guess = CfaBackendEntrypoint().guess_can_open
    (tmp_path / "text.nc").write_text("no netCDF")
    (tmp_path / "damaged.nc").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(range(256)))
    assert guess(year[0])
    assert guess(str(year[0]))
    files = [year[0].parent / "zg_2001-01.nc", tmp_path / "text.nc", tmp_path / "damaged.nc", tmp_path / "none.nc"]
    others = [tmp_path, b"CDF\x01", object(), None, 3, "https://localhost:1/a.nc", "a\0b"]
    assert not [thing for thing in [*files, *others] if guess(thing)]


def test_a_guess_asks_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(xarray_backend, "identify", asked.append)
    assert not CfaBackendEntrypoint().guess_can_open("https://localhost/a.nc")
    assert asked == []


def test_the_engine_is_registered_and_opens_names_alone(year: Any) -> None:
    assert "cfa" in xr.backends.list_engines()
    with pytest.raises(TypeError, match="by name, not bytes"):
        xr.open_dataset(b"CDF\x01", engine="cfa")
    with pytest.raises(TypeError, match="unexpected keyword"):
        opened(year[0], no_such_parameter=1)
    with pytest.raises(ValueError, match="chunk_bytes is -1"):
        opened(year[0], chunk_bytes=-1)
