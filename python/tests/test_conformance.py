"""The conformance cases, which live beside the repository, through the package and through xarray.

``CONFORMANCE`` names another place for them.
"""

from __future__ import annotations

import importlib.util
import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import libcfa

SUITE = Path(os.environ.get("CONFORMANCE", Path(__file__).parents[3] / "shared" / "conformance"))
CASES = sorted(p.parent for p in SUITE.glob("*/*/expect.json"))

if not CASES:
    pytest.skip(f"{SUITE} is not there", allow_module_level=True)

spec = importlib.util.spec_from_file_location("check", SUITE / "check.py")
assert spec and spec.loader
check = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check)


def code(dtype: np.dtype[Any]) -> str:
    return {"O": "str", "S": "char"}.get(dtype.kind, dtype.str[1:])


def plain(data: Any) -> list[Any]:
    """Values as the cases have them: None for missing ones, words for what JSON has no number for."""

    def one(value: Any) -> Any:
        if isinstance(value, bytes):
            return value.decode("latin-1")
        if isinstance(value, float) and not np.isfinite(value):
            return {True: "NaN"}.get(value != value, "Infinity" if value > 0 else "-Infinity")
        return value

    return [one(value) for value in np.ma.MaskedArray(data).reshape(-1).tolist()]


def selection(shape: tuple[int, ...], start: Any, count: Any, stride: Any) -> tuple[slice, ...]:
    if start is None:
        return tuple(slice(None) for _ in shape)
    ends = [a + n * s for a, n, s in zip(start, count, stride, strict=True)]
    return tuple(slice(a, b if b >= 0 else None, s) for a, b, s in zip(start, ends, stride, strict=True))


def through_libcfa(path: str, name: str, start: Any, count: Any, stride: Any) -> dict[str, Any]:
    try:
        with libcfa.open(path) as ds:
            variable = ds[name]
            data = variable[selection(variable.shape, start, count, stride)]
            shape = list(np.shape(data))
            return {"dtype": code(variable.dtype), "shape": shape, "dims": list(variable.dims), "values": plain(data)}
    except libcfa.Error as error:
        return {"error": error.category, "message": str(error)}


def through_xarray(path: str, name: str, start: Any, count: Any, stride: Any) -> dict[str, Any]:
    import xarray

    group, _, short = name.rpartition("/")
    options: Any = {"engine": "cfa", "group": group or None, "decode_times": False, "concat_characters": False}
    try:
        with (
            xarray.open_dataset(path, mask_and_scale=False, **options) as raw,
            xarray.open_dataset(path, decode_coords=False, **options) as decoded,
        ):
            if short not in raw.variables:
                return {"error": "left-out", "message": "the variable is left out"}
            where = selection(raw[short].shape, start, count, stride)
            stored = raw[short].variable[where]
            data = np.ma.MaskedArray(stored.values)
            if stored.dtype.kind == "f":
                # What is null only after decoding is missing; NaN itself is a number here.
                data.mask = np.isnan(decoded[short].variable[where].values) & ~np.isnan(stored.values)
            return {
                "dtype": code(stored.dtype),
                "shape": stored.shape,
                "dims": list(stored.dims),
                "values": plain(data),
            }
    except (libcfa.Error, ValueError) as error:
        return {"error": getattr(error, "category", "request"), "message": str(error)}


@pytest.mark.parametrize("read", [through_libcfa, through_xarray])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Path, read: Any) -> None:
    if read is through_xarray:
        pytest.importorskip("xarray")
    expected = json.loads((case / "expect.json").read_text())
    check.install(str(case), expected)
    problems = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for variable in expected["variables"]:
            path = str(case / variable.get("file", "agg.nc"))
            outcomes = check.check_variable(variable, path, read)
            problems += [f"{label}: {message}" for ok, label, message in outcomes if not ok]
    assert not problems, "\n".join(problems)
