"""Warnings of the engine reach whoever reads through GDAL."""
import tempfile
import unittest
from pathlib import Path

import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

gdal.UseExceptions()


def versions(folder):
    """An aggregation (draft of CF) whose first fragment has a version of the wrong shape before the right one."""
    values = np.arange(24, dtype="f4").reshape(2, 3, 4)
    for name, data in (("wrong", values[:1, :2]), ("right", values[:1]), ("rest", values[1:])):
        with Dataset(folder / f"{name}.nc", "w") as file:
            for dimension, size in zip(("time", "lat", "lon"), data.shape):
                file.createDimension(dimension, size)
            file.createVariable("tas", "f4", ("time", "lat", "lon"))[...] = data
    path = folder / "agg.nc"
    with Dataset(path, "w") as file:
        for dimension, size in (("time", 2), ("lat", 3), ("lon", 4), ("j", 3), ("i", 2), ("f", 2), ("one", 1), ("v", 2)):
            file.createDimension(dimension, size)
        shape = file.createVariable("shape", "i4", ("j", "i"), fill_value=-1)
        shape[...] = np.ma.masked_equal([[1, 1], [3, -1], [4, -1]], -1)
        location = file.createVariable("location", str, ("f", "one", "one", "v"))
        location[...] = np.array(["wrong.nc", "right.nc", "rest.nc", ""], dtype=object).reshape(2, 1, 1, 2)
        file.createVariable("address", str, ())[...] = np.array("tas", dtype=object)
        tas = file.createVariable("tas", "f4", ())
        tas.aggregated_dimensions = "time lat lon"
        tas.aggregated_data = "shape: shape location: location address: address"
    return path, values


class Warnings(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.path, self.values = versions(Path(temporary.name))
        self.told = []
        gdal.PushErrorHandler(lambda severity, code, message: self.told.append((severity, message)))
        self.addCleanup(gdal.PopErrorHandler)

    def check(self):
        self.assertEqual([severity for severity, _ in self.told], [gdal.CE_Warning], self.told)
        self.assertIn("wrong.nc", self.told[0][1])
        self.assertIn("version 2", self.told[0][1])

    def test_an_array_that_is_read_tells_once_what_was_odd(self):
        group = gdal.OpenEx(str(self.path), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
        for _ in range(2):
            np.testing.assert_array_equal(group.OpenMDArray("tas").ReadAsArray(), self.values)
        self.check()

    def test_bands_that_are_read_tell_once_what_was_odd(self):
        dataset = gdal.Open(f'CFA:"{self.path}":tas')
        for _ in range(2):
            # Without coordinates the first row is the lowest.
            np.testing.assert_array_equal(dataset.ReadAsArray(), self.values[:, ::-1])
            np.testing.assert_array_equal(dataset.GetRasterBand(1).ReadAsArray(), self.values[0, ::-1])
        self.check()

    def test_names_are_shown_without_passwords_and_marks(self):
        folder = self.path.parent / "user:secret@host"
        folder.mkdir()
        versions(folder)[0].rename(folder / "a\u202eb.nc")
        group = gdal.OpenEx(f"{folder.parent}//{folder.name}/a\u202eb.nc", gdal.OF_MULTIDIM_RASTER).GetRootGroup()
        np.testing.assert_array_equal(group.OpenMDArray("tas").ReadAsArray(), self.values)
        self.check()
        for hidden in ("secret", "\u202e"):
            self.assertNotIn(hidden, self.told[0][1])


if __name__ == "__main__":
    unittest.main()
