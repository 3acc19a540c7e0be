"""Coordinates of Python as those of the engine, which are texts."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

import numpy as np

Choice = tuple[str, str | None, str | None, bool]


def choices(coordinates: Mapping[str, Any], method: str | None) -> list[Choice]:
    """Return what is wanted of each dimension as the engine takes it, in order."""
    if method not in (None, "nearest"):
        raise ValueError(f"method is {method!r}; it is 'nearest' or None")
    return [
        _choice(name, one, method == "nearest") for name, wanted in coordinates.items() for one in items(name, wanted)
    ]


def is_list(wanted: Any) -> bool:
    """Return whether several values or slices are wanted of a dimension."""
    return isinstance(wanted, list | tuple) or (isinstance(wanted, np.ndarray) and wanted.ndim == 1)


def items(name: str, wanted: Any) -> list[Any]:
    """Return the values and slices that are wanted of a dimension."""
    found = list(wanted) if is_list(wanted) else [wanted]
    if not found:
        raise ValueError(f"{name}: the list is empty")
    return found


def _choice(name: str, value: Any, nearest: bool) -> Choice:
    """Return the name of a dimension, the texts of both ends (None for an end of the dimension), and the method."""
    if not isinstance(value, slice):
        return name, _text(value), _text(value), nearest
    if value.step is not None:
        raise ValueError(f"{name}: a range of coordinates has no step")
    return name, _end(value.start), _end(value.stop), False


def is_point(value: Any, along_dates: bool, method: str | None) -> bool:
    """Return whether a value means one coordinate, unlike a range or a date without a time of day."""
    if isinstance(value, slice):
        return False
    if method == "nearest":
        return True
    if isinstance(value, np.datetime64):
        return np.datetime_data(value.dtype)[0] not in ("Y", "M", "W", "D")
    if isinstance(value, datetime.date):
        return isinstance(value, datetime.datetime)
    return not (along_dates and isinstance(value, str | bytes))


def _end(value: Any) -> str | None:
    return None if value is None else _text(value)


def _text(value: Any) -> str:
    if isinstance(value, datetime.datetime) and value.utcoffset() is not None:
        # The times of files are those of UTC.
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    if isinstance(value, bytes):
        return value.decode()
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    return str(value.item() if isinstance(value, np.generic) and not isinstance(value, np.datetime64) else value)
