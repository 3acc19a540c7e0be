"""Aggregated bytes without a missing value, with missing data: an error that names the way out, or no-data."""
import os
import tempfile
import unittest

import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

import fixtures

gdal.UseExceptions()


def flags(file):
    fixtures.ascending(file)
    for dtype in ("i1", "u1"):
        file.createVariable(f"flag_{dtype}", dtype, ("time", "lat", "lon"))[...] = 5


class MissingBytes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        _, path = fixtures.make(cls.temporary.name, flags, names=("flag_i1", "flag_u1"))
        cls.path = str(path)
        # The fragments, not the aggregation, say which values are missing.
        for name in os.listdir(cls.temporary.name):
            if "_flag_" not in name:
                continue
            with Dataset(os.path.join(cls.temporary.name, name), "a") as fragment:
                variable = next(v for n, v in fragment.variables.items() if n.startswith("flag"))
                variable.missing_value = variable.dtype.type(9)
                variable.set_auto_mask(False)
                variable[0, 0, 0] = 9

    def open(self, dtype, *options):
        return gdal.OpenEx(f'CFA:"{self.path}":flag_{dtype}', open_options=list(options))

    def test_the_error_names_the_option(self):
        for dtype in ("i1", "u1"):
            with self.subTest(dtype), self.assertRaisesRegex(RuntimeError, "MISSING_BYTES"):
                self.open(dtype).ReadAsArray()

    def test_the_number_that_is_chosen_is_the_no_data_value(self):
        for dtype, number in (("i1", -128), ("u1", 255)):
            with self.subTest(dtype):
                dataset = self.open(dtype, f"MISSING_BYTES={number}")
                band = dataset.GetRasterBand(1)
                self.assertEqual(band.GetNoDataValue(), number)
                expected = np.full(band.ReadAsArray().shape, 5)
                # Images may be upside down.
                expected[-1 if band.ReadAsArray()[0, 0] == 5 else 0, 0] = number
                np.testing.assert_array_equal(band.ReadAsArray(), expected)
                self.assertEqual(np.count_nonzero(band.GetMaskBand().ReadAsArray() == 0), 1)
                root = gdal.OpenEx(self.path, gdal.OF_MULTIDIM_RASTER,
                                   open_options=[f"MISSING_BYTES={number}"]).GetRootGroup()
                array = root.OpenMDArray(f"flag_{dtype}")
                self.assertEqual(array.GetNoDataValueAsDouble(), number)
                self.assertEqual(array.ReadAsArray()[0, 0, 0], number)

    def test_it_is_a_configuration_option(self):
        with fixtures.configured("GDAL_CFA_MISSING_BYTES", "77"):
            dataset = self.open("u1")
            self.assertEqual(dataset.GetRasterBand(1).GetNoDataValue(), 77)

    def test_a_number_that_valid_data_have_is_refused(self):
        with self.assertRaisesRegex(RuntimeError, "MISSING_BYTES"):
            self.open("u1", "MISSING_BYTES=5").ReadAsArray()


if __name__ == "__main__":
    unittest.main()
