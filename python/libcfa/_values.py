"""Types and values of the engine as those of numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

#: A value as the engine gives it: text, several texts, or a type code with native bytes.
Raw = str | list[str] | tuple[str, bytes]


def dtype_of(code: str) -> np.dtype[Any]:
    """Return the dtype of a type code of the engine; strings are objects."""
    if code == "str":
        return np.dtype(object)
    return np.dtype("S1" if code == "char" else code)


def code_of(dtype: np.dtype[Any]) -> str:
    """Return the type code of a dtype.

    Raises ValueError if netCDF has no such type, or if its bytes are not in native order.
    """
    if dtype == np.dtype("S1"):
        return "char"
    if dtype.kind in "iuf" and dtype.itemsize <= 8 and dtype != np.dtype("f2"):
        if not dtype.isnative:
            raise ValueError(f"dtype {dtype} is not in native byte order")
        return f"{dtype.kind}{dtype.itemsize}"
    raise ValueError(f"data cannot be read as {dtype}; choose an integer or floating-point type")


def numbers(raw: tuple[str, bytes]) -> np.ndarray[Any, Any]:
    """Return the array of a type code and native bytes."""
    code, data = raw
    return np.frombuffer(data, dtype_of(code))


def value(raw: Raw) -> Any:
    """Return a text, a list of texts, a number or an array of numbers."""
    if not isinstance(raw, tuple):
        return raw
    array = numbers(raw)
    return array[0] if array.size == 1 else array


def attributes(raw: dict[str, Raw]) -> dict[str, Any]:
    """Return attributes in the order of the file."""
    return {name: value(one) for name, one in raw.items()}
