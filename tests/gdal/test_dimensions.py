"""Dimensions mean to the multidimensional API what GDAL's netCDF driver says of the same data in one plain file."""
import tempfile
import time
import unittest

import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

import fixtures

gdal.UseExceptions()

LATITUDES = np.arange(-45.0, 46, 10)
LONGITUDES = np.arange(-20.0, 21, 4)


def told_by_units(file):
    for name, units in (("p", "Pa"), ("hp", "hPa"), ("mb", "millibar"), ("z", "m"), ("k", "level"), ("n", "1")):
        fixtures.axis(file, name, [1.0, 2.0], units=units)
    fixtures.axis(file, "a", LATITUDES, units="degrees_north")
    fixtures.axis(file, "b", LONGITUDES, units="degrees_east")
    fixtures.data(file, ("p", "hp", "mb", "z", "k", "n", "a", "b"))


def told_by_names_of_the_standard(file):
    fixtures.times(file)
    fixtures.axis(file, "k", [0.9, 0.5], standard_name="atmosphere_sigma_coordinate", positive="down")
    fixtures.axis(file, "s", [0.9, 0.5], standard_name="ocean_s_coordinate")
    fixtures.axis(file, "a", LATITUDES, long_name="latitude")
    fixtures.axis(file, "b", LONGITUDES, long_name="longitude")
    fixtures.data(file, ("time", "k", "s", "a", "b"))


def auxiliary_coordinates(file):
    fixtures.times(file)
    for name, dimension, values, attributes in (("lat", "y", LATITUDES, fixtures.LAT), ("lon", "x", LONGITUDES, fixtures.LON)):
        file.createDimension(dimension, len(values))
        variable = file.createVariable(name, "f8", (dimension,))
        variable[:] = values
        variable.setncatts(attributes)
    fixtures.data(file, ("time", "y", "x"), coordinates="lat lon")


def time_by_another_name(file):
    file.createDimension("t", 5)
    variable = file.createVariable("time", "f8", ("t",))
    variable[:] = np.arange(5) + 0.5
    variable.setncatts(dict(standard_name="time", units="days since 2001-02-27"))
    fixtures.axis(file, "lat", LATITUDES, **fixtures.LAT)
    fixtures.axis(file, "lon", LONGITUDES, **fixtures.LON)
    fixtures.data(file, ("t", "lat", "lon"))


def several_along_one(file):
    file.createDimension("t", 5)
    for name in ("first", "second"):
        file.createVariable(name, "f8", ("t",))[:] = np.arange(5)
    fixtures.axis(file, "lat", LATITUDES, **fixtures.LAT)
    fixtures.axis(file, "lon", LONGITUDES, **fixtures.LON)
    fixtures.data(file, ("t", "lat", "lon"))


def dimensions(path):
    group = gdal.OpenEx(path, gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    found = []
    for dimension in group.OpenMDArray("tas").GetDimensions():
        variable = dimension.GetIndexingVariable()
        found.append((dimension.GetName(), dimension.GetType(), dimension.GetDirection(),
                      variable and (variable.GetFullName(), variable.ReadAsArray().tolist())))
    return found


class Dimensions(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def test_are_those_of_one_plain_file(self):
        for case in (told_by_units, told_by_names_of_the_standard, auxiliary_coordinates, time_by_another_name,
                     several_along_one, fixtures.ascending, fixtures.levels, fixtures.lambert, fixtures.polar_stereographic):
            with self.subTest(case.__name__):
                plain, aggregation = fixtures.make(self.folder, case)
                self.assertEqual(dimensions(aggregation), dimensions(plain))

    def test_coordinates_that_are_aggregated_serve_too(self):
        plain, aggregation = fixtures.make(self.folder, auxiliary_coordinates, names=("tas", "lat", "lon"))
        self.assertEqual(dimensions(aggregation), dimensions(plain))

    def test_values_of_bands_may_have_another_name_than_the_dimension(self):
        plain, aggregation = fixtures.make(self.folder, time_by_another_name)
        found, expected = (gdal.Open(path) for path in (aggregation, plain))
        self.assertEqual(found.GetMetadata(), expected.GetMetadata())
        self.assertEqual(found.GetRasterBand(2).GetMetadata(), expected.GetRasterBand(2).GetMetadata())
        self.assertEqual(found.GetRasterBand(2).GetDescription(), "t=2001-02-28 12:00:00")

    def test_lists_of_many_variables_take_no_longer_with_options(self):
        _, aggregation = fixtures.make(self.folder, auxiliary_coordinates)
        with Dataset(aggregation, "a") as file:
            for number in range(500):
                variable = file.createVariable(f"v{number}", "f4", ())
                fixtures.copy_attributes(file["tas"], variable)
        group = gdal.OpenEx(aggregation, gdal.OF_MULTIDIM_RASTER).GetRootGroup()
        begin = time.perf_counter()
        names = group.GetMDArrayNames(["SHOW_COORDINATES=NO"])
        self.assertLess(time.perf_counter() - begin, 0.2)
        self.assertEqual(len(names), 502)


if __name__ == "__main__":
    unittest.main()
