"""Fragments in formats of GDAL: GeoTIFF, GRIB, Zarr, HDF4."""
import os
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from osgeo import gdal

import fixtures
from foreign import SHAPE, aggregation, geotiff, grib, hdf4, put_elsewhere, read, zarr


class ForeignFragments(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.path = f"{self.folder}/agg.nc"
        self.values = fixtures.RNG.uniform(200, 300, (4, *SHAPE)).astype("f4")

    def test_bands_of_geotiffs(self):
        geotiff(f"{self.folder}/a.tif", self.values[:3])
        geotiff(f"{self.folder}/b.tif", self.values[3:])
        aggregation(self.path, [("a.tif", "1"), ("a.tif", "2"), ("a.tif", "3"), ("b.tif", "1")])
        np.testing.assert_array_equal(read(self.path), self.values)
        array = gdal.OpenEx(self.path, gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("tas")
        np.testing.assert_array_equal(array.GetView("[::-1,1:4:2,::-1]").ReadAsArray(), self.values[::-1, 1:4:2, ::-1])
        np.testing.assert_array_equal(gdal.Open(self.path).ReadAsArray(), self.values[:, ::-1])

    def test_packing_units_and_missing_values_are_brought_to_those_of_the_whole(self):
        packed = np.arange(24, dtype="i2").reshape(SHAPE)
        packed[2, 3] = -1
        geotiff(f"{self.folder}/a.tif", [packed], type=gdal.GDT_Int16, missing=-1, scale=0.5, offset=10, units="degC")
        aggregation(self.path, [("a.tif", "1")])
        expected = packed * 0.5 + 10 + 273.15
        expected[2, 3] = -999
        np.testing.assert_allclose(read(self.path)[0], expected, rtol=1e-12)

    def test_grib_and_zarr(self):
        grib(f"{self.folder}/a.grib2", self.values[0])
        zarr(f"{self.folder}/b.zarr", self.values[1])
        aggregation(self.path, [("a.grib2", "1"), ("b.zarr", "tas")])
        found = read(self.path)
        np.testing.assert_allclose(found[0], self.values[0], rtol=1e-6)
        np.testing.assert_array_equal(found[1], self.values[1])
        np.testing.assert_array_equal(read(self.path, ALLOWED_SOURCES="SIBLINGS")[1], self.values[1])

    @unittest.skipUnless(gdal.GetDriverByName("HDF4Image"), "this GDAL has no HDF4")
    def test_hdf4(self):
        for number in range(3):
            hdf4(f"{self.folder}/{number}.hdf", self.values[number])
        array = gdal.OpenEx(f"{self.folder}/0.hdf", gdal.OF_MULTIDIM_RASTER).GetRootGroup().GetMDArrayNames()[0]
        aggregation(self.path, [("0.hdf", "1"), ("1.hdf", array), ("2.hdf", f"/{array}")])
        np.testing.assert_array_equal(read(self.path), self.values[:3])
        aggregation(self.path, [("0.hdf", "1"), ("1.hdf", array)], ["HDF4", "HDF4"])
        np.testing.assert_array_equal(read(self.path), self.values[:2])

    @unittest.skipUnless(gdal.GetDriverByName("HDF4Image"), "this GDAL has no HDF4")
    def test_hdf4_with_data_in_another_file_is_refused(self):
        path, other = f"{self.folder}/a.hdf", f"{self.folder}/secret"
        hdf4(path, self.values[0])
        self.values[1].tofile(other)
        put_elsewhere(path, other.encode(), self.values[1].nbytes)
        # The library follows the name: what is refused below is there.
        np.testing.assert_array_equal(gdal.Open(path).ReadAsArray().byteswap(), self.values[1])
        aggregation(self.path, [("a.hdf", "1")])
        with self.assertRaisesRegex(RuntimeError, "data in other files"):
            read(self.path)

    @unittest.skipUnless(gdal.GetDriverByName("HDF4Image"), "this GDAL has no HDF4")
    def test_hdf4_whose_list_of_elements_goes_in_a_circle_is_refused(self):
        hdf4(f"{self.folder}/a.hdf", self.values[0])
        with open(f"{self.folder}/a.hdf", "r+b") as file:
            file.seek(6)
            file.write(struct.pack(">I", 4))
        aggregation(self.path, [("a.hdf", "1")])
        with self.assertRaisesRegex(RuntimeError, "cycle"):
            read(self.path)

    def test_zarr_with_chunks_in_other_files_is_refused(self):
        zarr(f"{self.folder}/a.zarr", self.values[0])
        aggregation(self.path, [("a.zarr", "tas")])
        for catalogue in ('{"metadata": {}, "record_size": 10}', "{,", None):
            place = f"{self.folder}/a.zarr/.zmetadata"
            if catalogue is None:
                os.remove(place)
                np.testing.assert_array_equal(read(self.path), self.values[:1])
                continue
            with open(place, "w") as file:
                file.write(catalogue)
            with self.subTest(catalogue), self.assertRaisesRegex(RuntimeError, "in other files|cannot be read"):
                read(self.path)

    def test_zarr_with_other_than_files_in_it_is_refused_without_hanging(self):
        zarr(f"{self.folder}/a.zarr", self.values[0])
        aggregation(self.path, [("a.zarr", "tas")])
        chunk = f"{self.folder}/a.zarr/tas/0.0"
        os.rename(chunk, f"{self.folder}/chunk")
        os.symlink(f"{self.folder}/chunk", chunk)
        np.testing.assert_array_equal(read(self.path), self.values[:1])
        with self.assertRaisesRegex(RuntimeError, "symbolic links"):
            read(self.path, ALLOWED_SOURCES="SIBLINGS")
        os.remove(f"{self.folder}/chunk")
        os.mkfifo(f"{self.folder}/chunk")
        with self.assertRaisesRegex(RuntimeError, "FIFO"):
            read(self.path)

    def test_a_unit_of_grib_that_is_none_is_none(self):
        grib(f"{self.folder}/a.grib2", self.values[0])
        group = gdal.OpenEx(f"{self.folder}/a.grib2", gdal.OF_MULTIDIM_RASTER).GetRootGroup()
        arrays = [group.OpenMDArray(name) for name in group.GetMDArrayNames()]
        name, = (array.GetName() for array in arrays if array.GetDimensionCount() == 2 and array.GetUnit() == "-")
        del arrays
        aggregation(self.path, [("a.grib2", name)])
        np.testing.assert_array_equal(read(self.path)[0], self.values[0][::-1])

    def test_only_the_drivers_of_the_setting_are_asked(self):
        geotiff(f"{self.folder}/a.tif", self.values[:1])
        aggregation(self.path, [("a.tif", "1")])
        np.testing.assert_array_equal(read(self.path, FRAGMENT_DRIVERS="Zarr,gtiff"), self.values[:1])
        for drivers, said in (("NONE", "FRAGMENT_DRIVERS allows no driver"), ("GRIB,HDF4", "a file of GRIB, HDF4"),
                              ("GTiff,VRT", "'VRT' is none of")):
            with self.subTest(drivers), self.assertRaisesRegex(RuntimeError, said):
                read(self.path, FRAGMENT_DRIVERS=drivers)

    def test_formats_are_taken_at_their_word(self):
        geotiff(f"{self.folder}/a.tif", self.values[:1])
        aggregation(self.path, [("a.tif", "1")], ["GeoTIFF"])
        np.testing.assert_array_equal(read(self.path), self.values[:1])
        aggregation(self.path, [("a.tif", "1")], ["GRIB"])
        with self.assertRaisesRegex(RuntimeError, "GRIB"):
            read(self.path)
        aggregation(self.path, [("a.tif", "1")], ["WMS"])
        with self.assertRaisesRegex(RuntimeError, "(?i)format 'wms'"):
            read(self.path)

    def test_a_file_that_names_other_sources_is_refused(self):
        geotiff(f"{self.folder}/secret.tif", self.values[:1])
        gdal.GetDriverByName("VRT").CreateCopy(f"{self.folder}/a.vrt", gdal.Open(f"{self.folder}/secret.tif"))
        os.rename(f"{self.folder}/a.vrt", f"{self.folder}/a.tif")
        self.assertEqual(gdal.Open(f"{self.folder}/a.tif").GetDriver().ShortName, "VRT")
        aggregation(self.path, [("a.tif", "1")])
        with self.assertRaisesRegex(RuntimeError, "neither netCDF nor"):
            read(self.path)

    def test_overviews_in_another_file_are_not_opened(self):
        size = 256
        def image(path, value, width, **metadata):
            made = gdal.GetDriverByName("GTiff").Create(path, width, width, 1, gdal.GDT_Float32)
            made.GetRasterBand(1).WriteArray(np.full((width, width), value, "f4"))
            made.SetMetadata(metadata, "OVERVIEWS")
        os.mkdir(f"{self.folder}/sub")
        image(f"{self.folder}/secret.tif", 99, size // 4)
        image(f"{self.folder}/sub/a.tif", 1, size, OVERVIEW_FILE=f"{self.folder}/secret.tif")
        # GDAL follows the name: what is not read below is there.
        plain = gdal.Open(f"{self.folder}/sub/a.tif")
        self.assertEqual(plain.GetRasterBand(1).GetOverviewCount(), 1)
        del plain
        path = f"{self.folder}/sub/agg.nc"
        aggregation(path, [("a.tif", "1")], shape=(size, size))
        options = {"open_options": ["ALLOWED_SOURCES=SIBLINGS"]}
        array = gdal.OpenEx(path, gdal.OF_MULTIDIM_RASTER, **options).GetRootGroup().OpenMDArray("tas")
        np.testing.assert_array_equal(array.GetView("[:,::4,::4]").ReadAsArray(), 1)
        whole = gdal.OpenEx(path, **options)
        np.testing.assert_array_equal(whole.ReadAsArray(buf_xsize=size // 4, buf_ysize=size // 4), 1)

    @unittest.skipUnless(os.name == "posix", "this system has no such limit")
    def test_few_descriptors_are_enough(self):
        count = 80
        values = fixtures.RNG.uniform(200, 300, (count, *SHAPE)).astype("f4")
        names = []
        for number, each in enumerate(values):
            names.append((f"{number}.tif", "1") if number % 2 else (f"{number}.zarr", "tas"))
            (geotiff(f"{self.folder}/{number}.tif", [each]) if number % 2 else zarr(f"{self.folder}/{number}.zarr", each))
        aggregation(self.path, names)
        words = f"import foreign; print(repr(float(foreign.read({self.path!r}).sum())))"
        done = subprocess.run(["sh", "-c", 'ulimit -n 40; exec "$0" "$@"', sys.executable, "-c", words], text=True,
                              capture_output=True, cwd=os.path.dirname(os.path.abspath(__file__)))
        self.assertEqual(done.stdout.strip(), repr(float(values.astype("f8").sum())), done.stderr)

    def test_bands_and_arrays_that_are_not_there_are_named(self):
        geotiff(f"{self.folder}/a.tif", self.values[:1])
        for identifier in ("2", "0", "tas"):
            aggregation(self.path, [("a.tif", identifier)])
            with self.subTest(identifier), self.assertRaisesRegex(RuntimeError, "a.tif"):
                read(self.path)

    @unittest.skipUnless(os.path.exists("/proc/self/fd"), "this system has no paths through open files")
    def test_gdal_reads_the_file_that_was_judged(self):
        # What GDAL has open is the file itself and not its name: nothing beside that name is looked at.
        geotiff(f"{self.folder}/a.tif", self.values[:1])
        aggregation(self.path, [("a.tif", "1")])
        words = [sys.executable, "-c", f"import foreign; print(foreign.read({self.path!r})[0, 0, 0])"]
        done = subprocess.run(words, capture_output=True, text=True, cwd=os.path.dirname(os.path.abspath(__file__)),
                              env=dict(os.environ, CPL_DEBUG="GDAL"))
        self.assertEqual(done.stdout.strip(), str(float(self.values[0, 0, 0])), done.stderr)
        opened = [line for line in done.stderr.splitlines() if "GDALOpen(" in line]
        self.assertTrue(any("/proc/self/fd/" in text for text in opened), opened)
        self.assertFalse(any("a.tif" in text for text in opened), opened)

    def test_a_damaged_file_is_called_by_its_name(self):
        path = f"{self.folder}/a.tif"
        noise = fixtures.RNG.uniform(0, 1, (1, 512, 512))
        image = gdal.GetDriverByName("GTiff").Create(path, 512, 512, 1, gdal.GDT_Float64, options=["COMPRESS=DEFLATE"])
        image.GetRasterBand(1).WriteArray(noise[0])
        del image
        os.truncate(path, os.path.getsize(path) // 2)
        aggregation(self.path, [("a.tif", "1")], shape=(512, 512))
        with self.assertRaises(RuntimeError) as raised:
            read(self.path)
        self.assertIn("a.tif", str(raised.exception))
        self.assertNotIn("/proc/", str(raised.exception))

    def test_the_policy_holds_for_them(self):
        geotiff(f"{self.folder}/a.tif", self.values[:1])
        os.mkdir(f"{self.folder}/sub")
        inner = f"{self.folder}/sub/agg.nc"
        zarr(f"{self.folder}/b.zarr", self.values[1])
        for location, identifier in (("../a.tif", "1"), ("../b.zarr", "tas")):
            aggregation(inner, [(location, identifier)])
            with self.subTest(location):
                self.assertEqual(read(inner).shape, (1, *SHAPE))
                with self.assertRaisesRegex(RuntimeError, "ALLOWED_SOURCES"):
                    read(inner, ALLOWED_SOURCES="SIBLINGS")


if __name__ == "__main__":
    unittest.main()
