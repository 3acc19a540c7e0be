"""Numbers that do not count in an image, as in the netCDF driver: NaN, and what lies outside of valid_range."""
import tempfile
import unittest

import numpy as np
from osgeo import gdal

import fixtures

gdal.UseExceptions()

LIMITS = {
    "range": lambda t: {"valid_range": np.array([10, 50], t)},
    "both": lambda t: {"valid_min": t.type(10), "valid_max": t.type(50)},
    "least": lambda t: {"valid_min": t.type(10)},
    "missing": lambda t: {"valid_range": np.array([10, 99], t)},
    "turned": lambda t: {"valid_range": np.array([50, 10], t)},
    "odd": lambda t: {"valid_range": np.array([10.5, 50.5])},
    "text": lambda t: {"valid_range": "10, 50"},
    "none": lambda t: {},
}
TYPES = ("u1", "i2", "u2", "i4", "u4", "f4", "f8")


def limited(file):
    fixtures.ascending(file)
    shape = tuple(file.dimensions[name].size for name in ("time", "lat", "lon"))
    for dtype in map(np.dtype, TYPES):
        for name, limits in LIMITS.items():
            variable = file.createVariable(f"{name}_{dtype}", dtype, ("time", "lat", "lon"), fill_value=dtype.type(99))
            variable.set_auto_maskandscale(False)
            variable.setncatts(limits(dtype))
            values = (np.arange(np.prod(shape)).reshape(shape) % 120).astype(dtype)
            if dtype.kind == "f":
                values[:, 1] = np.nan
            variable[...] = values


class Validity(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        names = [f"{name}_{np.dtype(dtype)}" for dtype in TYPES for name in LIMITS]
        cls.plain, cls.path = fixtures.make(cls.temporary.name, limited, names=("tas", "time", *names))
        cls.names = names

    def both(self, name):
        # The netCDF driver has something to say of limits that are turned round.
        gdal.PushErrorHandler("CPLQuietErrorHandler")
        self.addCleanup(gdal.PopErrorHandler)
        return gdal.Open(f'NETCDF:"{self.plain}":{name}'), gdal.Open(f'CFA:"{self.path}":{name}')

    def test_images_equal_those_of_the_plain_file(self):
        for name in self.names:
            with self.subTest(name):
                expected, found = self.both(name)
                if name.startswith("odd_") and "int" in name:
                    # Versions after 3.6 ignore such limits, and so does this driver.
                    stored = gdal.OpenEx(self.path, gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray(name)
                    np.testing.assert_array_equal(found.ReadAsArray(), stored.ReadAsArray()[:, ::-1])
                    continue
                np.testing.assert_array_equal(found.ReadAsArray(), expected.ReadAsArray())
                band = found.GetRasterBand(2)
                np.testing.assert_array_equal(band.ReadAsArray(), expected.GetRasterBand(2).ReadAsArray())
                np.testing.assert_array_equal(band.ReadAsArray(1, 1, 2, 2), expected.GetRasterBand(2).ReadAsArray(1, 1, 2, 2))

    def test_other_types_of_buffers_and_statistics_too(self):
        for name in ("range_float32", "both_int16", "none_float64"):
            with self.subTest(name):
                expected, found = self.both(name)
                for kind in (gdal.GDT_Byte, gdal.GDT_Int32, gdal.GDT_Float64):
                    np.testing.assert_array_equal(found.ReadAsArray(buf_type=kind), expected.ReadAsArray(buf_type=kind))
                computed = [dataset.GetRasterBand(1).ComputeStatistics(False) for dataset in (found, expected)]
                np.testing.assert_allclose(*computed, rtol=1e-12)


if __name__ == "__main__":
    unittest.main()
