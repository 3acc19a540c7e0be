"""The command line tools of GDAL on aggregations, as their users call them."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

import fixtures

gdal.UseExceptions()


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.stderr}")
    return done.stdout


def values(path, name="tas"):
    with Dataset(path) as file:
        file.set_auto_maskandscale(False)
        return file[name][...]


class Tools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.plain, cls.path = fixtures.make(cls.temporary.name, fixtures.wgs84, names=("tas", "time"))
        cls.values = values(cls.plain)

    def setUp(self):
        out = tempfile.TemporaryDirectory()
        self.addCleanup(out.cleanup)
        self.out = out.name

    def test_gdalinfo(self):
        info = json.loads(run("gdalinfo", "-json", "-checksum", self.path))
        plain = json.loads(run("gdalinfo", "-json", "-checksum", self.plain))
        self.assertEqual(info["driverShortName"], "CFA")
        self.assertEqual([b["checksum"] for b in info["bands"]], [b["checksum"] for b in plain["bands"]])
        self.assertIn("ALLOWED_SOURCES", run("gdalinfo", "--format", "CFA"))

    def test_gdal_translate(self):
        for kind, more in (("GTiff", ()), ("PNG", ("-ot", "Byte", "-b", "1", "-scale", "-100", "100"))):
            with self.subTest(kind):
                run("gdal_translate", "-q", "-of", kind, *more, f'CFA:"{self.path}":tas', f"{self.out}/a.{kind}")
        np.testing.assert_array_equal(gdal.Open(f"{self.out}/a.GTiff").ReadAsArray(), self.values[:, ::-1])

    @unittest.skipUnless(shutil.which("gdal"), "this GDAL has no program gdal (3.11)")
    def test_gdal_raster(self):
        info = json.loads(run("gdal", "raster", "info", "--format=json", "--checksum", self.path))
        plain = json.loads(run("gdal", "raster", "info", "--format=json", "--checksum", self.plain))
        self.assertEqual(info["driverShortName"], "CFA")
        self.assertEqual([b["checksum"] for b in info["bands"]], [b["checksum"] for b in plain["bands"]])
        run("gdal", "raster", "convert", self.path, f"{self.out}/a.tif")
        np.testing.assert_array_equal(gdal.Open(f"{self.out}/a.tif").ReadAsArray(), self.values[:, ::-1])
        run("gdal", "raster", "select", "--band=2", self.path, f"{self.out}/b.tif")
        np.testing.assert_array_equal(gdal.Open(f"{self.out}/b.tif").ReadAsArray(), self.values[1, ::-1])

    @unittest.skipUnless(shutil.which("gdal"), "this GDAL has no program gdal (3.11)")
    def test_gdal_mdim(self):
        info = json.loads(run("gdal", "mdim", "info", self.path))
        self.assertEqual(info["arrays"]["tas"]["dimension_size"], list(self.values.shape))
        self.assertEqual(info["driver"], "CFA")
        run("gdal", "mdim", "convert", self.path, f"{self.out}/all.nc")
        np.testing.assert_array_equal(values(f"{self.out}/all.nc"), self.values)
        run("gdal", "mdim", "convert", "--array=name=tas,view=[1:3,...]", self.path, f"{self.out}/part.nc")
        np.testing.assert_array_equal(values(f"{self.out}/part.nc"), self.values[1:3])

    def test_gdalmdiminfo(self):
        info = json.loads(run("gdalmdiminfo", self.path))
        self.assertEqual(info["arrays"]["tas"]["dimension_size"], list(self.values.shape))
        self.assertEqual(info["arrays"]["tas"]["structural_info"]["FRAGMENTS"], "2x1x1")
        shown = json.loads(run("gdalmdiminfo", "-arrayoption", "SHOW_ALL=YES", self.path))
        self.assertIn("map_tas", shown["arrays"])
        detail = json.loads(run("gdalmdiminfo", "-detailed", "-array", "time", self.path))
        self.assertEqual(detail["values"], [0.5, 1.5, 2.5, 3.5, 4.5])

    def test_gdalmdimtranslate_to_netcdf(self):
        run("gdalmdimtranslate", self.path, f"{self.out}/all.nc")
        np.testing.assert_array_equal(values(f"{self.out}/all.nc"), self.values)
        np.testing.assert_array_equal(values(f"{self.out}/all.nc", "time"), values(self.plain, "time"))
        run("gdalmdimtranslate", "-subset", "time(1.5,3.5)", self.path, f"{self.out}/subset.nc")
        np.testing.assert_array_equal(values(f"{self.out}/subset.nc"), self.values[1:4])
        # GDAL 3.6 gives a stepped dimension its old size in the copy, so a plain file is the measure.
        for source, name in ((self.path, "a"), (self.plain, "b")):
            run("gdalmdimtranslate", "-array", "name=tas,view=[::-1,::2,:]", source, f"{self.out}/{name}.nc")
        np.testing.assert_array_equal(values(f"{self.out}/a.nc"), values(f"{self.out}/b.nc"))
        np.testing.assert_array_equal(values(f"{self.out}/a.nc")[:, :5], self.values[::-1, ::2])
        run("gdalmdimtranslate", "-array", "tas", "-scaleaxes", "lat(2),lon(5)", self.path, f"{self.out}/scaled.nc")
        np.testing.assert_array_equal(values(f"{self.out}/scaled.nc"), self.values[:, ::2, :10:5])

    def test_gdalmdimtranslate_to_zarr(self):
        run("gdalmdimtranslate", "-of", "Zarr", self.path, f"{self.out}/all.zarr")
        array = gdal.OpenEx(f"{self.out}/all.zarr", gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("tas")
        np.testing.assert_array_equal(array.ReadAsArray(), self.values)

    def test_gdalwarp(self):
        for source, name in ((self.path, "a"), (self.plain, "b")):
            run("gdalwarp", "-q", "-multi", "-wo", "NUM_THREADS=2", "-t_srs", "EPSG:3857", "-te_srs", "EPSG:4326", "-te",
                "-15", "-40", "15", "40", source, f"{self.out}/{name}.tif")
        found, expected = (gdal.Open(f"{self.out}/{name}.tif").ReadAsArray() for name in "ab")
        np.testing.assert_array_equal(found, expected)

    def test_gdalwarp_by_arrays_of_coordinates(self):
        plain, path = fixtures.make(self.out, fixtures.two_dimensional)
        for source, name in ((path, "a"), (plain, "b")):
            run("gdalwarp", "-q", "-geoloc", "-t_srs", "EPSG:4326", source, f"{self.out}/{name}.tif")
        found, expected = (gdal.Open(f"{self.out}/{name}.tif").ReadAsArray() for name in "ab")
        np.testing.assert_array_equal(found, expected)

    def test_gdaladdo(self):
        _, path = fixtures.make(self.out, fixtures.zero_to_360)
        run("gdaladdo", "-q", "-r", "average", path, "2")
        self.assertTrue(os.path.exists(path + ".ovr"))
        self.assertIn("Overviews: 12x9", run("gdalinfo", path))

    def test_gdalbuildvrt(self):
        run("gdalbuildvrt", "-q", f"{self.out}/a.vrt", f'CFA:"{self.path}":tas')
        dataset = gdal.Open(f"{self.out}/a.vrt")
        np.testing.assert_array_equal(dataset.GetRasterBand(1).ReadAsArray(), self.values[0, ::-1])

    def test_make_install_puts_the_plugin_where_gdal_looks(self):
        commands = run("make", "-n", "-o", "build", "-C", str(Path(__file__).resolve().parents[2]), "install", "PREFIX=/usr")
        folder = re.search(r'gdal_CFA\.so "([^"]+)/gdal_CFA\.so"', commands)[1]
        with open("/proc/self/maps") as maps:
            library = next(line.split()[-1] for line in maps if "/libgdal" in line)
        # Not by assertIn, which would print the library.
        self.assertTrue(folder.encode() + b"\0" in Path(library).read_bytes(), folder)

    def test_gdallocationinfo(self):
        found = run("gdallocationinfo", "-valonly", "-b", "2", "-geoloc", self.path, "-16", "35").split()
        self.assertAlmostEqual(float(found[0]), self.values[1, 8, 1], places=4)


if __name__ == "__main__":
    unittest.main()
