"""Aggregations as classic rasters: bands, subdatasets, options, errors."""
import os
import tempfile
import time
import unittest

import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

import fixtures

gdal.UseExceptions()


class Classic(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = self.temporary.name

    def test_bands_follow_the_order_of_the_other_dimensions_and_are_labelled(self):
        plain, path = fixtures.make(self.folder, fixtures.levels)
        dataset = gdal.Open(path)
        self.assertEqual(dataset.RasterCount, 6)
        labels = [dataset.GetRasterBand(b).GetDescription() for b in range(1, 7)]
        self.assertEqual(labels[:3], ["time=2001-02-27 12:00:00, lev=850 hPa", "time=2001-02-27 12:00:00, lev=500 hPa",
                                      "time=2001-02-28 12:00:00, lev=850 hPa"])
        self.assertEqual(labels[5], "time=2001-03-01 12:00:00, lev=500 hPa")
        metadata = dataset.GetRasterBand(2).GetMetadata()
        self.assertEqual((metadata["NETCDF_DIM_time"], metadata["NETCDF_DIM_lev"]), ("0.5", "500"))
        with Dataset(plain) as file:
            file.set_auto_maskandscale(False)
            values = file["tas"][...]
        np.testing.assert_array_equal(dataset.GetRasterBand(4).ReadAsArray(), values[1, 1, ::-1])
        np.testing.assert_array_equal(dataset.ReadAsArray(), values.reshape(6, *values.shape[2:])[:, ::-1])
        np.testing.assert_array_equal(dataset.GetRasterBand(4).ReadAsArray(3, 2, 4, 5), values[1, 1, ::-1][2:7, 3:7])

    def test_band_traits_are_those_of_the_variable(self):
        _, path = fixtures.make(self.folder, fixtures.packed)
        dataset = gdal.Open(path)
        band = dataset.GetRasterBand(2)
        self.assertEqual((band.GetScale(), band.GetOffset(), band.GetNoDataValue(), band.GetUnitType()),
                         (0.01, 273.15, -32768, "K"))

    def test_several_variables_are_subdatasets(self):
        def two(file):
            fixtures.ascending(file)
            fixtures.data(file, name="pr", standard_name="precipitation_flux", units="kg m-2 s-1")

        _, path = fixtures.make(self.folder, two, names=("tas", "pr"))
        listed = gdal.Open(path).GetSubDatasets()
        self.assertEqual(listed, [(f'CFA:"{path}":tas', "[5x10x11] tas (32-bit floating-point)"),
                                  (f'CFA:"{path}":pr', "[5x10x11] precipitation_flux (32-bit floating-point)")])
        for name in (listed[1][0], f'CFA:"{path}":/pr', f"CFA:{path}:pr"):
            dataset = gdal.Open(name)
            self.assertEqual(dataset.GetRasterBand(1).GetUnitType(), "kg m-2 s-1")

    def test_the_prefix_forces_the_driver_on_an_ordinary_file(self):
        plain, _ = fixtures.make(self.folder, fixtures.ascending)
        dataset = gdal.Open(f"CFA:{plain}")
        self.assertEqual(dataset.GetDriver().ShortName, "CFA")
        expected = gdal.Open(plain)
        self.assertEqual(expected.GetDriver().ShortName, "netCDF")
        np.testing.assert_array_equal(dataset.ReadAsArray(), expected.ReadAsArray())

    def test_a_century_of_days_opens_at_once(self):
        def century(file):
            fixtures.times(file, 36500)
            fixtures.axis(file, "lat", np.arange(4.0), **fixtures.LAT)
            fixtures.axis(file, "lon", np.arange(5.0), **fixtures.LON)
            file.createVariable("tas", "f4", ("time", "lat", "lon"))[:] = 1

        _, path = fixtures.make(self.folder, century, names=("tas", "time"), parts=100)
        gdal.Open(path)
        seconds = []
        for _ in range(3):
            begin = time.perf_counter()
            dataset = gdal.Open(path)
            seconds.append(time.perf_counter() - begin)
        self.assertEqual(dataset.RasterCount, 36500)
        self.assertLess(min(seconds), 0.2)
        self.assertEqual(dataset.GetRasterBand(36500).GetDescription(), "time=2101-02-26 12:00:00")

    def test_a_missing_fragment_is_an_error_or_filled(self):
        _, path = fixtures.make(self.folder, fixtures.ascending)
        os.remove(os.path.join(self.folder, "ascending_tas_1.nc"))
        with self.assertRaisesRegex(RuntimeError, "ascending_tas_1.nc"):
            gdal.Open(path).ReadAsArray()
        filled = gdal.OpenEx(path, open_options=["MISSING_FRAGMENTS=FILL"]).ReadAsArray()
        self.assertTrue((filled[4] == np.float32(1e20)).all())
        gdal.SetConfigOption("GDAL_CFA_MISSING_FRAGMENTS", "FILL")
        try:
            np.testing.assert_array_equal(gdal.Open(path).ReadAsArray(), filled)
        finally:
            gdal.SetConfigOption("GDAL_CFA_MISSING_FRAGMENTS", None)

    def test_sources_may_be_restricted(self):
        _, path = fixtures.make(self.folder, fixtures.ascending)
        dataset = gdal.OpenEx(path, open_options=["ALLOWED_SOURCES=/nowhere"])
        with self.assertRaisesRegex(RuntimeError, "ALLOWED_SOURCES"):
            dataset.ReadAsArray()

    def test_options_that_make_no_sense_are_refused_by_name(self):
        _, path = fixtures.make(self.folder, fixtures.ascending)
        for option in ("NUM_THREADS=many", "CACHE_BYTES=1T", "MAX_FRAGMENTS=0", "MISSING_FRAGMENTS=MAYBE",
                       "MAX_OPEN_FILES=-1"):
            with self.subTest(option), self.assertRaisesRegex(RuntimeError, option.split("=")[0]):
                gdal.OpenEx(path, open_options=[option])

    def test_settings_do_not_change_values(self):
        _, path = fixtures.make(self.folder, fixtures.ascending)
        expected = gdal.Open(path).ReadAsArray()
        for option in ("NUM_THREADS=1", "NUM_THREADS=ALL_CPUS", "CACHE_BYTES=0", "CACHE_BYTES=1K", "MAX_OPEN_FILES=1",
                       "MAX_NESTING=0", "ALLOWED_SOURCES=SIBLINGS"):
            with self.subTest(option):
                np.testing.assert_array_equal(gdal.OpenEx(path, open_options=[option]).ReadAsArray(), expected)

    def test_percent_signs_in_errors_are_printed(self):
        with self.assertRaisesRegex(RuntimeError, "%s%n"):
            gdal.Open("CFA:%s%n.nc")

    def test_overviews_are_kept_beside_the_file_and_used(self):
        _, path = fixtures.make(self.folder, fixtures.zero_to_360)
        dataset = gdal.Open(path)
        dataset.BuildOverviews("NEAREST", [2])
        del dataset
        self.assertTrue(os.path.exists(path + ".ovr"))
        dataset = gdal.Open(path)
        self.assertEqual(dataset.GetRasterBand(1).GetOverviewCount(), 1)

    def test_statistics_are_kept_beside_the_file(self):
        _, path = fixtures.make(self.folder, fixtures.ascending)
        dataset = gdal.Open(path)
        expected = dataset.GetRasterBand(1).ComputeStatistics(False)
        del dataset
        self.assertTrue(os.path.exists(path + ".aux.xml"))
        dataset = gdal.Open(path)
        band = dataset.GetRasterBand(1)
        np.testing.assert_allclose(band.GetStatistics(False, False), expected)
        self.assertEqual(band.GetMetadata()["NETCDF_VARNAME"], "tas")


if __name__ == "__main__":
    unittest.main()
