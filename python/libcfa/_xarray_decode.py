"""Decodes variables as xarray does, and makes a dataset of them, without the steps that change nothing.

xarray takes every variable through all of its coders, and checks a dataset as if a user had put it together. For a
small file both cost more than reading it.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import Any

import xarray as xr
from xarray import conventions

#: The attributes that xarray acts on when it decodes values or finds coordinates.
_CODED = frozenset(
    (
        *("_FillValue", "missing_value", "scale_factor", "add_offset", "_Unsigned", "_Encoding", "dtype"),
        *("coordinates", *conventions.CF_RELATED_DATA),
    )
)
#: The units of time differences, beside those with "since".
_PERIODS = frozenset(("days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"))


def dataset(
    variables: dict[Hashable, xr.Variable], attrs: dict[str, Any], encoding: dict[str, Any], decoders: Mapping[str, Any]
) -> xr.Dataset:
    """Return variables as a dataset without indexes, decoded as ``xarray.decode_cf`` does it."""
    parts: tuple[Mapping[Any, xr.Variable], Mapping[Any, Any], Collection[Hashable]] = variables, attrs, ()
    if "coordinates" in attrs or not all(map(is_decoded, variables.values())):
        parts = conventions.decode_cf_variables(variables, attrs, **decoders)
    decoded, attributes, named = parts
    coordinates = {name: variable for name, variable in decoded.items() if name in named or variable.dims == (name,)}
    data = {name: variable for name, variable in decoded.items() if name not in coordinates}
    made = _joined(data, coordinates, attributes)
    made.encoding = encoding
    return made


def is_decoded(variable: xr.Variable) -> bool:
    """Return whether no coder of xarray would change a variable, whatever it is told to decode."""
    attrs = variable.attrs
    if not _CODED.isdisjoint(attrs):
        return False
    if variable.dtype.kind == "M":
        return True
    units = attrs.get("units")
    is_time = isinstance(units, str) and ("since" in units or units in _PERIODS)
    return variable.dtype.kind in "iuf" and not is_time


def _joined(data: dict[Any, xr.Variable], coordinates: dict[Any, xr.Variable], attrs: Mapping[str, Any]) -> xr.Dataset:
    """Return a dataset of these variables, as its constructor makes it."""
    variables = {**data, **coordinates}
    direct = _direct(variables)
    if direct is None:
        return xr.Dataset(data, coords=xr.Coordinates(coordinates, indexes={}), attrs=attrs)
    made: xr.Dataset = direct(variables, set(coordinates), attrs=dict(attrs) or None)
    return made


def _direct(variables: dict[Any, xr.Variable]) -> Any:
    """Return xarray's own way to a dataset of variables that need not be checked; None without one, or if they do.

    What it omits is to align the variables by indexes, of which there are none, and to find those that have the name of
    a dimension and are not its coordinates.
    """
    dims = {dim for variable in variables.values() for dim in variable.dims}
    is_fit = all(variables[dim].dims == (dim,) for dim in dims if dim in variables)
    return getattr(xr.Dataset, "_construct_direct", None) if is_fit else None
