"""Making, checking, converting and extracting aggregation files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _core, _settings
from ._coordinates import choices
from ._dataset import Path
from ._errors import warn
from ._variable import Progress

Paths = Path | Iterable[Path]


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a dimension that one file provides."""

    size: int
    #: Its coordinates as text; times as dates.
    coordinates: str
    file: str


@dataclass(frozen=True, slots=True)
class MadeDimension:
    """A dimension of a variable that was made."""

    name: str
    size: int
    #: Whether the files do not have it.
    is_new: bool
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class MadeVariable:
    """A variable that was made."""

    name: str
    dimensions: tuple[MadeDimension, ...]
    #: The number of its fragments.
    fragments: int
    #: Whether it is the same in all files, and stored by value.
    is_static: bool


@dataclass(frozen=True, slots=True)
class Made:
    """What ``create`` made, or would make."""

    variables: tuple[MadeVariable, ...]
    #: What was left out or is odd.
    notes: tuple[str, ...]
    #: The number of files.
    files: int
    #: The files that an update added, found changed, and removed because they are gone.
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a convention demands and that does not hold."""

    rule: str
    #: The clause that states the rule; empty if no text does.
    clause: str
    #: ``requirement``, ``recommendation`` or ``note``.
    severity: str
    variable: str | None
    fragment: tuple[int, ...] | None
    message: str
    #: The number of findings that this one stands for.
    count: int


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of ``check``."""

    #: The number of requirements that do not hold: 0 for a file that is as it must be.
    violated: int
    findings: tuple[Finding, ...]
    #: For each aggregation variable, its name, dialect, shape and how many fragments are in which state.
    variables: tuple[dict[str, Any], ...]


def _list(paths: Paths) -> list[str]:
    if isinstance(paths, str | bytes | os.PathLike):
        paths = [paths]
    return [os.fsdecode(path) for path in paths]


