"""Coordinates of bands and images that are packed, unsigned or missing."""
import os
import tempfile
import unittest

import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

import fixtures

gdal.UseExceptions()


def coordinate(file, name, values, scale, offset, dtype, **attributes):
    """Values, packed if there is a scale."""
    file.createDimension(name, len(values))
    fill = attributes.pop("fill", None)
    variable = file.createVariable(name, dtype if scale else "f8", (name,), fill_value=fill)
    variable.set_auto_maskandscale(False)
    variable.setncatts(attributes)
    if scale:
        variable.scale_factor, variable.add_offset = scale, offset
        variable[:] = np.rint((np.array(values) - offset) / scale)
    else:
        variable[:] = values


def coordinates(file, packed):
    def scale(x):
        return x if packed else None

    coordinate(file, "time", [10.5, 11, 12], scale(0.5), 10.0, "i2", units="days since 2001-01-01",
               standard_name="time")
    coordinate(file, "lev", [1000.0, 850.0], scale(np.float32(0.1)), np.float32(50), "i2", units="hPa")
    coordinate(file, "lat", np.arange(-45.0, 46, 10), scale(0.5), 1.0, "i2", **fixtures.LAT)
    coordinate(file, "lon", np.arange(-20.0, 21, 4), scale(0.25), -2.0, "i4", **fixtures.LON)
    fixtures.data(file, ("time", "lev", "lat", "lon"))


def packed(file):
    coordinates(file, True)


def unpacked(file):
    coordinates(file, False)


class Coordinates(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = self.temporary.name

    def both(self, names=("tas",)):
        _, other = fixtures.make(self.folder, unpacked)
        _, path = fixtures.make(self.folder, packed, names)
        return gdal.Open(f'CFA:"{path}":tas'), gdal.Open(other)

    def test_bands_are_labelled_by_what_packed_coordinates_mean(self):
        for names in (("tas",), ("tas", "time", "lev")):
            found, expected = self.both(names)
            for band in range(1, 7):
                a, b = found.GetRasterBand(band), expected.GetRasterBand(band)
                self.assertEqual(a.GetDescription(), b.GetDescription())
                for key in ("NETCDF_DIM_time", "NETCDF_DIM_lev"):
                    self.assertEqual(a.GetMetadataItem(key), b.GetMetadataItem(key))
            self.assertEqual(found.GetRasterBand(1).GetDescription(), "time=2001-01-11 12:00:00, lev=1000 hPa")
            self.assertEqual(found.GetMetadataItem("NETCDF_DIM_time_VALUES"), "{10.5,11,12}")
            self.assertEqual(found.GetMetadataItem("NETCDF_DIM_time_DEF"), "{3,6}")
            self.assertEqual(found.GetMetadataItem("NETCDF_DIM_lev_DEF"), "{2,5}")
            self.assertEqual(found.GetMetadataItem("time#units"), "days since 2001-01-01")
            self.assertIsNone(found.GetMetadataItem("time#scale_factor"))

    def test_images_lie_where_packed_coordinates_say(self):
        found, expected = self.both()
        self.assertEqual(found.GetGeoTransform(), expected.GetGeoTransform())
        np.testing.assert_array_equal(found.GetRasterBand(1).ReadAsArray().shape, (10, 11))
        plain = gdal.Open(f'NETCDF:"{self.folder}/packed_plain.nc":tas')
        self.assertEqual(found.GetGeoTransform(), plain.GetGeoTransform())

    def test_a_copy_has_the_times_that_are_meant(self):
        found, _ = self.both()
        copy = os.path.join(self.folder, "copy.nc")
        gdal.Translate(copy, found, format="netCDF")
        with Dataset(copy) as file:
            np.testing.assert_array_equal(file["time"][:], [10.5, 11, 12])
            self.assertEqual(file["time"].units, "days since 2001-01-01")

    def test_unsigned_and_missing_coordinates(self):
        def odd(file):
            fixtures.times(file, 2)
            file.createDimension("lev", 2)
            lev = file.createVariable("lev", "i1", ("lev",))
            lev.set_auto_maskandscale(False)
            lev[:] = [100, -56]
            lev.setncattr("_Unsigned", "true")
            coordinate(file, "member", [2.0, -1.0], 1.0, 0.0, "i2", fill=-1)
            coordinate(file, "lat", np.arange(-45.0, 46, 10), None, None, None, **fixtures.LAT)
            coordinate(file, "lon", np.arange(-20.0, 21, 4), None, None, None, **fixtures.LON)
            fixtures.data(file, ("time", "lev", "member", "lat", "lon"))

        _, path = fixtures.make(self.folder, odd)
        dataset = gdal.Open(path)
        labels = [dataset.GetRasterBand(b).GetDescription().split(", ", 1)[1] for b in range(1, 5)]
        self.assertEqual(labels, ["lev=100, member=2", "lev=100, member=nan", "lev=200, member=2", "lev=200, member=nan"])
        self.assertEqual(dataset.GetMetadataItem("NETCDF_DIM_lev_VALUES"), "{100,200}")


if __name__ == "__main__":
    unittest.main()
