"""Settings as Python values: the names of the table of settings, and texts made of numbers, lists and dictionaries."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np


def texts(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the settings as pairs of name and text; those that are None are left out."""
    return [(name, _text(name, value)) for name, value in settings.items() if value is not None]


def _text(name: str, value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "YES" if value else "NO"
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, Mapping):
        return ";".join(f"{key}={replacement}" for key, replacement in value.items())
    if isinstance(value, Iterable):
        return ("," if name == "FRAGMENT_DRIVERS" else ";").join(_text(name, entry) for entry in value)
    raise ValueError(f"setting {name}: {value!r} is not a text, number, list or dictionary")
