"""Open files that the arrays of one process share.

An array names its file, settings and variable; it never holds the open file. So arrays can be sent to other processes,
and no array reads a file that was replaced through a handle of the old one.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import NamedTuple

from ._dataset import Dataset, open
from ._errors import Invalid
from ._variable import Variable

#: Settings as pairs of name and text.
Settings = tuple[tuple[str, str], ...]

#: The number of files that are kept open. Those that a read is using stay open beyond that.
_KEPT = 64


class Identity(NamedTuple):
    """What distinguishes a file from another one that later has its name.

    Device and inode are None once it was sent to another process, which may be on another machine.
    """

    size: int
    mtime_ns: int
    device: int | None = None
    inode: int | None = None

    def sent(self) -> Identity:
        """Return the part of it that is the same on every machine."""
        return Identity(self.size, self.mtime_ns)

    def matches(self, other: Identity) -> bool:
        """Return whether both may be the same file."""
        if None not in (self.inode, other.inode) and (self.device, self.inode) != (other.device, other.inode):
            return False
        return (self.size, self.mtime_ns) == (other.size, other.mtime_ns)


def is_address(path: str) -> bool:
    """Return whether a name is an address such as ``https://...``."""
    scheme, colon, _ = path.partition("://")
    return bool(colon) and len(scheme) > 1


def identity_of(path: str) -> Identity | None:
    """Return the identity of a local file; None for an address."""
    if is_address(path):
        return None
    status = os.stat(path)
    return Identity(status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino)


class Handle:
    """An open file and its identity."""

    def __init__(self, path: str, settings: Settings) -> None:
        before = identity_of(path)
        self.dataset: Dataset = open(path, **dict(settings))
        self._variables: dict[str, Variable] = {}
        # A file that was replaced meanwhile has no certain identity.
        self.identity = identity_of(path)
        if self.identity != before:
            raise changed(path)

    def variable(self, path: str) -> Variable:
        """Return a variable by its path."""
        found = self._variables.get(path)
        if found is None:
            found = self._variables[path] = self.dataset[path]
        return found


class _Handles:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: OrderedDict[tuple[str, Settings], Handle] = OrderedDict()

    def get(self, path: str, settings: Settings) -> Handle:
        key = (path, settings)
        with self._lock:
            handle = self._open.get(key)
            if handle is not None and not handle.dataset.closed:
                self._open.move_to_end(key)
        if handle is not None and not handle.dataset.closed and handle.identity == identity_of(path):
            return handle
        handle = Handle(path, settings)
        with self._lock:
            self._open[key] = handle
            # Handles are dropped, not closed: other threads may be reading through them.
            while len(self._open) > _KEPT:
                self._open.popitem(last=False)
        return handle

    def drop(self, path: str, settings: Settings) -> None:
        with self._lock:
            self._open.pop((path, settings), None)

    def forget(self) -> None:
        """Start afresh in a process made by ``fork``, where a thread of the parent may have held the lock."""
        handles = list(self._open.values())
        self.__init__()  # type: ignore[misc]
        for handle in handles:
            handle.dataset.close()


_handles = _Handles()
os.register_at_fork(after_in_child=_handles.forget)


def get(path: str, settings: Settings) -> Handle:
    """Return the open file of this name, opening it if it is not open or was replaced."""
    return _handles.get(path, settings)


def drop(path: str, settings: Settings) -> None:
    """Close a file as soon as nothing reads it any more. The next read opens it again."""
    _handles.drop(path, settings)


def changed(path: str) -> Invalid:
    """Return the error for a file that is not the one that was opened."""
    return Invalid(f"{path} was changed or replaced after it was opened; open it again", "request", path)
