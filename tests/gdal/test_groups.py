"""Variables of groups as classic rasters: what GDAL's netCDF driver says of the same data in one plain file."""
import tempfile
import unittest

import numpy as np
from osgeo import gdal

import fixtures
from test_georeferencing import describe

gdal.UseExceptions()

LATITUDES = np.arange(-45.0, 46, 10)
LONGITUDES = np.arange(-20.0, 21, 4)


def everything_in_a_group(file):
    group = file.createGroup("a")
    group.title = "in the group"
    fixtures.lat_lon(group, LATITUDES, LONGITUDES)


def dimensions_above(file):
    for name, size in (("time", 5), ("lat", 10), ("lon", 11)):
        file.createDimension(name, size)
    group = file.createGroup("a")
    for name, values, attributes in (("time", np.arange(5.0), dict(units="days since 2001-01-01")),
                                     ("lat", LATITUDES, fixtures.LAT), ("lon", LONGITUDES, fixtures.LON)):
        variable = group.createVariable(name, "f8", (name,))
        variable[:] = values
        variable.setncatts(attributes)
    field(group)


def geolocation_of_a_sibling(file):
    for name, size in (("time", 5), ("y", 6), ("x", 8)):
        file.createDimension(name, size)
    other = file.createGroup("geo")
    j, i = np.mgrid[0:6, 0:8]
    for name, values, attributes in (("lat", 40 + j + 0.1 * i, fixtures.LAT), ("lon", 5 + i - 0.1 * j, fixtures.LON)):
        variable = other.createVariable(name, "f8", ("y", "x"))
        variable[:] = values
        variable.setncatts(attributes)
    field(file.createGroup("a"), ("time", "y", "x"), coordinates="/geo/lat /geo/lon")


def field(group, dimensions=("time", "lat", "lon"), name="tas", **attributes):
    """Data on dimensions of the file."""
    root = group
    while root.parent is not None:
        root = root.parent
    shape = [len(root.dimensions[d]) for d in dimensions]
    variable = group.createVariable(name, "f4", dimensions, fill_value=np.float32(1e20))
    variable[:] = fixtures.RNG.uniform(0, 1, shape)
    variable.setncatts(dict(units="K", **attributes))


class Groups(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def test_rasters_are_those_of_one_plain_file(self):
        for case in (everything_in_a_group, dimensions_above, geolocation_of_a_sibling):
            with self.subTest(case.__name__):
                plain, aggregation = fixtures.make(self.folder, case, names=("/a/tas",))
                expected = gdal.OpenEx(f'NETCDF:"{plain}":/a/tas', allowed_drivers=["netCDF"])
                found = gdal.Open(f'CFA:"{aggregation}":/a/tas')
                self.assertEqual(describe(found, aggregation), describe(expected, plain))
                np.testing.assert_array_equal(found.ReadAsArray(), expected.ReadAsArray())

    def test_descriptions_of_subdatasets_tell_the_group(self):
        def nested(file):
            fixtures.ascending(file)
            field(file.createGroup("forecast"))
            field(file["forecast"].createGroup("late"), name="pr", standard_name="precipitation_flux")

        def listed(path, driver):
            dataset = gdal.OpenEx(path, allowed_drivers=[driver])
            return [(name.split(":")[-1], text) for name, text in dataset.GetSubDatasets()], dataset.GetMetadata()

        plain, aggregation = fixtures.make(self.folder, nested, names=("tas", "/forecast/tas", "/forecast/late/pr"))
        self.assertEqual(listed(aggregation, "CFA"), listed(plain, "netCDF"))


if __name__ == "__main__":
    unittest.main()
