"""A group of a file as variables of xarray, as they are stored: their attributes, encodings and lazy data.

How missing data are represented:

- Floating-point variables that are not packed have NaN, which the engine writes. xarray then need not mask them again.
- Packed variables have ``_FillValue``, also where the file has none: xarray masks and unpacks them.
- Integers with ``_FillValue`` or ``missing_value`` are masked by xarray, which makes them floating-point numbers. So
  are those without, if a valid range, or the setting ``MISSING_FRAGMENTS=FILL``, lets some of them be missing.
- Other integers stay integers. If data of an aggregation turn out to be missing, the read is an error.
- Missing texts are empty, or ``_FillValue`` if there is one, which xarray makes NaN.

With ``mask_and_scale=False`` there are the numbers of the file, and ``_FillValue`` says which one is missing data.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr
from xarray.backends.common import NONE_VAR_NAME
from xarray.core import indexing

from . import _chunks, _handles, _settings, _times
from ._dataset import Group, Path
from ._errors import Error, Unreadable, warn
from ._variable import Variable
from ._xarray_array import CfaArray, Source

#: The number of elements up to which coordinates are read when a file is opened. xarray reads them then in any case, to
#: make indexes, unless it is told to make none.
_READ = 1 << 16
_RANGES = ("valid_min", "valid_max", "valid_range")


class CfaStore:
    """The variables of one group of a file.

    ``masked`` says, for each variable by name or for all, whether missing data are to be NaN; ``decodes_times`` whether
    times are decoded as xarray does it if it is not told otherwise.
    """

    def __init__(
        self,
        path: str,
        settings: _handles.Settings,
        group: str = "/",
        masked: bool | Mapping[str, bool] | None = True,
        dropped: Collection[str] = (),
        decodes_times: bool = False,
    ) -> None:
        self._path, self._settings = path, settings
        self._masked, self._dropped, self._decodes_times = masked, dropped, decodes_times
        # Whether fragments that do not exist are missing data.
        chosen = dict(settings).get("MISSING_FRAGMENTS", os.environ.get("CFA_MISSING_FRAGMENTS", ""))
        self._fills = chosen.upper() == "FILL"
        #: The sizes of the fragments of each aggregation variable, by name and dimension.
        self.fragments: dict[Hashable, dict[Hashable, tuple[int, ...]]] = {}
        self._handle = _handles.get(path, settings)
        self._groups = self._handle.dataset._all_groups()
        if group not in self._groups:
            known = ", ".join(self._handle.dataset.groups) or "none"
            raise Unreadable(f"{path} has no group {group}; it has: {known}", "request", path)
        self._group: Group = self._groups[group]

    def variables(self) -> dict[Hashable, xr.Variable]:
        """Return the variables by name. Malformed ones are left out with a warning."""
        found: dict[Hashable, xr.Variable] = {}
        for path in self._handle.dataset:
            group, _, name = path.rpartition("/")
            if (group or "/") != self._group.path or name in self._dropped:
                continue
            try:
                variable = self._handle.variable(path)
                described = self._described(name, variable)
            except Error as error:
                warn(f"variable {path} is left out: {error}")
                continue
            # xarray writes a variable whose name is None under another one.
            found[None if name == NONE_VAR_NAME else name] = self._variable(name, variable, *described)
        return found

    def attrs(self) -> dict[str, Any]:
        """Return the attributes of the group."""
        return self._group.attrs

    def encoding(self) -> dict[str, Any]:
        """Return the source and the unlimited dimensions, also those of the groups above."""
        above = (self._groups[path] for path in ancestry(self._group.path))
        return {"source": self._path, "unlimited_dims": set().union(*(group.unlimited for group in above))}

    def finish(self, dataset: xr.Dataset, chunk_bytes: int) -> None:
        """Set what closes a decoded dataset, and the preferred chunks of its variables."""
        # The store is left behind: a dataset that is pickled takes names along, not the open file.
        dataset.set_close(functools.partial(_handles.drop, self._path, self._settings))
        layouts = {
            name: _chunks.Layout(
                max(variable.dtype.itemsize, 1),
                dict(zip(variable.dims, variable.shape, strict=True)),
                _along(variable.dims, self.fragments.get(name, {})),
            )
            for name, variable in dataset.variables.items()
        }
        for name, chunks in _chunks.choose(layouts, chunk_bytes).items():
            if chunks:
                dataset.variables[name].encoding["preferred_chunks"] = chunks

    def _described(
        self, name: str, variable: Variable
    ) -> tuple[CfaArray, tuple[str, ...], dict[str, Any], dict[str, Any]]:
        """Return array, dimensions, attributes and encoding of a variable."""
        shape, dims = variable.shape, variable.dims
        attrs = dict(variable.attrs)
        encoding: dict[str, Any] = {"source": self._path, "original_shape": shape}
        how = _describe(variable, attrs, encoding, self._is_masked(name), self._fills)
        source = Source(
            self._path, self._settings, self._handle.identity, variable.path, shape, variable.dtype.str, **how
        )
        array = CfaArray(source)
        encoding.setdefault("dtype", array.dtype)
        if variable.dialect is not None:
            self.fragments[name] = dict(zip(dims, variable.chunks, strict=True))
        return array, dims, attrs, encoding

    def _variable(
        self,
        name: str,
        variable: Variable,
        array: CfaArray,
        dims: tuple[str, ...],
        attrs: dict[str, Any],
        encoding: dict[str, Any],
    ) -> xr.Variable:
        is_coordinate = dims == (name,) and variable.dialect is None and array.dtype.kind in "iuf"
        if not is_coordinate or variable.shape[0] > _READ:
            return xr.Variable(dims, indexing.LazilyIndexedArray(array), attrs, encoding, fastpath=True)
        # Read here once, and decoded here if possible; xarray reads that of time three times.
        values = array.whole(variable)
        # What bounds are is decided by the attributes that decoding takes away.
        times = _times.decoded(values, attrs) if self._decodes_times and "bounds" not in attrs else None
        if times is not None:
            encoding.update({key: attrs.pop(key) for key in ("units", "calendar") if key in attrs})
        # Without it xarray makes a series of pandas of the times, to look at them again.
        return xr.Variable(dims, values if times is None else times, attrs, encoding, fastpath=True)

    def _is_masked(self, name: str) -> bool:
        masked = self._masked.get(name, True) if isinstance(self._masked, Mapping) else self._masked
        return masked is None or bool(masked)


def _describe(
    variable: Variable, attrs: dict[str, Any], encoding: dict[str, Any], masked: bool, fills: bool
) -> dict[str, Any]:
    """Adapt attributes and encoding to the way in which missing data are read; return that way for ``Source``."""
    dtype = variable.dtype
    if dtype.kind == "O":
        if variable.dialect is None:
            # xarray reads them at once. Those of an aggregation stay lazy.
            encoding["dtype"] = str
        elif variable.size:
            # xarray looks at the first one; if that is impossible, only this variable is lost.
            variable[(0,) * variable.ndim]
        text = attrs.get("_FillValue", "")
        return {"text": text if isinstance(text, str) else ""}
    if dtype.kind == "S":
        for name in ("_FillValue", "missing_value"):
            if isinstance(attrs.get(name), str):
                attrs[name] = np.bytes_(attrs[name].encode())
        return {}
    is_packed = "scale_factor" in attrs or "add_offset" in attrs
    is_declared = "_FillValue" in attrs or "missing_value" in attrs
    is_aggregated = variable.dialect is not None
    may_miss = is_packed or any(name in attrs for name in _RANGES) or (is_aggregated and (fills or not masked))
    if masked and dtype.kind == "f" and not is_packed:
        if is_declared:
            attrs.pop("_FillValue", None)
            attrs.pop("missing_value", None)
            encoding["_FillValue"] = variable.fill_value
        return {"nan": True}
    if is_declared:
        return {}
    if (may_miss or (is_aggregated and dtype.kind == "f")) and variable.fill_value is not None:
        attrs["_FillValue"] = variable.fill_value
        return {}
    unsigned = masked and dtype.kind == "i" and str(attrs.get("_Unsigned")).lower() == "true"
    if unsigned:
        # Without a fill value xarray does not write the attribute, so the numbers would come back negative.
        del attrs["_Unsigned"]
    return {"complete": is_aggregated and masked, "unsigned": unsigned}


def _along(dims: Iterable[Hashable], sizes: Mapping[Hashable, tuple[int, ...]]) -> dict[Hashable, tuple[int, ...]]:
    # Characters that were joined have lost their dimension.
    return {d: sizes[d] for d in dims if d in sizes}


def ancestry(group: str) -> list[str]:
    """Return the paths of a group and of those above it."""
    parts = [part for part in group.split("/") if part]
    return ["/", *("/" + "/".join(parts[: i + 1]) for i in range(len(parts)))]


def full_path(path: Path) -> str:
    """Return a name that means the same file in every directory."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"engine 'cfa' opens files by name, not {type(path).__name__}")
    name = os.fsdecode(path)
    return name if _handles.is_address(name) else os.path.abspath(os.path.expanduser(name))


def settings_of(settings: Mapping[str, Any] | None) -> _handles.Settings:
    """Return settings as pairs of name and text."""
    return tuple(_settings.texts(settings or {}))
