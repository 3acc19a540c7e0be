"""Coordinates of Python as those of the engine, which are texts."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np


def coordinate_range(name: str, value: Any) -> tuple[str, str | None, str | None]:
    """Return the name of a dimension and the texts of both ends; None for an end of the dimension."""
    if not isinstance(value, slice):
        return name, _text(value), _text(value)
    if value.step is not None:
        raise ValueError(f"{name}: a range of coordinates has no step")
    return name, _end(value.start), _end(value.stop)


def is_point(value: Any, along_dates: bool) -> bool:
    """Return whether a value means one coordinate, unlike a range or a date without a time of day."""
    if isinstance(value, np.datetime64):
        return np.datetime_data(value.dtype)[0] not in ("Y", "M", "W", "D")
    if isinstance(value, datetime.date):
        return isinstance(value, datetime.datetime)
    return not isinstance(value, slice) and not (along_dates and isinstance(value, str | bytes))


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
