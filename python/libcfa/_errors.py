"""Exceptions and warnings: one class that all errors have, and the classes of Python that its users catch."""

from __future__ import annotations

import errno
import inspect
import warnings
from typing import Any


class Error(Exception):
    """An error of libcfa: what happened, in which file, variable and fragment.

    Errors are at the same time ``FileNotFoundError``, ``PermissionError``, ``OSError``, ``KeyError`` or ``ValueError``
    where that is what a Python program expects.
    """

    #: The sort of error in one word, such as ``fragment-missing``; the same words as in C and in ``cfa read --json``.
    category: str
    #: The file, if one is concerned.
    file: str | None
    #: The path of the variable, if one is concerned.
    variable: str | None
    #: The index of the fragment in the array of fragments, if one is concerned.
    fragment: tuple[int, ...] | None

    def __init__(
        self,
        message: str,
        category: str = "internal",
        file: str | None = None,
        variable: str | None = None,
        fragment: tuple[int, ...] | None = None,
    ) -> None:
        super().__init__(message)
        self.category = category
        self.file = file
        self.variable = variable
        self.fragment = fragment

    def __str__(self) -> str:
        # KeyError would show the message in quotes.
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.category, self.file, self.variable, self.fragment)


class NotFound(Error, FileNotFoundError):
    """A file, or every version of a fragment, does not exist."""

    errno = errno.ENOENT


class NotAllowed(Error, PermissionError):
    """The settings or the operating system do not allow an access."""

    errno = errno.EACCES


class Unreadable(Error, OSError):
    """A file cannot be read or written, is damaged, or is not netCDF."""


class NoVariable(Error, KeyError):
    """A dataset has no such variable."""


class Invalid(Error, ValueError):
    """A request cannot be met, or a file does not follow the convention."""


class CfaWarning(UserWarning):
    """An oddity of a file that was tolerated."""


def warn(message: str) -> None:
    """Report a warning at the line of the first caller outside this package."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(__package__ + "."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, CfaWarning, stacklevel=level)


_CLASSES = {
    "fragment-missing": NotFound,
    "policy": NotAllowed,
    "io": Unreadable,
    "not-netcdf": Unreadable,
    "damaged": Unreadable,
    "fragment-unreadable": Unreadable,
    "missing-variable": NoVariable,
    "cancelled": Error,
    "internal": Error,
}
_REASONS = {"absent": NotFound, "denied": NotAllowed}


def make(
    category: str,
    message: str,
    file: str | None,
    variable: str | None,
    fragment: tuple[int, ...] | None,
    reason: str,
) -> Error:
    """Return the exception for an error of the engine."""
    found = _CLASSES.get(category, Invalid)
    if found is Unreadable:
        found = _REASONS.get(reason, found)
    return found(message, category, file, variable, fragment)
