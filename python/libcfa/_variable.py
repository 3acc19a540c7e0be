"""A variable of an open dataset."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _indexing, _values
from ._coordinates import choices, is_list, is_point, items
from ._errors import warn
from ._once import once

if TYPE_CHECKING:
    from ._dataset import Dataset

#: Called with the fraction that is done, from 0 to 1; the last call is with 1.
Progress = Callable[[float], object]


@dataclass(frozen=True, slots=True)
class Fragment:
    """A fragment of an aggregation variable."""

    #: Its index in the array of fragments.
    index: tuple[int, ...]
    #: The first index of the aggregated data that it provides, along each dimension.
    start: tuple[int, ...]
    #: The number of indices that it provides, along each dimension.
    shape: tuple[int, ...]
    #: The file of its first version: a URI or a name; None for the aggregation file itself, and without a version.
    location: str | None
    #: The name of the variable in that file.
    identifier: str | None
    #: Location and identifier of every version, any of which provides it.
    versions: tuple[tuple[str | None, str], ...]
    #: The value of all its elements, if the aggregation file holds one.
    value: Any


class Variable:
    """A variable, aggregated or ordinary; both are read in the same way.

    Index it like an array: ``v[0, 10:20, ...]``. Data are read when they are indexed. The result is a numpy array, or a
    masked array if some of it is missing. Packed data are returned packed; ``read(..., unpacked=True)`` unpacks them.
    """

    def __init__(self, dataset: Dataset, core: _core.Variable) -> None:
        self._dataset, self._core = dataset, core

    @property
    def path(self) -> str:
        """Its absolute path, such as ``/tas`` or ``/group/tas``."""
        return self._core.path

    @property
    def name(self) -> str:
        """Its name, without path."""
        return self._core.path.rpartition("/")[2]

    @once
    def shape(self) -> tuple[int, ...]:
        """The size of each dimension."""
        return self._core.shape()

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @once
    def dims(self) -> tuple[str, ...]:
        """The name of each dimension."""
        return self._core.dimensions()

    @once
    def _code(self) -> str:
        return self._core.code()

    @once
    def dtype(self) -> np.dtype[Any]:
        """The type of its data; strings are Python objects."""
        return _values.dtype_of(self._code)

    @once
    def attrs(self) -> dict[str, Any]:
        """Its attributes, without those that define the aggregation."""
        return _values.attributes(self._core.attributes())

    @property
    def units(self) -> str | None:
        """Its units, if it has any."""
        units = self.attrs.get("units")
        return units if isinstance(units, str) else None

    @once
    def dialect(self) -> str | None:
        """The convention that the aggregation follows, such as ``CF-1.13``; None for an ordinary variable."""
        return self._core.dialect()

    @once
    def fill_value(self) -> Any:
        """What stands for missing data in reads without mask; None if nothing does."""
        raw = self._core.missing_value()
        return None if raw is None else _values.numbers(raw)[0]

    @once
    def chunks(self) -> tuple[tuple[int, ...], ...]:
        """The sizes of the fragments along each dimension; a whole dimension for an ordinary variable."""
        return self._core.chunks()

    def fragments(self) -> list[Fragment]:
        """Return all fragments in C order; none for an ordinary variable. ``pandas.DataFrame`` takes them as rows."""
        rows = []
        for index, start, shape, versions, value in self._core.fragments():
            location, identifier = versions[0] if versions else (None, None)
            one = None if value is None else _values.value(value)
            rows.append(Fragment(index, start, shape, location, identifier, tuple(versions), one))
        return rows

    def __getitem__(self, key: Any) -> Any:
        """Read the elements that an index of numpy selects."""
        block = _indexing.read(key, self.shape, self._new, self._fill)
        self._warn()
        return self._result(block)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("the data of a variable cannot be had without a copy")
        whole = self[...]
        if isinstance(whole, np.ma.MaskedArray):
            # numpy would show what stands for missing data as if it were data.
            if not np.issubdtype(whole.dtype, np.floating):
                raise ValueError(f"data of {self.path} are missing, and {whole.dtype} has no NaN; index the variable")
            whole = whole.filled(np.nan)
        return np.asarray(whole, dtype)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a variable without dimensions")
        return self.shape[0]

    def __repr__(self) -> str:
        if self._dataset.closed:
            return f"<libcfa.Variable {self.path} (closed)>"
        sizes = ", ".join(f"{name}: {size}" for name, size in zip(self.dims, self.shape, strict=True))
        return f"<libcfa.Variable {self.path} ({sizes}) {self.dtype}>"

    def select(self, coordinates: Mapping[str, Any] | None = None, /, *, method: str | None = None, **more: Any) -> Any:
        """Read a part by coordinate values: ``v.select(time=slice("2001-03", "2001-05"), lat=45)``.

        A slice includes both ends; an end that is None is that of the dimension. Dates are compared to the precision in
        which they are written, so ``time="2001-03"`` is the whole of March; those with a time zone are converted to
        UTC. A value that no coordinate equals means the cell whose bounds contain it; with ``method="nearest"`` it
        means the nearest coordinate. Longitudes may be those of any turn: ``lon=slice(-20, 20)``. Values and slices in
        a list are joined in its order.

        A single number, label or datetime takes its dimension away, like an integer index; a date does not, since it
        may mean several times, unless the nearest is meant. A dimension without coordinates is selected by index. A
        dimension whose name is not one of Python is selected by a mapping: ``v.select({"my lat": 45})``.
        """
        wanted = {**(coordinates or {}), **more}
        chosen = choices(wanted, method)
        ranges, dates = self._core.select(chosen)
        options: list[list[Any]] = [[slice(start, start + count) for start, count in along] for along in ranges]
        along_dates = {name: is_date for (name, *_), is_date in zip(chosen, dates, strict=True)}
        for name, value in wanted.items():
            d = self.dims.index(name)
            found = sum(count for _, count in ranges[d])
            points = [is_point(one, along_dates[name], method) for one in items(name, value)]
            if is_list(value):
                if all(points) and found < len(points):
                    raise ValueError(f"{name}: {len(points)} values mean only {found} different coordinates")
            elif found == 1 and points[0]:
                options[d] = [ranges[d][0][0]]
        return self._joined(options, [])

    def _joined(self, options: list[list[Any]], key: list[Any]) -> Any:
        """Read with each of the indices along the dimensions after those of the key, and join the results."""
        if len(key) == len(options):
            return self[tuple(key)]
        parts = [self._joined(options, [*key, one]) for one in options[len(key)]]
        if len(parts) == 1:
            return parts[0]
        axis = sum(isinstance(one, slice) for one in key)
        masked = [part for part in parts if isinstance(part, np.ma.MaskedArray)]
        if not masked:
            return np.concatenate(parts, axis)
        joined = np.ma.concatenate(parts, axis)  # type: ignore[no-untyped-call]
        joined.fill_value = masked[0].fill_value
        return joined

    def read(
        self,
        start: Sequence[int] | None = None,
        count: Sequence[int] | None = None,
        step: Sequence[int] | None = None,
        *,
        out: np.ndarray[Any, Any] | None = None,
        mask: np.ndarray[Any, Any] | None = None,
        dtype: Any = None,
        fill: Any = None,
        unpacked: bool = False,
        progress: Progress | None = None,
    ) -> np.ndarray[Any, Any]:
        """Read a block into an array, which is returned.

        Args:
            start: the first index along each dimension; 0 everywhere if it is None.
            count: the number of indices along each dimension; as many as there are if it is None.
            step: the distance between indices, which may be negative; 1 everywhere if it is None.
            out: the array to fill, in C order; its type is the one that is read.
            mask: an array of bool that receives True where data are valid and False where they are missing.
            dtype: the type to read, if ``out`` is None; that of the variable by default.
            fill: what stands for missing data, a value of the type that is read; ``fill_value`` by default.
            unpacked: whether packed numbers are unpacked; missing ones are NaN.
            progress: called with the fraction done; the last call is with 1.

        Raises:
            ValueError: if the block is not within the variable, an array has another shape or order, or the type does
                not have ``fill``.
            libcfa.Error: if the aggregation or a fragment cannot be read.
        """
        start, count, step = self._part(start, count, step)
        shape = tuple(count)
        if out is None:
            # Packing is undone in floating point.
            natural = np.dtype("f8") if unpacked else self.dtype
            out = np.empty(shape, natural if dtype is None else np.dtype(dtype))
        elif dtype is not None and np.dtype(dtype) != out.dtype:
            raise ValueError(f"out has dtype {out.dtype}, not {np.dtype(dtype)}")
        _check_array("out", out, shape)
        if mask is not None:
            _check_array("mask", mask, shape)
            if mask.dtype != np.bool_:
                raise ValueError(f"mask has dtype {mask.dtype}, not bool")
        valid = mask
        if fill is not None:
            fill = _values.fill_of(out.dtype, fill)
        nan = out.dtype.kind == "f" and fill is not None and bool(np.isnan(fill))
        if fill is not None and not nan and valid is None:
            valid = np.empty(shape, np.bool_)
        self._read(start, count, step, out, valid, nan, unpacked, progress)
        if fill is not None and not nan:
            out[~valid] = fill  # type: ignore[operator]
        self._warn()
        return out

    def _part(
        self, start: Sequence[int] | None, count: Sequence[int] | None, step: Sequence[int] | None
    ) -> tuple[list[int], list[int], list[int]]:
        shape = self.shape
        start = [0] * len(shape) if start is None else [_integer(s) for s in start]
        step = [1] * len(shape) if step is None else [_integer(s) for s in step]
        for name, numbers in (("start", start), ("count", count), ("step", step)):
            if numbers is not None and len(numbers) != len(shape):
                raise ValueError(f"{name} has {len(numbers)} numbers; {self.path} has {len(shape)} dimensions")
        if count is None:
            ends = [size if s > 0 else -1 for size, s in zip(shape, step, strict=True)]
            count = [len(range(a, b, s)) if s else 0 for a, b, s in zip(start, ends, step, strict=True)]
        count = [_integer(n) for n in count]
        if min((*start, *count), default=0) < 0:
            raise ValueError("start and count must not be negative")
        if max(map(abs, (*start, *count, *step)), default=0) >= 1 << 63:
            raise ValueError("a number of start, count or step is too large")
        # Before memory is taken for the block.
        self._core.check_part(start, count, step)
        return start, count, step

    def _read(
        self,
        start: list[int],
        count: list[int],
        step: list[int],
        out: np.ndarray[Any, Any],
        valid: np.ndarray[Any, Any] | None,
        nan: bool = False,
        unpacked: bool = False,
        progress: Progress | None = None,
    ) -> None:
        if self._code == "str":
            if out.dtype != object or unpacked:
                raise ValueError(f"{self.path} holds strings, which cannot be read as {out.dtype}")
            texts = self._core.read_strings(start, count, step, progress)
            if valid is not None:
                valid[...] = np.array([text is not None for text in texts], bool).reshape(count)
            strings = np.empty(len(texts), object)
            strings[:] = ["" if text is None else text for text in texts]
            out[...] = strings.reshape(count)
            return
        code = _values.code_of(out.dtype)
        if not count:
            # The buffer of an array without dimensions has no shape.
            out, valid = out.reshape(1), None if valid is None else valid.reshape(1)
        self._core.read_into(start, count, step, code, out, valid, nan, unpacked, progress)

    def _new(self, shape: tuple[int, ...]) -> _indexing.Block:
        return _indexing.Block(np.empty(shape, self.dtype), np.ones(shape, np.bool_))

    def _fill(self, start: list[int], count: list[int], step: list[int], block: _indexing.Block) -> None:
        if block.valid.flags.c_contiguous:
            self._read(start, count, step, block.data, block.valid)
        else:
            valid = np.empty(block.valid.shape, np.bool_)
            self._read(start, count, step, block.data, valid)
            block.valid[...] = valid

    def _result(self, block: _indexing.Block) -> Any:
        if np.all(block.valid):
            return block.data
        if np.ndim(block.data) == 0 and not isinstance(block.data, np.ndarray):
            return np.ma.masked
        return np.ma.MaskedArray(block.data, mask=~block.valid, fill_value=self.fill_value)

    def _warn(self) -> None:
        for message in self._dataset._core.take_warnings():
            warn(message)


def _integer(number: Any) -> int:
    try:
        return operator.index(number)
    except TypeError:
        raise ValueError(f"{number!r} is not an integer") from None


def _check_array(name: str, array: np.ndarray[Any, Any], shape: tuple[int, ...]) -> None:
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{name} is not a numpy array")
    if isinstance(array, np.ma.MaskedArray):
        # Its mask would show what was missing before.
        raise ValueError(f"{name} is a masked array; give its data, and an array of bool as mask")
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; the part has {shape}")
    if not array.flags.c_contiguous or not array.flags.aligned:
        raise ValueError(f"{name} is not in C order")
    if not array.flags.writeable:
        raise ValueError(f"{name} is read-only")
