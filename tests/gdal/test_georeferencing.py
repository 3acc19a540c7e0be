"""The raster of an aggregation lies where GDAL's netCDF driver puts the same data stored in one plain file."""
import json
import tempfile
import unittest

import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

import fixtures

gdal.UseExceptions()


def describe(dataset, path):
    """What gdalinfo says, without the names of driver and file."""
    info = gdal.Info(dataset, format="json")
    # The last repeats the others.
    for key in ("description", "driverShortName", "driverLongName", "files", "stac"):
        info.pop(key)
    for band in info["bands"]:
        band.pop("block")
        # The netCDF driver leaves it empty; QGIS labels bands by it.
        band.pop("description", None)
    # It lists the coordinates for reference beside the one variable.
    info["metadata"].pop("SUBDATASETS", None)
    text = json.dumps(info, sort_keys=True)
    return json.loads(text.replace(f'NETCDF:\\"{path}\\"', "FILE").replace(f'CFA:\\"{path}\\"', "FILE"))


class Georeferencing(unittest.TestCase):
    maxDiff = None

    def test_is_that_of_one_plain_file(self):
        for case in fixtures.GEOREFERENCING:
            with self.subTest(case.__name__), tempfile.TemporaryDirectory() as folder:
                plain, aggregation = fixtures.make(folder, case)
                expected = gdal.OpenEx(plain, allowed_drivers=["netCDF"])
                if expected.RasterCount == 0:
                    expected = gdal.OpenEx(f'NETCDF:"{plain}":tas', allowed_drivers=["netCDF"])
                found = gdal.Open(aggregation)
                self.assertEqual(found.GetDriver().ShortName, "CFA")
                self.assertEqual(describe(found, aggregation), describe(expected, plain))
                np.testing.assert_array_equal(found.ReadAsArray(), expected.ReadAsArray())

    def test_coordinates_that_were_never_written_leave_it_to_other_attributes(self):
        def actual_range(file):
            fixtures.ascending(file)
            file.node_offset = 0.0
            for name, limits in (("lat", [-45.0, 45.0]), ("lon", [-20.0, 20.0])):
                file[name].set_auto_mask(False)
                file[name][...] = 9.969209968386869e36
                file[name].actual_range = limits
        with tempfile.TemporaryDirectory() as folder:
            plain, aggregation = fixtures.make(folder, actual_range)
            expected, found = gdal.Open(plain), gdal.Open(aggregation)
            self.assertIsNotNone(expected.GetGeoTransform(can_return_null=True))
            self.assertEqual(found.GetGeoTransform(can_return_null=True), expected.GetGeoTransform())
            np.testing.assert_array_equal(found.ReadAsArray(), expected.ReadAsArray())

    def test_long_attributes_do_not_hide_it(self):
        lengths = sorted({0, 300_000, *(round(2 ** (eighths / 8)) for eighths in range(64, 115))})
        places = {"file": lambda file: file, "data": lambda file: file["tas"], "coordinate": lambda file: file["y"],
                  "grid mapping": lambda file: file["projection"]}
        with tempfile.TemporaryDirectory() as folder:
            plain, aggregation = fixtures.make(folder, fixtures.lambert)
            expected = gdal.Open(plain)
            for place, holder in places.items():
                for length in lengths:
                    with Dataset(aggregation, "a") as file:
                        holder(file).comment = "x" * length
                    with self.subTest(place=place, length=length):
                        found = gdal.Open(aggregation)
                        self.assertEqual(found.GetGeoTransform(can_return_null=True), expected.GetGeoTransform())
                        self.assertTrue(found.GetSpatialRef().IsSame(expected.GetSpatialRef()))
                with Dataset(aggregation, "a") as file:
                    del holder(file).comment
            np.testing.assert_array_equal(found.ReadAsArray(), expected.ReadAsArray())

    def test_multidimensional_reference_systems_are_equal_too(self):
        for case in (fixtures.wgs84, fixtures.lambert, fixtures.polar_stereographic,
                     fixtures.rotated_pole_on_a_sphere):
            with self.subTest(case.__name__), tempfile.TemporaryDirectory() as folder:
                plain, aggregation = fixtures.make(folder, case)
                found, expected = (
                    gdal.OpenEx(path, gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("tas").GetSpatialRef()
                    for path in (aggregation, plain))
                self.assertTrue(found.IsSame(expected), f"{found}\n{expected}")
                self.assertEqual(found.GetDataAxisToSRSAxisMapping(), expected.GetDataAxisToSRSAxisMapping())


if __name__ == "__main__":
    unittest.main()
