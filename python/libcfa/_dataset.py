"""Open files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from . import _core, _settings, _values
from ._errors import Unreadable, warn
from ._variable import Variable

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]


@dataclass(frozen=True, slots=True)
class Group:
    """A group of a netCDF-4 file."""

    #: Its absolute path, such as ``/a/b``.
    path: str
    #: Its attributes.
    attrs: dict[str, Any]
    #: The size of each dimension that it defines, by name.
    dimensions: dict[str, int]
    #: The names of those dimensions that are unlimited.
    unlimited: frozenset[str]


class Dataset(Mapping[str, Variable]):
    """An open netCDF file with or without aggregation variables: a mapping of paths to variables.

    ``ds["tas"]`` and ``ds["/group/tas"]`` are variables. Any number of threads may read at once. Close it with
    ``close()`` or a ``with`` statement; reading after that is a ValueError.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self._path = os.fsdecode(path)
        self._core = _core.File(self._path, _settings.texts(settings))
        self._groups: dict[str, Group] | None = None
        self._paths: dict[str, None] | None = None
        self._warn()

    def _all_groups(self) -> dict[str, Group]:
        if self._groups is None:
            self._groups = {
                path: Group(
                    path,
                    _values.attributes(attributes),
                    {name: size for name, size, _ in dimensions},
                    frozenset(name for name, _, unlimited in dimensions if unlimited),
                )
                for path, dimensions, attributes in self._core.groups()
            }
        return self._groups

    def _keys(self) -> dict[str, None]:
        if self._paths is None:
            self._paths = {p.removeprefix("/") if p.count("/") == 1 else p: None for p in self._core.variables()}
        return self._paths

    @property
    def path(self) -> str:
        """The name that it was opened by."""
        return self._path

    @property
    def attrs(self) -> dict[str, Any]:
        """The global attributes."""
        return self._all_groups()["/"].attrs

    @property
    def dimensions(self) -> dict[str, int]:
        """The size of each dimension, by its name, or by its path if a group defines it."""
        return {
            name if group.path == "/" else f"{group.path}/{name}": size
            for group in self._all_groups().values()
            for name, size in group.dimensions.items()
        }

    @property
    def groups(self) -> dict[str, Group]:
        """The groups, by path, without the root."""
        return {path: group for path, group in self._all_groups().items() if path != "/"}

    @property
    def warnings(self) -> list[str]:
        """What was odd and was tolerated so far. New ones are also reported through ``warnings``."""
        return self._core.warnings()

    def __getitem__(self, path: str) -> Variable:
        if not isinstance(path, str):
            raise TypeError(f"variables are found by name, not by {type(path).__name__}")
        return Variable(self, self._core.variable(path))

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys())

    def __len__(self) -> int:
        return len(self._keys())

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and path.removeprefix("/") in {key.removeprefix("/") for key in self._keys()}

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return self._core.closed

    def close(self) -> None:
        """Close the file. Closing twice does nothing."""
        self._core.close()

    def __enter__(self) -> Dataset:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return f"<libcfa.Dataset {self._path!r} (closed)>"
        return f"<libcfa.Dataset {self._path!r}: {', '.join(self) or 'no variables'}>"

    def _warn(self) -> None:
        for message in self._core.take_warnings():
            warn(message)


def open(path: Path, **settings: Any) -> Dataset:
    """Open an aggregation file, or any other netCDF file.

    Args:
        path: a file name, or the address of a file on a server (``https://...``).
        settings: what the file may open, limits and so on, by the names of ``libcfa.settings()``: ``NUM_THREADS=1``,
            ``MISSING_FRAGMENTS="FILL"``, ``RELOCATE={"/old": "/new"}``. They take precedence over the environment
            variables ``CFA_*``.

    Raises:
        FileNotFoundError: if there is no such file.
        OSError: if it cannot be read or is not netCDF.
        ValueError: for an unknown setting or value.
    """
    return Dataset(path, settings)


def identify(path: Path) -> str | None:
    """Return the dialect of the first aggregation variable of a file, or None if the file has none.

    Cheap for files without aggregation variables. The dialect is ``unknown`` if the variable is malformed.
    """
    try:
        return _core.identify(os.fsdecode(path))
    except Unreadable as error:
        if error.category == "not-netcdf":
            return None
        raise


def settings() -> dict[str, tuple[str, str]]:
    """Return the default and the description of every setting, by name."""
    return {name: (default, description) for name, default, description in _core.settings()}
