"""Chunks for Dask: whole fragments, merged until a chunk has about as many bytes as wanted."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

Sizes = tuple[int, ...]


class FragmentChunks(dict[Hashable, Sizes]):
    """The preferred chunks of a variable, by dimension, which a user's own chunks may split.

    xarray calls ``get`` with a default for the chunks to use where the user gave none, and without a default for those
    that the user's own are compared with. Since libcfa reads any part of a fragment at about its share of the cost,
    there is nothing to warn about, so the latter are None.
    """

    def get(self, dimension: Hashable, default: Any = None) -> Any:
        """Return the chunks along a dimension if there is a default, else None."""
        return None if default is None else super().get(dimension, default)

    def __reduce__(self) -> tuple[Any, ...]:
        # Chunks matter only when a file is opened. Without them a pickle is small for any number of fragments.
        return FragmentChunks, ()

    def __deepcopy__(self, memo: object) -> FragmentChunks:
        return FragmentChunks(self)


class Layout(NamedTuple):
    """What chunks are made from: the bytes of an element and, along each dimension, the sizes of the fragments."""

    itemsize: int
    #: The size of each dimension, by name.
    shape: dict[Hashable, int]
    #: The sizes of the fragments along each dimension; without entry where they do not matter.
    fragments: Mapping[Hashable, Sizes]

    @property
    def nbytes(self) -> int:
        """The size of the variable in memory."""
        return self.itemsize * math.prod(self.shape.values())


def choose(layouts: Mapping[Hashable, Layout], chunk_bytes: int) -> dict[Hashable, FragmentChunks]:
    """Return the preferred chunks of each variable.

    The largest aggregation variable comes first; the others have its chunks along the dimensions that they share,
    unless those would split their fragments. With ``chunk_bytes`` 0 each fragment is a chunk.
    """
    shared: dict[Hashable, Sizes] = {}
    chosen: dict[Hashable, FragmentChunks] = {}
    for name, layout in sorted(layouts.items(), key=lambda item: (not item[1].fragments, -item[1].nbytes)):
        if chunk_bytes == 0:
            chosen[name] = FragmentChunks(layout.fragments)
            continue
        chunks = _merge(layout, chunk_bytes, shared)
        chosen[name] = FragmentChunks({d: sizes for d, sizes in chunks.items() if d in layout.fragments or d in shared})
        for dimension, sizes in chosen[name].items():
            shared.setdefault(dimension, sizes)
    return chosen


def _merge(layout: Layout, chunk_bytes: int, shared: Mapping[Hashable, Sizes]) -> dict[Hashable, Sizes]:
    """Merge fragments along the last dimension first, so that chunks are contiguous where that is possible."""
    chunks: dict[Hashable, Sizes] = {}
    for dimension, size in layout.shape.items():
        fragments = layout.fragments.get(dimension)
        common = shared.get(dimension)
        if common is not None and (fragments is None or _divides(common, fragments)):
            chunks[dimension] = common
        else:
            chunks[dimension] = (size,) if fragments is None else fragments
    largest = {dimension: max(sizes, default=0) for dimension, sizes in chunks.items()}
    for dimension in reversed(list(layout.shape)):
        if chunks[dimension] is shared.get(dimension):
            continue
        others = math.prod(max(n, 1) for d, n in largest.items() if d != dimension)
        limit = chunk_bytes // (layout.itemsize * others)
        chunks[dimension] = merged(chunks[dimension], limit)
        largest[dimension] = max(chunks[dimension], default=0)
    return chunks


def merged(sizes: Sizes, limit: int) -> Sizes:
    """Join neighbours as long as their sum is at most ``limit``."""
    if sizes and sum(sizes) <= limit:
        return (sum(sizes),)
    ends = list(itertools.accumulate(sizes))
    joined = []
    start = first = 0
    while first < len(ends):
        # At least one, however large it is.
        last = max(bisect_right(ends, start + limit, lo=first), first + 1)
        joined.append(ends[last - 1] - start)
        start, first = ends[last - 1], last
    return tuple(joined)


def _divides(chunks: Iterable[int], fragments: Iterable[int]) -> bool:
    """Return whether each chunk consists of whole fragments."""
    return set(itertools.accumulate(chunks)) <= set(itertools.accumulate(fragments))
