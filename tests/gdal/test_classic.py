"""Aggregations as classic rasters: bands, subdatasets, errors."""
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

    @unittest.skipUnless(hasattr(gdal, "GetSubdatasetInfo"), "GDAL takes names apart from 3.8 on")
    def test_names_of_subdatasets_are_taken_apart(self):
        info = gdal.GetSubdatasetInfo('CFA:"/a b/f.nc":/g/tas')
        self.assertEqual((info.GetPathComponent(), info.GetSubdatasetComponent()), ("/a b/f.nc", "/g/tas"))
        self.assertEqual(info.ModifyPathComponent("/c/d.nc"), 'CFA:"/c/d.nc":/g/tas')

    def test_variables_of_groups_are_named_by_their_paths(self):
        plain, path = fixtures.make(self.folder, fixtures.ascending)
        with Dataset(path, "a") as file:
            inner = file.createGroup("forecast")
            other = inner.createVariable("tas", "f4", (), fill_value=np.float32(1e20))
            fixtures.copy_attributes(file["tas"], other)
        listed = [name for name, _ in gdal.Open(path).GetSubDatasets()]
        self.assertEqual(listed, [f'CFA:"{path}":tas', f'CFA:"{path}":/forecast/tas'])
        for name in listed:
            np.testing.assert_array_equal(gdal.Open(name).ReadAsArray(), gdal.Open(plain).ReadAsArray())

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
