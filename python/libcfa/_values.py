"""Types and values of the engine as those of numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

#: A value as the engine returns it: text, several texts, or a type code with native bytes.
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


def fill_of(dtype: np.dtype[Any], fill: Any) -> Any:
    """Return what stands for missing data in an array, as one of its elements.

    Raises ValueError if the type does not have it. A fraction may be rounded to the precision of the type.
    """
    if dtype.kind == "O":
        return fill
    wrong = ValueError(f"fill is {fill!r}, which {dtype} does not have")
    given = np.asarray(fill)
    if fill is np.ma.masked or given.ndim or (given.dtype.kind in "US") is not (dtype.kind == "S"):
        raise wrong
    if dtype.kind == "S":
        text = given.item()
        if len(text) != dtype.itemsize or (isinstance(text, str) and not text.isascii()):
            raise wrong
        return given.astype(dtype)[()]
    if given.dtype.kind not in "biufO":
        raise wrong
    try:
        with np.errstate(all="ignore"):
            cast = given.astype(dtype)[()]
    except (TypeError, ValueError, OverflowError):
        raise wrong from None
    lost = cast != fill if dtype.kind != "f" else np.isinf(cast) and not np.isinf(float(fill))
    if lost:
        raise wrong
    return cast


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
