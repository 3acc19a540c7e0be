"""Lazy arrays of xarray that read through libcfa."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from xarray.backends import BackendArray
from xarray.coding.strings import create_vlen_dtype
from xarray.core import indexing

from . import _handles, _indexing
from ._errors import Invalid
from ._variable import Variable


class Source(NamedTuple):
    """Where the data of an array are and how they are read. Small, whatever the number of fragments."""

    path: str
    settings: _handles.Settings
    identity: _handles.Identity | None
    #: The path of the variable in the file.
    variable: str
    shape: tuple[int, ...]
    #: The type of the variable in the file.
    stored: str
    #: Whether missing data are NaN.
    nan: bool = False
    #: Whether missing data are an error, because nothing can stand for them.
    complete: bool = False
    #: Whether signed integers are meant as unsigned ones.
    unsigned: bool = False
    #: The text that stands for missing texts.
    text: str = ""

    @property
    def needs_mask(self) -> bool:
        """Whether it matters which elements are missing."""
        return self.complete or bool(self.text)

    def open(self) -> Variable:
        """Return the variable of the file, if the file is the one that the array was made from.

        Raises libcfa.Error if the file was replaced.
        """
        handle = _handles.get(self.path, self.settings)
        if self.identity is not None and (handle.identity is None or not self.identity.matches(handle.identity)):
            raise _handles.changed(self.path)
        variable = handle.variable(self.variable)
        # The identity of a file on a server is not known.
        if (variable.shape, variable.dtype.str) != (self.shape, self.stored):
            raise Invalid(
                f"{self.path} was replaced: {self.variable} now has shape {variable.shape} and type "
                f"{variable.dtype}, not {self.shape} and {np.dtype(self.stored)}; open it again",
                "request",
                self.path,
                self.variable,
            )
        return variable


class CfaArray(BackendArray):
    """The data of a variable, read when they are indexed.

    Reads need no lock. A pickle holds names and settings, and the receiving process opens the file itself.
    """

    __slots__ = ("dtype", "shape", "source")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.shape = source.shape
        self.dtype = _dtype(source)

    def __reduce__(self) -> tuple[Any, ...]:
        identity = self.source.identity
        return CfaArray, (self.source._replace(identity=None if identity is None else identity.sent()),)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        source = self.source
        identity = None if source.identity is None else (source.identity.size, source.identity.mtime_ns)
        how = (source.nan, source.complete, source.unsigned, source.text)
        return ("libcfa", source.path, source.settings, identity, source.variable, source.shape, source.stored, how)

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        if isinstance(key, indexing.BasicIndexer):
            # Steps may be negative, so there is nothing to adapt.
            return self._read(key.tuple)
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._read)

    def _read(self, key: tuple[Any, ...]) -> Any:
        variable = self.source.open()
        if not (self.source.needs_mask or any(isinstance(entry, np.ndarray) for entry in key)):
            return self._block(variable, key)

        def read_into(start: list[int], count: list[int], step: list[int], block: _indexing.Block) -> None:
            variable._read(start, count, step, block.data, None, nan=self.source.nan)

        fill = variable._fill if self.source.needs_mask else read_into
        block = _indexing.read(_outer(key, self.shape), self.shape, self._new, fill)
        variable._warn()
        if self.source.complete and not np.all(block.valid):
            raise self._missing(variable)
        data = np.asarray(block.data, np.dtype(self.source.stored))
        if self.source.text:
            return np.where(block.valid, data, self.source.text)
        return data.view(self.dtype) if self.source.unsigned else data

    def whole(self, variable: Variable) -> np.ndarray[Any, Any]:
        """Return all data, which need no mask, from its open variable."""
        return self._block(variable, (slice(None),) * len(self.shape))

    def _block(self, variable: Variable, key: tuple[int | slice, ...]) -> np.ndarray[Any, Any]:
        """Return what integers and slices select of data that need no mask."""
        parts = _indexing.ranges(key, self.shape)
        count = [len(part) for part in parts]
        values = np.empty(count, np.dtype(self.source.stored))
        if values.size:
            start, step = [part.start for part in parts], [part.step for part in parts]
            variable._read(start, count, step, values, None, nan=self.source.nan)
        variable._warn()
        shape = [n for n, entry in zip(count, key, strict=True) if isinstance(entry, slice)]
        values = values.reshape(shape)
        return values.view(self.dtype) if self.source.unsigned else values

    def _missing(self, variable: Variable) -> Invalid:
        message = f"data of {variable.path} are missing, and its type {variable.dtype} has no value for them"
        if variable.fill_value is not None:
            message += f"; with mask_and_scale=False they are {variable.fill_value}"
        return Invalid(message, "type", self.source.path, variable.path)

    def _new(self, shape: tuple[int, ...]) -> _indexing.Block:
        data = np.empty(shape, np.dtype(self.source.stored))
        if self.source.needs_mask:
            return _indexing.Block(data, np.ones(shape, np.bool_))
        # One element that stands for all takes no memory.
        every = np.lib.stride_tricks.as_strided(np.ones(1, np.bool_), shape, (0,) * len(shape))
        return _indexing.Block(data, every)


def _dtype(source: Source) -> np.dtype[Any]:
    stored = np.dtype(source.stored)
    if stored.kind == "O":
        text: np.dtype[Any] = create_vlen_dtype(str)  # type: ignore[no-untyped-call]
        return text
    return np.dtype(f"u{stored.itemsize}") if source.unsigned else stored


def _outer(key: tuple[Any, ...], shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Return an index of numpy that combines each index along a dimension with all those of the others."""
    lists = [isinstance(entry, np.ndarray) for entry in key]
    if not any(lists):
        return key
    if sum(lists) == 1 and not any(isinstance(entry, int | np.integer) for entry in key):
        return key
    # Several lists, and lists beside integers, mean points in numpy.
    axes = [
        entry
        if isinstance(entry, np.ndarray)
        else np.arange(size)[entry]
        if isinstance(entry, slice)
        else np.asarray(entry)
        for entry, size in zip(key, shape, strict=True)
    ]
    rank = sum(axis.ndim for axis in axes)
    place = iter(range(rank))
    return tuple(axis if axis.ndim == 0 else axis.reshape(_along(next(place), rank)) for axis in axes)


def _along(dimension: int, rank: int) -> tuple[int, ...]:
    return tuple(-1 if d == dimension else 1 for d in range(rank))
