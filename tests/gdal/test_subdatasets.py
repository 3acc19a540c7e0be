"""Fragments that are subdatasets of files in formats of GDAL."""
import os
import pathlib
import struct
import tempfile
import unittest
import zipfile

import numpy as np
from osgeo import gdal

import fixtures
import hdf4_files
from foreign import SHAPE, aggregation, geotiff, grib, put_elsewhere, read, zarr

HAS_HDF4 = gdal.GetDriverByName("HDF4Image") is not None


def pages(path, lists):
    """A GeoTIFF with a page for each list of bands."""
    for number, bands in enumerate(lists):
        one = path if number == 0 else f"{path}.page"
        geotiff(one, bands)
        if number > 0:
            gdal.Translate(path, one, creationOptions=["APPEND_SUBDATASET=YES"])


def names(path):
    """The subdatasets as GDAL lists them."""
    return [name for key, name in gdal.Open(path).GetMetadata("SUBDATASETS").items() if key.endswith("_NAME")]


class Fragments(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.path = f"{self.folder}/agg.nc"
        self.values = fixtures.RNG.uniform(200, 300, (5, *SHAPE)).astype("f4")

    def refused(self, said, identifier, location, **options):
        aggregation(self.path, [(location, identifier)])
        with self.subTest(identifier), self.assertRaisesRegex(RuntimeError, said) as raised:
            read(self.path, **options)
        self.assertNotIn("/proc/", str(raised.exception))
        return str(raised.exception)


class Subdatasets(Fragments):
    def test_pages_of_a_geotiff(self):
        pages(f"{self.folder}/pages.tif", [[page] for page in self.values])
        aggregation(self.path, [("pages.tif", f"GTIFF_DIR:{number}") for number in (1, 2, 3, 4, 5)])
        np.testing.assert_array_equal(read(self.path), self.values)

    def test_a_page_of_several_bands_has_them_as_first_dimension(self):
        pages(f"{self.folder}/pages.tif", [self.values[:1], self.values[1:]])
        aggregation(self.path, [("pages.tif", "GTIFF_DIR:1"), ("pages.tif", "GTIFF_DIR:2")], steps=[1, 4])
        np.testing.assert_array_equal(read(self.path), self.values)

    def test_any_step_along_the_bands_equals_that_of_numpy(self):
        pages(f"{self.folder}/pages.tif", [self.values[:1], self.values])
        aggregation(self.path, [("pages.tif", "GTIFF_DIR:2")], steps=[5])
        array = gdal.OpenEx(self.path, gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("tas")
        for _ in range(200):
            start, count, step = [], [], []
            for size in self.values.shape:
                first, stride = int(fixtures.RNG.integers(size)), int(fixtures.RNG.choice([-3, -2, -1, 1, 2, 3]))
                room = (size - 1 - first if stride > 0 else first) // abs(stride) + 1
                start.append(first)
                step.append(stride)
                count.append(int(fixtures.RNG.integers(1, room + 1)))
            chosen = np.ix_(*(s + t * np.arange(n) for s, n, t in zip(start, count, step)))
            found = array.ReadAsArray(array_start_idx=start, count=count, array_step=step)
            np.testing.assert_array_equal(found, self.values[chosen], f"{start} {count} {step}")

    def test_bands_with_the_same_no_data_value_are_equal_though_it_is_no_number(self):
        for page in (1, 2):
            self.values[page, page, page] = np.nan
        geotiff(f"{self.folder}/pages.tif", self.values[:1])
        geotiff(f"{self.folder}/page.tif", self.values[1:3], missing=np.nan, units="K")
        gdal.Translate(f"{self.folder}/pages.tif", f"{self.folder}/page.tif", creationOptions=["APPEND_SUBDATASET=YES"])
        aggregation(self.path, [("pages.tif", "GTIFF_DIR:2")], steps=[2])
        np.testing.assert_array_equal(read(self.path), np.where(np.isnan(self.values[1:3]), -999, self.values[1:3]))

    def test_unequal_bands_are_refused(self):
        for said, differ in (("scale_factor", lambda band: band.SetScale(2)), ("units", lambda band: band.SetUnitType("m"))):
            pages(f"{self.folder}/pages.tif", [self.values[:1]])
            geotiff(f"{self.folder}/page.tif", self.values[:3])
            page = gdal.OpenEx(f"{self.folder}/page.tif", gdal.OF_RASTER | gdal.OF_UPDATE)
            differ(page.GetRasterBand(2))
            gdal.Translate(f"{self.folder}/pages.tif", page, creationOptions=["APPEND_SUBDATASET=YES"])
            del page
            self.refused(f"band 2 of 'GTIFF_DIR:2' has another {said} than band 1", "GTIFF_DIR:2", "pages.tif")

    def test_names_of_subdatasets_may_have_a_file_which_is_the_fragment_all_the_same(self):
        pages(f"{self.folder}/pages.tif", [[page] for page in self.values[:2]])
        pages(f"{self.folder}/other.tif", [[page] for page in self.values[2:4]])
        aggregation(self.path, [("pages.tif", name) for name in names(f"{self.folder}/other.tif")])
        np.testing.assert_array_equal(read(self.path), self.values[:2])

    def test_what_there_is_is_named_when_nothing_has_the_name(self):
        pages(f"{self.folder}/pages.tif", [self.values[:2], self.values[2:3]])
        for identifier in ("GTIFF_DIR:3", "GTIFF_DIR:3:pages.tif", "GTIFF_DIR", "GTIFF_DIR:", "GTIFF_DIR:1:", "3", "tas",
                           f"{self.folder}/pages.tif"):
            said = "no band, array or subdataset .*it has: bands 1 to 2, subdatasets GTIFF_DIR:1, GTIFF_DIR:2$"
            self.refused(said, identifier, "pages.tif")
        zarr(f"{self.folder}/a.zarr", self.values[0])
        self.refused("it has: band 1, array /tas$", "pr", "a.zarr")
        gdal.GetDriverByName("Zarr").CreateMultiDimensional(f"{self.folder}/empty.zarr").GetRootGroup().CreateGroup("inner")
        for identifier in ("1", "tas"):
            self.refused(f"no band, array or subdataset '{identifier}'$", identifier, "empty.zarr")
        grib(f"{self.folder}/a.grib2", self.values[0])
        self.refused("it has: band 1, array", "2", "a.grib2")

    def test_a_damaged_page_is_refused_with_the_reason(self):
        path = f"{self.folder}/pages.tif"
        pages(path, [self.values[:1], self.values[1:2]])
        with open(path, "r+b") as file:
            content = file.read()
            (first,) = struct.unpack_from("<I", content, 4)
            (entries,) = struct.unpack_from("<H", content, first)
            (second,) = struct.unpack_from("<I", content, first + 2 + 12 * entries)
            compression = content.index(struct.pack("<HHI", 259, 3, 1), second)
            file.seek(compression + 8)
            file.write(struct.pack("<H", 12345))
        self.refused("pages.tif: .*subdataset 'GTIFF_DIR:2': .*12345", "GTIFF_DIR:2", "pages.tif")
        aggregation(self.path, [("pages.tif", "GTIFF_DIR:1")])
        np.testing.assert_array_equal(read(self.path), self.values[:1])

    def test_no_more_than_twenty_names_are_given(self):
        pages(f"{self.folder}/pages.tif", [self.values[:1]] * 25)
        said = self.refused("it has: band 1, subdatasets", "GTIFF_DIR:26", "pages.tif")
        self.assertEqual(said.count("GTIFF_DIR:"), 21)
        self.assertTrue(said.endswith("GTIFF_DIR:20, ..."), said)

    def test_subdatasets_of_zarr_are_its_arrays(self):
        store = f"{self.folder}/a.zarr"
        root = gdal.GetDriverByName("Zarr").CreateMultiDimensional(store).GetRootGroup()
        number = gdal.ExtendedDataType.Create(gdal.GDT_Float32)
        dimensions = [root.CreateDimension(name, None, None, size) for name, size in zip("tyx", (3, *SHAPE))]
        root.CreateMDArray("tas", dimensions, number).Write(self.values[:3])
        root.CreateGroup("inner").CreateMDArray("tas", dimensions[1:], number).Write(self.values[3])
        del root, dimensions
        self.assertIn(f'ZARR:"{store}":/inner/tas', names(store))
        for whole, part in (("ZARR:/tas", "ZARR:/inner/tas"), ('ZARR:"b.zarr":/tas', f'ZARR:"{store}":/inner/tas')):
            aggregation(self.path, [("a.zarr", whole), ("a.zarr", part)], steps=[3, 1])
            np.testing.assert_array_equal(read(self.path), self.values[:4])
        with zipfile.ZipFile(f"{self.folder}/all.zip", "w") as out:
            for file in [self.path, *pathlib.Path(store).rglob("*")]:
                out.write(file, os.path.relpath(file, self.folder))
        np.testing.assert_array_equal(read(f"/vsizip/{self.folder}/all.zip/agg.nc"), self.values[:4])
        self.refused("it has: arrays /tas, /inner/tas, subdatasets ZARR:/tas, ZARR:/inner/tas$", "ZARR:/pr", "a.zarr")

    def test_a_zarr_store_of_one_array_has_its_planes_as_subdatasets(self):
        root = gdal.GetDriverByName("Zarr").CreateMultiDimensional(f"{self.folder}/a.zarr").GetRootGroup()
        dimensions = [root.CreateDimension(name, None, None, size) for name, size in zip("tyx", self.values.shape)]
        root.CreateMDArray("tas", dimensions, gdal.ExtendedDataType.Create(gdal.GDT_Float32)).Write(self.values)
        del root, dimensions
        aggregation(self.path, [("a.zarr", "ZARR:/tas:3"), ("a.zarr", "ZARR:/tas:0")])
        np.testing.assert_array_equal(read(self.path), self.values[[3, 0]])


@unittest.skipUnless(HAS_HDF4, "this GDAL has no HDF4")
class Hdf4(Fragments):
    def make(self, name, values):
        """A file of several arrays of two dimensions."""
        path = f"{self.folder}/{name}"
        driver = gdal.GetDriverByName("HDF4Image")
        image = driver.Create(path, SHAPE[1], SHAPE[0], len(values), gdal.GDT_Float32, options=["RANK=2"])
        for number, band in enumerate(values, 1):
            image.GetRasterBand(number).WriteArray(band)
        return path

    def test_each_array_is_a_subdataset(self):
        self.make("a.hdf", self.values[:3])
        other = names(self.make("b.hdf", self.values[3:]))
        aggregation(self.path, [("a.hdf", "HDF4_SDS:GDAL_HDF4:2"), ("a.hdf", "HDF4_SDS:GDAL_HDF4:0"), ("a.hdf", other[1])])
        np.testing.assert_array_equal(read(self.path), self.values[[2, 0, 1]])
        aggregation(self.path, [("a.hdf", "HDF4_SDS:GDAL_HDF4:1")], ["HDF4"])
        np.testing.assert_array_equal(read(self.path), self.values[1:2])

    def test_names_that_are_not_listed_are_refused(self):
        path = self.make("a.hdf", self.values[:2])
        listed = "subdatasets HDF4_SDS:GDAL_HDF4:0, HDF4_SDS:GDAL_HDF4:1$"
        for identifier in ("HDF4_SDS:GDAL_HDF4:2", "HDF4_SDS:GDAL_HDF4", "HDF4_SDS:UNKNOWN:0", "1",
                           f'HDF4_SDS:GDAL_HDF4:"{path}":2', f'HDF4_SDS:GDAL_HDF4:"{path}":"{path}":1'):
            self.refused(f"it has: arrays /Band0, /Band1, {listed}", identifier, "a.hdf")

    def test_the_driver_has_to_be_among_those_of_the_setting(self):
        self.make("a.hdf", self.values[:2])
        aggregation(self.path, [("a.hdf", "HDF4_SDS:GDAL_HDF4:1")])
        np.testing.assert_array_equal(read(self.path, FRAGMENT_DRIVERS="HDF4"), self.values[1:2])
        self.refused("neither netCDF nor a file of GTiff$", "HDF4_SDS:GDAL_HDF4:1", "a.hdf", FRAGMENT_DRIVERS="GTiff,Zarr")
        self.refused("FRAGMENT_DRIVERS allows no driver", "HDF4_SDS:GDAL_HDF4:1", "a.hdf", FRAGMENT_DRIVERS="NONE")

    def test_data_in_another_file_are_refused(self):
        path = self.make("a.hdf", self.values[:2])
        self.values[4].tofile(f"{self.folder}/secret")
        put_elsewhere(path, f"{self.folder}/secret".encode(), self.values[4].nbytes)
        self.refused("data in other files", "HDF4_SDS:GDAL_HDF4:1", "a.hdf")

    def test_files_that_were_closed_do_not_stand_for_others(self):
        # The library keeps files by their paths, and paths through open files are used again and again.
        for number, values in enumerate(self.values):
            self.make(f"{number}.hdf", [values, values + 1])
        aggregation(self.path, [(f"{number}.hdf", "HDF4_SDS:GDAL_HDF4:1") for number in range(len(self.values))])
        for _ in range(3):
            np.testing.assert_array_equal(read(self.path, MAX_OPEN_FILES=1), self.values + 1)


@unittest.skipUnless(HAS_HDF4 and hdf4_files.IS_THERE, "this GDAL has no HDF4, or there is no library to write it with")
class Hdf4ByItsLibrary(Fragments):
    def test_an_array_of_three_dimensions_has_its_bands_first(self):
        hdf4_files.arrays(f"{self.folder}/a.hdf", {"tas": self.values[:3], "one": self.values[3]})
        aggregation(self.path, [("a.hdf", "HDF4_SDS:UNKNOWN:0"), ("a.hdf", "HDF4_SDS:UNKNOWN:1")], steps=[3, 1])
        np.testing.assert_array_equal(read(self.path), self.values[:4])

    def test_components_of_an_image_are_bands(self):
        pixels = fixtures.RNG.integers(0, 256, (*SHAPE, 4))
        hdf4_files.images(f"{self.folder}/a.hdf", [pixels[..., :3], pixels[..., 3:]])
        aggregation(self.path, [("a.hdf", "HDF4_GR:UNKNOWN:0"), ("a.hdf", "HDF4_GR:UNKNOWN:1")], steps=[3, 1])
        np.testing.assert_array_equal(read(self.path), pixels.transpose(2, 0, 1))

    def test_fields_of_a_grid(self):
        path = f"{self.folder}/a.hdf"
        hdf4_files.grid(path, "a grid", {"tas": self.values[:3], "one": self.values[3]})
        copied = names(path)
        self.assertEqual(copied[0], f'HDF4_EOS:EOS_GRID:"{path}":"a grid":tas')
        for whole, part in (copied, ('HDF4_EOS:EOS_GRID:"a grid":tas', 'HDF4_EOS:EOS_GRID:"a grid":one')):
            aggregation(self.path, [("a.hdf", whole), ("a.hdf", part)], steps=[3, 1])
            np.testing.assert_array_equal(read(self.path), self.values[:4])
        said = 'arrays .*/eos_grids/a grid/Data Fields/tas, .*subdatasets HDF4_EOS:EOS_GRID:"a grid":tas, '
        self.refused(said, 'HDF4_EOS:EOS_GRID:"a grid":pr', "a.hdf")


if __name__ == "__main__":
    unittest.main()
