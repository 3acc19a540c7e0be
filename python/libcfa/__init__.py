"""Opens aggregation netCDF files (CF-1.13, CFA) and returns their data as if they were stored in one file.

>>> import libcfa
>>> with libcfa.open("tas.nc") as ds:
...     july = ds["tas"].select(time=slice("2024-07-01", "2024-07-31"), lat=slice(45, 60))

xarray opens the same files with ``xarray.open_dataset("tas.nc", engine="cfa")``.
"""

from ._author import Finding, Made, Report, check, convert, create, extract
from ._core import __version__
from ._dataset import Dataset, Group, identify, open, settings
from ._errors import CfaWarning, Error
from ._variable import Fragment, Variable

__all__ = [
    "CfaWarning",
    "Dataset",
    "Error",
    "Finding",
    "Fragment",
    "Group",
    "Made",
    "Report",
    "Variable",
    "__version__",
    "check",
    "convert",
    "create",
    "extract",
    "identify",
    "open",
    "settings",
]
