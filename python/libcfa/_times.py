"""The times of a coordinate as xarray decodes them, for the units and calendars that most files have.

xarray decodes a variable of times twice, the first time to learn its type, through pandas. That is a third of what
opening a small dataset costs. Here the same is a multiplication and an addition of whole numbers; whatever is not as
simple as that is left to xarray.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from xarray.coding.times import CFDatetimeCoder

from . import _core

_CALENDARS = ("standard", "gregorian", "proleptic_gregorian")
_SECONDS = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}
_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_UNITS = re.compile(f"(days|hours|minutes|seconds) since ({_DATE}(?:[ T][0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}})?)")
#: Attributes that change what the numbers mean.
_CHANGING = frozenset(("_FillValue", "missing_value", "scale_factor", "add_offset", "_Unsigned", "dtype"))
#: Whether xarray decodes times as nanoseconds if it is not told otherwise.
_IS_NANOSECONDS = getattr(CFDatetimeCoder(), "time_unit", "ns") == "ns"


def decoded(values: np.ndarray[Any, Any], attrs: Mapping[str, Any]) -> np.ndarray[Any, Any] | None:
    """Return times as datetime64, or None if xarray has to decode them."""
    units, calendar = attrs.get("units"), attrs.get("calendar", "standard")
    if not (_IS_NANOSECONDS and isinstance(units, str) and isinstance(calendar, str) and calendar in _CALENDARS):
        return None
    unit = _unit(units)
    if unit is None or values.size == 0 or values.dtype.kind not in "iuf" or not _CHANGING.isdisjoint(attrs):
        return None
    # Not all numbers of this type fit the signed one below.
    if values.dtype == np.uint64:
        return None
    numbers = values.astype("f8" if values.dtype.kind == "f" else "i8", copy=False)
    times = np.empty(values.shape, "i8")
    return times.view("M8[ns]") if _core.nanoseconds(numbers, *unit, times) else None


@functools.lru_cache(maxsize=64)
def _unit(units: str) -> tuple[int, int] | None:
    """Return the reference time, since 1970, and the unit in nanoseconds, or None if xarray has to decode them."""
    found = _UNITS.fullmatch(units)
    if found is None:
        return None
    try:
        reference = int(np.datetime64(found[2], "s").astype("i8")) * 10**9
    except ValueError:  # no such day
        return None
    return (reference, _SECONDS[found[1]] * 10**9) if abs(reference) < 1 << 63 else None
