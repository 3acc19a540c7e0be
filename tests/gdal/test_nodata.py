"""The value for missing data without an attribute: the same as the netCDF driver reports for a plain file."""
import tempfile
import unittest

import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

import fixtures

gdal.UseExceptions()

TYPES = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")


def every_type(file):
    fixtures.ascending(file)
    for dtype in TYPES:
        for kind in ("stored", "cut"):
            file.createVariable(f"{kind}_{dtype}", dtype, ("time", "lat", "lon"))[...] = 1


def numbers_as_text(file):
    fixtures.ascending(file)
    for dtype in ("i1", "u1", "i2", "i4", "f4", "f8"):
        for text in ("12", "none"):
            variable = file.createVariable(f"{text}_{dtype}", dtype, ("time", "lat", "lon"))
            variable.set_auto_maskandscale(False)
            fixtures.set_attribute(variable, "missing_value", text)
            variable[...] = fixtures.RNG.integers(10, 15, variable.shape)


class NumbersAsText(unittest.TestCase):
    """missing_value = "12", as some programs write it, is the number."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        names = [f"{text}_{dtype}" for dtype in ("i1", "u1", "i2", "i4", "f4", "f8") for text in ("12", "none")]
        self.names = names
        self.plain, self.path = fixtures.make(temporary.name, numbers_as_text, names=("tas", *names))

    def test_bands_have_them_as_no_data(self):
        for name in self.names:
            with self.subTest(name):
                if name.startswith("none"):
                    # Versions of GDAL differ in what they make of it.
                    found = gdal.Open(f'CFA:"{self.path}":{name}')
                    self.assertNotIn(found.GetRasterBand(1).GetNoDataValue(), (0, 12))
                    continue
                expected, found = gdal.Open(f'NETCDF:"{self.plain}":{name}'), gdal.Open(f'CFA:"{self.path}":{name}')
                self.assertEqual(found.GetRasterBand(1).GetNoDataValue(), expected.GetRasterBand(1).GetNoDataValue())
                self.assertEqual(found.GetRasterBand(1).GetNoDataValue(), 12)
                np.testing.assert_array_equal(found.ReadAsArray(), expected.ReadAsArray())

    def test_arrays_have_them_as_no_data(self):
        group = gdal.OpenEx(self.path, gdal.OF_MULTIDIM_RASTER).GetRootGroup()
        for name in self.names:
            if name.startswith("12"):
                with self.subTest(name):
                    self.assertEqual(group.OpenMDArray(name).GetNoDataValueAsDouble(), 12)


class NoData(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        names = ("tas", "time", *(f"cut_{dtype}" for dtype in TYPES))
        cls.plain, cls.path = fixtures.make(cls.temporary.name, every_type, names=names)

    def arrays(self):
        return [gdal.OpenEx(p, gdal.OF_MULTIDIM_RASTER).GetRootGroup() for p in (self.plain, self.path)]

    def test_a_band_has_the_default_fill_value_of_its_type(self):
        for name in (f"{kind}_{dtype}" for kind in ("stored", "cut") for dtype in TYPES):
            with self.subTest(name):
                expected = gdal.Open(f'NETCDF:"{self.plain}":{name}')
                found = gdal.Open(f'CFA:"{self.path}":{name}')
                self.assertEqual(found.GetRasterBand(1).GetNoDataValue(), expected.GetRasterBand(1).GetNoDataValue())

    def test_an_array_that_is_stored_has_only_what_attributes_tell(self):
        plain, aggregation = self.arrays()
        for dtype in TYPES:
            with self.subTest(dtype):
                expected = plain.OpenMDArray(f"stored_{dtype}").GetNoDataValueAsRaw()
                self.assertEqual(aggregation.OpenMDArray(f"stored_{dtype}").GetNoDataValueAsRaw(), expected)

    def test_an_aggregated_array_tells_what_stands_for_data_that_fragments_lack(self):
        array = self.arrays()[1].OpenMDArray("cut_f4")
        self.assertEqual(array.GetNoDataValueAsDouble(), np.float32(9.969209968386869e36))

    def test_an_aggregated_coordinate_is_copied_without_fill_value(self):
        copies = []
        for path in (self.plain, self.path):
            copy = path + ".copy.nc"
            gdal.MultiDimTranslate(copy, path, arraySpecs=["time", "tas"])
            with Dataset(copy) as file:
                copies.append([file[name].ncattrs() for name in ("time", "tas")])
        self.assertEqual(copies[1], copies[0])


if __name__ == "__main__":
    unittest.main()