def _names(names: str | Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _optional(path: Path | None) -> str | None:
    return None if path is None else os.fsdecode(path)


def create(
    out: Path,
    files: Paths,
    *,
    dialect: str | None = None,
    format: str | None = None,
    locations: str | None = None,
    base: str | None = None,
    variables: str | Iterable[str] = (),
    dimensions: str | Iterable[str] = (),
    new_dimension: str | None = None,
    allow_gaps: bool = False,
    aggregate_coordinates: bool = False,
    record_state: bool = False,
    record_chunks: bool = False,
    overwrite: bool = False,
    update: bool = False,
    dry_run: bool = False,
    keep_attributes: str | Iterable[str] = (),
    drs_version: str | None = None,
    skip_bad: bool = False,
    prune: str | None = None,
    num_threads: int = 0,
    history: str | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Made:
    """Make an aggregation file of the files that hold its parts, or add files to one.

    Files are joined by their coordinates, so their order does not matter. A file that is read is never replaced.

    Args:
        out: the aggregation file. An aggregation without data of its own that has the name is replaced.
        files: files, http(s) and s3 addresses, directories, patterns (``data/*.nc``) or lists (``@list.txt``).
        dialect: the convention to follow; CF-1.13 by default.
        format: ``netcdf4`` (the default), ``classic`` or ``cdf5``.
        locations: ``relative`` to the aggregation file (the default), or ``absolute``.
        base: what locations begin with instead, such as the URL of a server.
        variables: the data variables to include; all by default.
        dimensions: the dimensions along which files may be joined; any by default.
        new_dimension: a new dimension along which files with the same coordinates are put in their order. After its
            name may follow a source of labels, which then are its coordinates: ``=attribute:ATTRIBUTE``,
            ``=name:PATTERN``, ``=path:PATTERN`` or ``=path``.
        allow_gaps: whether gaps between coordinates are allowed.
        aggregate_coordinates: whether coordinates are aggregated, not copied.
        record_state: whether size and time of each file are recorded, so that readers notice a change.
        record_chunks: whether the places of the chunks of each file are recorded, so that readers need not parse it.
        overwrite: whether a file with data of its own is replaced.
        update: whether files are added to an aggregation, which is created if it does not exist.
        dry_run: whether nothing is written.
        keep_attributes: global attributes of the files to keep, as text variables along the dimensions in which they
            differ.
        drs_version: of several releases of a file (in folders like ``v20190101``) the last one that is not newer than
            this, or ``all``; by default the newest.
        skip_bad: whether files that cannot be read are left out; notes name them.
        prune: which fragments an update removes because their files are gone: ``files`` for those in folders with
            other files, ``folders`` for all; by default none.
        num_threads: the number of threads that scan local files; 0 means one per core.
        history: the text of this call in the attribute ``history``.
        settings: those of ``libcfa.open``; settings that change values do not count.
        progress: called with the fraction done; the last call is with 1.
    """
    options = {
        "dialect": dialect,
        "format": format,
        "locations": locations,
        "base": base,
        "variables": _names(variables),
        "dimensions": _names(dimensions),
        "new_dimension": new_dimension,
        "allow_gaps": allow_gaps,
        "aggregate_coordinates": aggregate_coordinates,
        "record_state": record_state,
        "record_chunks": record_chunks,
        "overwrite": overwrite,
        "update": update,
        "dry_run": dry_run,
        "keep_attributes": _names(keep_attributes),
        "drs_version": drs_version,
        "skip_bad": skip_bad,
        "prune": prune,
        "num_threads": num_threads,
        "history": "libcfa.create" if history is None else history,
        "settings": _settings.texts(settings or {}),
    }
    made, notes, count, lists = _core.create(os.fsdecode(out), _list(files), options, progress)
    return Made(tuple(_made(*variable) for variable in made), tuple(notes), count, *map(tuple, lists))


def _made(name: str, dimensions: Sequence[Any], fragments: int, is_static: bool) -> MadeVariable:
    described = (
        MadeDimension(dimension, size, is_new, tuple(Part(*part) for part in parts))
        for dimension, size, is_new, parts in dimensions
    )
    return MadeVariable(name, tuple(described), fragments, is_static)


def check(
    file: Path,
    *,
    fragments: bool = False,
    max_findings: int = 100,
    html_report: Path | None = None,
    json_report: Path | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Report:
    """Check an aggregation file against the convention that it follows.

    Args:
        file: the aggregation file.
        fragments: whether every fragment is opened and compared with the aggregation.
        max_findings: the number of findings of one rule that are listed for one variable; more are counted.
        html_report: a file for a page with a map of the fragments; implies ``fragments``.
        json_report: a file for the report as JSON.
        settings: those of ``libcfa.open``.
        progress: called with the fraction done; the last call is with 1.
    """
    if max_findings < 0:
        raise ValueError(f"max_findings is {max_findings}; it is 0 or more")
    reports = (_optional(html_report), _optional(json_report))
    text, violated = _core.check(
        os.fsdecode(file), _settings.texts(settings or {}), fragments, max_findings, reports, progress
    )
    report = json.loads(text)
    return Report(violated, tuple(_finding(one) for one in report["findings"]), tuple(report["variables"]))


def _finding(one: dict[str, Any]) -> Finding:
    fragment = one["fragment"]
    return Finding(**{**one, "fragment": None if fragment is None else tuple(fragment)})


def convert(
    file: Path,
    out: Path,
    *,
    dialect: str | None = None,
    locations: str | None = None,
    format: str | None = None,
    overwrite: bool = False,
    settings: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> None:
    """Write an aggregation in another dialect.

    Args:
        file: the aggregation file.
        out: the new file. An aggregation without data of its own that has the name is replaced.
        dialect: the convention to follow; CF-1.13 by default.
        locations: ``keep`` (the default), ``relative`` or ``absolute``.
        format: ``netcdf4`` (the default), ``classic`` or ``cdf5``.
        overwrite: whether a file with data of its own is replaced.
        settings: those of ``libcfa.open``.
        progress: called with the fraction done; the last call is with 1.
    """
    open_settings = _settings.texts(settings or {})
    paths = (os.fsdecode(file), os.fsdecode(out))
    _warn(_core.convert(*paths, open_settings, dialect, locations, format, overwrite, progress))


def extract(
    file: Path,
    out: Path,
    *,
    variables: str | Iterable[str] = (),
    select: Mapping[str, Any] | None = None,
    chunks: Sequence[int] | None = None,
    compression: int = 1,
    shuffle: bool = True,
    overwrite: bool = False,
    settings: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> None:
    """Write aggregated data into one plain netCDF-4 file.

    Args:
        file: the aggregation file.
        out: the new file.
        variables: the variables to extract, with everything that they refer to; all by default.
        select: a part by coordinates, as for ``Variable.select``: ``{"time": slice("2001-03", "2001-05")}``.
        chunks: the shape of a chunk, for variables of that rank.
        compression: the level of compression, 0 (none) to 9.
        shuffle: whether bytes are shuffled before compression.
        overwrite: whether an existing file is replaced; never one that is read.
        settings: those of ``libcfa.open``.
        progress: called with the fraction done; the last call is with 1.
    """
    if not 0 <= compression <= 9:
        raise ValueError(f"compression is {compression}; it is 0 to 9")
    if chunks is not None and min(chunks, default=1) < 1:
        raise ValueError("the sizes of a chunk are 1 or more")
    _warn(
        _core.extract(
            os.fsdecode(file),
            os.fsdecode(out),
            _settings.texts(settings or {}),
            _names(variables),
            choices(select or {}, None),
            None if chunks is None else list(chunks),
            compression,
            shuffle,
            overwrite,
            progress,
        )
    )


def _warn(messages: list[str]) -> None:
    for message in messages:
        warn(message)
