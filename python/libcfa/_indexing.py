"""Every index of numpy, as reads of blocks.

Slices and integers are read as they are. For lists, the distinct indices along each dimension are read once; numpy then
picks the elements from what was read, so that repeated indices, several lists and masks mean what they mean in numpy.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

#: The number of elements of a block up to which points are picked from all that they span.
_BLOCK = 1 << 25
#: Points of larger blocks are read in groups that span at most this many times as many elements as they have.
_SPARSE = 8


class Block:
    """An array, and whether each of its elements is valid."""

    __slots__ = ("data", "valid")

    def __init__(self, data: Any, valid: Any) -> None:
        self.data, self.valid = data, valid

    def __getitem__(self, index: Any) -> Block:
        return Block(self.data[index], self.valid[index])

    def __setitem__(self, index: Any, block: Block) -> None:
        self.data[index], self.valid[index] = block.data, block.valid

    def moved(self, dimensions: list[int]) -> Block:
        """Return a view in which these dimensions come first."""
        first = range(len(dimensions))
        return Block(np.moveaxis(self.data, dimensions, first), np.moveaxis(self.valid, dimensions, first))


#: Makes a block of a shape.
New = Callable[[tuple[int, ...]], Block]
#: Reads start, count and step into a block.
Fill = Callable[[list[int], list[int], list[int], Block], None]


def read(key: Any, shape: tuple[int, ...], new: New, fill: Fill) -> Block:
    """Return the elements that an index selects from an array of this shape."""
    wanted: list[Any] = []  # along each dimension, a range or an array of indices
    index: list[Any] = []  # what numpy picks from the block that is read
    entries, left = _expand(key, len(shape))
    for entry in entries:
        if entry is None or isinstance(entry, bool):
            # A new dimension, or a mask without dimensions.
            index.append(entry)
            continue
        if entry is Ellipsis:
            wanted.extend(range(size) for size in shape[len(wanted) : len(wanted) + left])
            index.append(entry)
            continue
        dimension = len(wanted)
        size = shape[dimension]
        if isinstance(entry, slice):
            wanted.append(range(*entry.indices(size)))
            index.append(slice(None))
        elif isinstance(entry, int):
            wanted.append(_at(entry, dimension, size))
            index.append(0)
        else:
            given = entry.indices(dimension, size) if isinstance(entry, _Mask) else entry
            wanted.append(_wrapped(given, dimension, size))
            index.append(wanted[-1])
    lists = [d for d, part in enumerate(wanted) if isinstance(part, np.ndarray)]
    if any(entry is False for entry in index):
        return _nothing([shape[d] if d in lists else len(part) for d, part in enumerate(wanted)], new)[tuple(index)]
    if not lists:
        return _block(wanted, new, fill)[tuple(index)]
    try:
        picked = np.broadcast_shapes(*(wanted[d].shape for d in lists))
    except ValueError:
        raise IndexError("shape mismatch: indexing arrays could not be broadcast together") from None
    places = dict(zip(lists, (i for i, e in enumerate(index) if isinstance(e, np.ndarray)), strict=True))
    spans, positions = _spans(wanted, lists)
    sparse = math.prod(len(spans[d]) for d in lists) > _SPARSE * math.prod(picked)
    if sparse and math.prod(len(span) for span in spans) > _BLOCK:
        block = _points(wanted, lists, new, fill)
        positions = {d: np.zeros(picked, int) for d in lists}
        positions[lists[0]] = np.arange(math.prod(picked)).reshape(picked)
    else:
        block = _block(spans, new, fill)
    for d, place in places.items():
        index[place] = positions[d]
    return block[tuple(index)]


def ranges(key: tuple[Any, ...], shape: tuple[int, ...]) -> list[range]:
    """Return what a slice or an integer for each dimension selects along it."""
    return [
        range(*entry.indices(size)) if isinstance(entry, slice) else _at(entry, d, size)
        for d, (entry, size) in enumerate(zip(key, shape, strict=True))
    ]


class _Mask:
    """One dimension of a mask."""

    def __init__(self, mask: Array, axis: int) -> None:
        self.mask, self.axis = mask, axis

    def indices(self, dimension: int, size: int) -> Array:
        if self.mask.shape[self.axis] != size:
            raise IndexError(
                f"boolean index did not match indexed array along axis {dimension}; size of axis is {size} but size of "
                f"corresponding boolean axis is {self.mask.shape[self.axis]}"
            )
        return self.mask.nonzero()[self.axis]


def _expand(key: Any, rank: int) -> tuple[list[Any], int]:
    """Return the entries of an index, one of which is an ellipsis, and the number of dimensions that it stands for."""
    entries: list[Any] = []
    for entry in key if isinstance(key, tuple) else (key,):
        if entry is None or entry is Ellipsis or isinstance(entry, slice) or type(entry) is int:
            entries.append(entry)
            continue
        array = np.asarray(entry)
        if array.size == 0 and isinstance(entry, list):
            array = array.astype(int)
        if array.dtype == object and hasattr(entry, "__index__"):
            array = np.asarray(operator.index(entry))
        if array.dtype == bool and array.ndim == 0:
            entries.append(bool(array))
        elif array.dtype == bool:
            entries.extend(_Mask(array, axis) for axis in range(array.ndim))
        elif array.dtype.kind in "iu":
            entries.append(array if array.ndim > 0 else int(array))
        else:
            raise IndexError("an index is an integer, a slice, an ellipsis, None, or a list of integers or of bool")
    taken = sum(not (entry is None or entry is Ellipsis or isinstance(entry, bool)) for entry in entries)
    ellipses = sum(entry is Ellipsis for entry in entries)
    if ellipses > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if taken > rank:
        raise IndexError(f"too many indices: the variable has {rank} dimensions, but {taken} were indexed")
    if not ellipses:
        entries.extend([slice(None)] * (rank - taken))
    return entries, rank - taken


def _nothing(shape: list[int], new: New) -> Block:
    """Return a block whose elements nobody needs: one element that stands for all takes no memory."""
    one = new(())
    return Block(np.broadcast_to(one.data, shape), np.broadcast_to(one.valid, shape))


def _wrapped(index: Array, dimension: int, size: int) -> Array:
    """Return indices with negative ones counted from the end."""
    outside = (index < -size) | (index >= size)
    if outside.any():
        raise _outside(index[outside].flat[0], dimension, size)
    index = index.astype(np.int64)
    return np.where(index < 0, index + size, index)


def _at(index: int, dimension: int, size: int) -> range:
    """Return the range of one index."""
    at = int(index) + size if index < 0 else int(index)
    if not 0 <= at < size:
        raise _outside(index, dimension, size)
    return range(at, at + 1)


def _outside(index: Any, dimension: int, size: int) -> IndexError:
    return IndexError(f"index {index} is out of bounds for axis {dimension} with size {size}")


def _spans(wanted: list[Any], lists: list[int]) -> tuple[list[Any], dict[int, Array]]:
    """Return what to read for lists of indices, and where in it each index is."""
    spans, positions = list(wanted), {}
    for d in lists:
        distinct, inverse = np.unique(wanted[d], return_inverse=True)
        spans[d], positions[d] = distinct, inverse.reshape(wanted[d].shape)
        # Where every second index is wanted, one read of all is cheaper than many small ones.
        if distinct.size and 2 * distinct.size > distinct[-1] - distinct[0]:
            spans[d], positions[d] = range(distinct[0], distinct[-1] + 1), wanted[d] - distinct[0]
    return spans, positions


def _points(wanted: list[Any], lists: list[int], new: New, fill: Fill) -> Block:
    """Read points that are far apart.

    They lie along the first of their dimensions in the result; the others of their dimensions have size 1.
    """
    columns = [axis.reshape(-1) for axis in np.broadcast_arrays(*(wanted[d] for d in lists))]
    sizes = [len(part) for part in wanted]
    for d in lists:
        sizes[d] = 1
    sizes[lists[0]] = columns[0].size
    result = new(tuple(sizes))
    for dimension, slab in _slabs(wanted, lists):
        where: list[Any] = [slice(None)] * len(wanted)
        part = list(wanted)
        if dimension is not None:
            part[dimension], where[dimension] = wanted[dimension][slab], slab
        _groups(part, lists, columns, result[tuple(where)].moved(lists), new, fill)
    return result


def _slabs(wanted: list[Any], lists: list[int]) -> Iterator[tuple[int | None, slice]]:
    """Divide the longest dimension without a list, so that what the points span is a block of bounded size."""
    others = [d for d, part in enumerate(wanted) if d not in lists and len(part) > 1]
    if not others:
        yield None, slice(None)
        return
    spans, _ = _spans(wanted, lists)
    longest = max(others, key=lambda d: len(wanted[d]))
    each = math.prod(len(span) for d, span in enumerate(spans) if d != longest)
    step = max(_BLOCK // max(each, 1), 1)
    for first in range(0, len(wanted[longest]), step):
        yield longest, slice(first, first + step)


def _groups(wanted: list[Any], lists: list[int], columns: list[Array], result: Block, new: New, fill: Fill) -> None:
    """Read points into the front dimension of a block; if they are too far apart, in a group for each first index."""
    groups = [np.arange(columns[0].size)]
    for group in groups:
        part = list(wanted)
        for d, column in zip(lists, columns, strict=True):
            part[d] = column[group]
        spans, positions = _spans(part, lists)
        sparse = math.prod(len(spans[d]) for d in lists) > _SPARSE * len(group)
        if sparse and math.prod(len(span) for span in spans) > _BLOCK:
            firsts = columns[0][group]
            order = group[np.argsort(firsts, kind="stable")]
            smaller = np.split(order, np.flatnonzero(np.diff(columns[0][order])) + 1)
            groups.extend(smaller if len(smaller) > 1 else group.reshape(-1, 1))
            continue
        block = _block(spans, new, fill).moved(lists)
        result[(group, *[0] * (len(lists) - 1))] = block[tuple(positions[d] for d in lists)]


def _block(parts: list[Any], new: New, fill: Fill) -> Block:
    """Read the indices of each dimension, combined with all those of the others."""
    shape = [len(part) for part in parts]
    block = new(tuple(shape))
    if all(isinstance(part, range) for part in parts):
        if all(shape):
            fill([part.start for part in parts], shape, [part.step for part in parts], block)
        return block
    for runs in itertools.product(*(list(_runs(part)) for part in parts)):
        # With an ellipsis, an array without dimensions remains an array that can be filled.
        where = (..., *(slice(first, first + len(run)) for first, run in runs))
        start, count, step = ([f(run) for _, run in runs] for f in (lambda r: r.start, len, lambda r: r.step))
        fill(start, count, step, block[where])
    return block


def _runs(part: Any) -> Iterator[tuple[int, range]]:
    """Divide rising indices into evenly spaced ones, each with its position."""
    if isinstance(part, range):
        if part:
            yield 0, part
        return
    first, size = 0, len(part)
    while first < size:
        last = first + 1
        step = int(part[last] - part[first]) if last < size else 1
        while last < size and part[last] - part[last - 1] == step:
            last += 1
        yield first, range(int(part[first]), int(part[last - 1]) + 1, step)
        first = last
