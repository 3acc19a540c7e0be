"""Makes the GDAL driver of aggregation files available to rasterio, and so to rioxarray.

>>> import libcfa.rasterio
>>> import rasterio
>>> libcfa.rasterio.register()
>>> with rasterio.open("tas.nc") as raster:
...     july = raster.read(196)

The wheels of rasterio have a GDAL of their own, which loads only plugins that were built for its minor version
(``scripts/cargo.sh wheel-plugin 3.10``) and finds none by itself, since its library has another name in each wheel.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import re
import sys
import threading
from pathlib import Path
from typing import Any

from ._errors import NotFound, Unreadable

__all__ = ["register"]

#: The variable of the environment that names the folder of the plugins.
VARIABLE = "CFA_GDAL_PLUGINS"

_PLUGIN = "gdal_CFA.so"
# What a plugin for wheels has in place of the name of GDAL's library.
_MARK = re.compile(rb"libgdal-of-the-wheel-_+(?=\0)")
_LOCK = threading.Lock()
# The plugin that is loaded. Its descriptor stays open: the system knows a loaded library by its name, which has this
# number.
_loaded: list[int] = []


def register(folder: str | os.PathLike[str] | None = None) -> None:
    """Let rasterio open aggregation files; a second call does nothing.

    Call it before threads use rasterio: GDAL asks its drivers in turn, and this one is moved to the front.

    Args:
        folder: has the plugins, each in a folder that is called after the minor version of GDAL, as in
            ``3.10/gdal_CFA.so``. By default that is the first of these which has a plugin for this rasterio:
            ``$CFA_GDAL_PLUGINS``, ``gdalplugins`` beside this module, and ``lib/cfa/gdalplugins`` below Python's
            prefix, ``/usr/local`` and ``/usr``.

    Raises:
        FileNotFoundError: no folder has a plugin for the GDAL of this rasterio; the message says which version is
            needed, and which are there.
        OSError: the plugin does not fit, or the system is not Linux.
    """
    if sys.platform != "linux":
        raise Unreadable("the plugin for rasterio can be loaded on Linux only")
    gdal = _gdal()
    with _LOCK:
        if not gdal.GDALGetDriverByName(b"CFA"):
            version = int(gdal.GDALVersionInfo(b"VERSION_NUM"))
            _load(gdal, _find(f"{version // 1_000_000}.{version // 10_000 % 100}", folder))
        _move_to_the_front(gdal)


def _gdal() -> ctypes.CDLL:
    """Return rasterio's own GDAL; other packages may have others in the same process."""
    base = importlib.import_module("rasterio._base")
    # A name is looked up in the module and then in the libraries that it is linked to.
    gdal = ctypes.CDLL(str(base.__file__))
    for name, result, *arguments in (
        ("GDALVersionInfo", ctypes.c_char_p, ctypes.c_char_p),
        ("GDALGetDriverByName", ctypes.c_void_p, ctypes.c_char_p),
        ("GDALGetDriverCount", ctypes.c_int),
        ("GDALGetDriver", ctypes.c_void_p, ctypes.c_int),
        ("GDALRegisterDriver", ctypes.c_int, ctypes.c_void_p),
        ("GDALDeregisterDriver", None, ctypes.c_void_p),
        ("CPLGetLastErrorMsg", ctypes.c_char_p),
    ):
        function = getattr(gdal, name)
        function.restype, function.argtypes = result, arguments
    return gdal


def _folders() -> list[Path]:
    named = [Path(os.environ[VARIABLE])] if os.environ.get(VARIABLE) else []
    prefixes = dict.fromkeys(Path(prefix) for prefix in (sys.prefix, "/usr/local", "/usr"))
    return [*named, Path(__file__).parent / "gdalplugins", *(prefix / "lib/cfa/gdalplugins" for prefix in prefixes)]


def _find(minor: str, folder: str | os.PathLike[str] | None) -> Path:
    """Return the plugin for this minor version of GDAL."""
    folders = _folders() if folder is None else [Path(folder)]
    for one in folders:
        if (one / minor / _PLUGIN).is_file():
            return one / minor / _PLUGIN
    others = sorted({plugin.parent.name for one in folders for plugin in one.glob(f"*/{_PLUGIN}")})
    raise NotFound(
        f"the GDAL of this rasterio is {minor}, and there is no plugin for it, "
        f"{'only for ' + ', '.join(others) if others else 'nor for any other version'}, in "
        f"{', '.join(map(str, folders))}; scripts/cargo.sh wheel-plugin {minor} builds one",
        "io",
    )


def _load(gdal: ctypes.CDLL, plugin: Path) -> None:
    """Load a plugin into rasterio's GDAL.

    It needs a library of GDAL by name. The other way, making the symbols of rasterio's GDAL visible to the whole
    process, would do the same to its HDF5 and netCDF, which those of h5py and netCDF4 must not meet.
    """
    content = plugin.read_bytes()
    mark = _MARK.search(content)
    if mark is None:
        raise Unreadable(f"{plugin} is no plugin for wheels (scripts/cargo.sh wheel-plugin)", "io")
    library = os.fsencode(_library_of(gdal.GDALVersionInfo))
    if len(library) > len(mark[0]):
        raise Unreadable(f"the name of rasterio's GDAL is too long: {os.fsdecode(library)}", "io")
    # Not a temporary file: where those are, programs may not be allowed to run.
    descriptor = os.memfd_create(_PLUGIN)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content[: mark.start()] + library.ljust(len(mark[0]), b"\0") + content[mark.end() :])
    try:
        ctypes.CDLL(f"/proc/self/fd/{descriptor}").GDALRegister_CFA()
    except (OSError, AttributeError) as reason:
        os.close(descriptor)
        raise Unreadable(f"{plugin} does not fit the GDAL of this rasterio: {reason}", "io") from reason
    _loaded.append(descriptor)
    if not gdal.GDALGetDriverByName(b"CFA"):
        message = (gdal.CPLGetLastErrorMsg() or b"").decode(errors="replace")
        raise Unreadable(f"{plugin} does not fit the GDAL of this rasterio: {message}", "io")


def _library_of(function: Any) -> str:
    """Return the file of the library that has the function."""

    class Info(ctypes.Structure):
        _fields_ = (
            ("file", ctypes.c_char_p),
            ("base", ctypes.c_void_p),
            ("name", ctypes.c_char_p),
            ("address", ctypes.c_void_p),
        )

    info = Info()
    process = ctypes.CDLL(None)
    if not process.dladdr(ctypes.cast(function, ctypes.c_void_p), ctypes.byref(info)) or not info.file:
        raise Unreadable("the library of rasterio's GDAL cannot be found", "io")
    return os.path.realpath(os.fsdecode(info.file))


def _move_to_the_front(gdal: ctypes.CDLL) -> None:
    """GDAL asks drivers in the order of their registration, and the netCDF driver opens aggregations as well."""
    drivers = [gdal.GDALGetDriver(i) for i in range(gdal.GDALGetDriverCount())]
    own = gdal.GDALGetDriverByName(b"CFA")
    if drivers[0] == own:
        return
    for driver in drivers:
        if driver != own:
            gdal.GDALDeregisterDriver(driver)
            gdal.GDALRegisterDriver(driver)
