"""Settings as Python values: the names of the table of settings, and texts made of numbers, lists and dictionaries."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from . import _core

#: Settings that are lists, with what separates the entries.
_LISTS = {"ALLOWED_SOURCES": ";", "FRAGMENT_DRIVERS": ","}
#: Settings that are dictionaries.
_PAIRS = ("SUBSTITUTIONS", "RELOCATE")


def texts(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the settings as pairs of name and text; those that are None are left out.

    Names have one spelling, so that all that asks for a setting finds it; small letters are left for other parameters.
    """
    for name in settings:
        spelt = name.upper().replace("-", "_")
        if name != spelt and any(known == spelt for known, *_ in _core.settings()):
            raise ValueError(f"unknown setting {name!r}; it is written {spelt}")
    return [(name, _text(name, value)) for name, value in settings.items() if value is not None]


def _text(name: str, value: Any) -> str:
    if isinstance(value, Mapping) and name in _PAIRS:
        pairs = ((_entry(name, key, "=;"), _entry(name, to, ";")) for key, to in value.items())
        return ";".join("=".join(pair) for pair in pairs)
    if isinstance(value, Iterable) and name in _LISTS and not isinstance(value, str | bytes | Mapping):
        return _LISTS[name].join(_entry(name, entry, _LISTS[name]) for entry in value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "YES" if value else "NO"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, str | bytes | os.PathLike):
        return os.fsdecode(value)
    raise ValueError(f"setting {name}: {value!r} is not a text, number, or list or dictionary where it takes one")


def _entry(name: str, value: Any, separators: str) -> str:
    """Return a text within a list. The engine would divide one that has a separator in it."""
    text = os.fsdecode(value) if isinstance(value, str | bytes | os.PathLike) else None
    if text is None or any(separator in text for separator in separators):
        raise ValueError(f"setting {name}: {value!r} is not a text without {' and '.join(separators)}")
    return text
