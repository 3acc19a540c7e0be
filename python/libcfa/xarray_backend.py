"""The engine ``cfa`` of xarray: ``xarray.open_dataset("tas.nc", engine="cfa")``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import xarray as xr
from xarray.backends import BackendEntrypoint
from xarray.backends.common import datatree_from_dict_with_io_cleanup

from . import _handles, _xarray_decode
from ._dataset import identify
from ._xarray_store import CfaStore, full_path, settings_of

#: The size that chunks of whole fragments have at most, in bytes, unless one fragment is larger.
CHUNK_BYTES = 128 * 1024 * 1024


class CfaBackendEntrypoint(BackendEntrypoint):
    """Opens aggregation files, and any other netCDF file, in xarray."""

    description = "Open aggregation netCDF files (CF-1.13, CFA) as if their data were stored in one file"
    url = "https://cfconventions.org/cf-conventions/cf-conventions.html"
    supports_groups = True
    open_dataset_parameters: ClassVar[tuple[str, ...]] = (
        "filename_or_obj",
        "mask_and_scale",
        "decode_times",
        "concat_characters",
        "decode_coords",
        "drop_variables",
        "use_cftime",
        "decode_timedelta",
        "group",
        "settings",
        "chunk_bytes",
    )

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Return whether it is the name of a local file with an aggregation variable."""
        try:
            path = full_path(filename_or_obj)
            # Servers are not asked for a guess.
            return not _handles.is_address(path) and os.path.isfile(path) and identify(path) is not None
        except Exception:  # xarray asks every engine about every file
            return False

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        mask_and_scale: bool | Mapping[str, bool] | None = True,
        decode_times: Any = True,
        concat_characters: bool | Mapping[str, bool] | None = True,
        decode_coords: Any = True,
        drop_variables: str | Iterable[str] | None = None,
        use_cftime: bool | Mapping[str, bool] | None = None,
        decode_timedelta: Any = None,
        group: str | None = None,
        settings: Mapping[str, Any] | None = None,
        chunk_bytes: int = CHUNK_BYTES,
    ) -> xr.Dataset:
        """Open one group of a file.

        Args:
            filename_or_obj: a file name or an address.
            mask_and_scale: this and the next are those of ``xarray.open_dataset``.
            decode_times: see there.
            concat_characters: see there.
            decode_coords: see there.
            drop_variables: see there.
            use_cftime: see there.
            decode_timedelta: see there.
            group: the path of a group; the root by default.
            settings: those of ``libcfa.open``, such as ``{"NUM_THREADS": 1}``.
            chunk_bytes: the size up to which ``chunks={}`` merges whole fragments into one chunk; 0 makes a chunk of
                each fragment.
        """
        if chunk_bytes < 0:
            raise ValueError(f"chunk_bytes is {chunk_bytes}; it is 0 or more")
        dropped = {drop_variables} if isinstance(drop_variables, str) else set(drop_variables or ())
        where = "/" + (group or "").strip("/")
        plainly = decode_times is True and use_cftime is None
        store = CfaStore(full_path(filename_or_obj), settings_of(settings), where, mask_and_scale, dropped, plainly)
        decoders = {
            "mask_and_scale": mask_and_scale,
            "decode_times": decode_times,
            "concat_characters": concat_characters,
            "decode_coords": decode_coords,
            "use_cftime": use_cftime,
            "decode_timedelta": decode_timedelta,
        }
        dataset = _xarray_decode.dataset(store.variables(), store.attrs(), store.encoding(), decoders)
        store.finish(dataset, chunk_bytes)
        return dataset

    def open_groups_as_dict(
        self,
        filename_or_obj: Any,
        *,
        mask_and_scale: bool | Mapping[str, bool] | None = True,
        decode_times: Any = True,
        concat_characters: bool | Mapping[str, bool] | None = True,
        decode_coords: Any = True,
        drop_variables: str | Iterable[str] | None = None,
        use_cftime: bool | Mapping[str, bool] | None = None,
        decode_timedelta: Any = None,
        group: str | None = None,
        settings: Mapping[str, Any] | None = None,
        chunk_bytes: int = CHUNK_BYTES,
    ) -> dict[str, xr.Dataset]:
        """Open a group and all groups below it, by their paths relative to it. Arguments as for ``open_dataset``."""
        top = "/" + (group or "").strip("/")
        path = full_path(filename_or_obj)
        below = top.rstrip("/") + "/"
        groups = _handles.get(path, settings_of(settings)).dataset.groups
        return {
            "/" + one.removeprefix(below) if one != top else "/": self.open_dataset(
                path,
                mask_and_scale=mask_and_scale,
                decode_times=decode_times,
                concat_characters=concat_characters,
                decode_coords=decode_coords,
                drop_variables=drop_variables,
                use_cftime=use_cftime,
                decode_timedelta=decode_timedelta,
                group=one,
                settings=settings,
                chunk_bytes=chunk_bytes,
            )
            for one in (top, *(one for one in groups if one.startswith(below)))
        }

    def open_datatree(
        self,
        filename_or_obj: Any,
        *,
        mask_and_scale: bool | Mapping[str, bool] | None = True,
        decode_times: Any = True,
        concat_characters: bool | Mapping[str, bool] | None = True,
        decode_coords: Any = True,
        drop_variables: str | Iterable[str] | None = None,
        use_cftime: bool | Mapping[str, bool] | None = None,
        decode_timedelta: Any = None,
        group: str | None = None,
        settings: Mapping[str, Any] | None = None,
        chunk_bytes: int = CHUNK_BYTES,
    ) -> xr.DataTree:
        """Open a group and all groups below it as a tree. Arguments as for ``open_dataset``."""
        groups = self.open_groups_as_dict(
            filename_or_obj,
            mask_and_scale=mask_and_scale,
            decode_times=decode_times,
            concat_characters=concat_characters,
            decode_coords=decode_coords,
            drop_variables=drop_variables,
            use_cftime=use_cftime,
            decode_timedelta=decode_timedelta,
            group=group,
            settings=settings,
            chunk_bytes=chunk_bytes,
        )
        return datatree_from_dict_with_io_cleanup(groups)
