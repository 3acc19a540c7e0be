"""The driver takes aggregation files, all of them and no others, and leaves the rest without a word."""
import tempfile
import unittest

import h5py
import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

import fixtures

gdal.UseExceptions()


ATTRIBUTES = (b"aggregated_dimensions", b"aggregated_data", b"cfa_dimensions", b"cfa_array")
FORMS = [{"aggregated_dimensions": "", "aggregated_data": "map: m uris: u identifiers: i"},
         {"cfa_dimensions": "", "cfa_array": "fragment: f index: i file: p format: t address: a"},
         {"cf_role": "cfa_variable", "cfa_dimensions": "", "cfa_array": '{"Partitions": []}'}]
CLASSIC = ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA")


def driver_of(path):
    found = gdal.IdentifyDriverEx(path, gdal.OF_RASTER)
    return found and found.ShortName


class Identify(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = self.temporary.name

    def ordinary(self, variables, kind):
        path = f"{self.folder}/{kind}_{variables}.nc"
        with Dataset(path, "w", format=kind) as file:
            file.createDimension("y", 10)
            file.createDimension("x", 10)
            for i in range(variables):
                variable = file.createVariable(f"v{i}", "f4", ("y", "x"))
                variable.setncatts({"units": "K", "long_name": "a variable like others"})
                variable[:] = i
        return path

    def test_ordinary_files_are_left_to_their_drivers(self):
        for kind in ("NETCDF4", "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET"):
            self.assertEqual(driver_of(self.ordinary(2, kind)), "netCDF")
        text = f"{self.folder}/text.nc"
        with open(text, "w") as file:
            file.write("aggregated_dimensions aggregated_data")
        self.assertIsNone(driver_of(text))
        self.assertIsNone(driver_of(self.folder))
        self.assertIsNone(driver_of(f"{self.folder}/absent.nc"))

    def test_declining_is_silent(self):
        plain = self.ordinary(1, "NETCDF4")
        damaged = f"{self.folder}/damaged.nc"
        with open(plain, "rb") as source, open(damaged, "wb") as file:
            file.write(source.read()[:600])
        said = []
        gdal.PushErrorHandler(lambda level, number, message: said.append(message))
        try:
            for path in (plain, damaged):
                try:
                    gdal.OpenEx(path, allowed_drivers=["CFA"])
                except RuntimeError as error:
                    self.assertIn("not recognized", str(error))
        finally:
            gdal.PopErrorHandler()
        self.assertFalse([message for message in said if "not recognized" not in message])

    def test_the_attribute_is_found_wherever_it_lies(self):
        _, path = fixtures.make(self.folder, fixtures.ascending)
        self.assertEqual(driver_of(path), "CFA")
        deep = f"{self.folder}/deep.nc"
        with Dataset(deep, "w") as file:
            file.history = "x" * 60000
            for i in range(50):
                file.createVariable(f"before{i}", "i4", ()).comment = "y" * 500
            inner = file.createGroup("a/b/c")
            variable = inner.createVariable("v", "f4", ())
            variable.aggregated_dimensions = ""
            variable.aggregated_data = "map: m uris: u identifiers: i"
        self.assertEqual(driver_of(deep), "CFA")

    def test_every_form_of_the_attributes_is_known_in_every_format(self):
        for number, attributes in enumerate(FORMS):
            for kind in ("NETCDF4", "NETCDF4_CLASSIC", *CLASSIC):
                path = f"{self.folder}/{number}_{kind}.nc"
                with Dataset(path, "w", format=kind) as file:
                    file.createVariable("v", "f4", ()).setncatts(attributes)
                with self.subTest(path):
                    self.assertEqual(driver_of(path), "CFA")

    def test_a_damaged_aggregation_says_what_is_wrong(self):
        _, path = fixtures.make(self.folder, fixtures.ascending)
        with Dataset(path, "a") as file:
            file["map_tas"][0, 0] = 1
        with self.assertRaisesRegex(RuntimeError, "tas.*add up to 3"):
            gdal.Open(path)
        array = None
        with self.assertRaisesRegex(RuntimeError, "tas"):
            array = gdal.OpenEx(path, gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("tas")
        self.assertIsNone(array)

    def test_update_mode_is_refused(self):
        _, path = fixtures.make(self.folder, fixtures.ascending)
        with self.assertRaisesRegex(RuntimeError, "update"):
            gdal.OpenEx(path, gdal.OF_UPDATE, allowed_drivers=["CFA"])

    def test_other_hdf5_files_are_left_alone(self):
        path = f"{self.folder}/other.h5"
        with h5py.File(path, "w") as file:
            file["x"] = np.arange(12).reshape(3, 4)
        self.assertNotEqual(driver_of(path), "CFA")


class Truncated(unittest.TestCase):
    """The driver takes a truncated file if it can still see that it is an aggregation, to say what is wrong with it."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def written(self, attributes, kind, others=0):
        path = f"{self.folder}/written.nc"
        with Dataset(path, "w", format=kind) as file:
            file.createDimension("x", 4)
            file.title = "aggregated_data, in a way"
            for i in range(others):
                file.createVariable(f"other{i}", "f4", ("x",)).setncatts({f"a{k}": "text" for k in range(others)})
            file.createVariable("v", "f4", ()).setncatts({**{f"b{k}": 1 for k in range(others)}, **attributes})
        with open(path, "rb") as file:
            return file.read()

    def claims(self, content):
        """Which lengths of a file the driver takes; it says nothing in any case."""
        path = "/vsimem/truncated.nc"
        said = []
        gdal.PushErrorHandler(lambda level, number, message: said.append(message))
        try:
            def is_claimed(length):
                gdal.FileFromMemBuffer(path, content[:length])
                return gdal.IdentifyDriverEx(path, gdal.OF_RASTER, ["CFA"]) is not None
            found = [is_claimed(length) for length in range(len(content) + 1)]
        finally:
            gdal.PopErrorHandler()
            gdal.Unlink(path)
        self.assertEqual(said, [])
        return found

    def test_a_classic_file_is_taken_from_the_end_of_the_name_on(self):
        for kind in CLASSIC:
            for others in (0, 3):
                for attributes in FORMS:
                    content = self.written(attributes, kind, others)
                    places = {name: content.find(name, content.index(b"in a way")) for name in ATTRIBUTES}
                    first = min(at + (len(name) + 3) // 4 * 4 for name, at in places.items() if at >= 0)
                    with self.subTest(kind=kind, others=others, attributes=attributes):
                        self.assertEqual(self.claims(content), [n >= first for n in range(len(content) + 1)])

    def test_a_netcdf4_file_is_taken_as_long_as_the_attribute_is_legible(self):
        for others in (0, 12):
            for attributes in FORMS:
                content = self.written(attributes, "NETCDF4", others)
                claims = self.claims(content)
                first = claims.index(True)
                with self.subTest(others=others, attributes=attributes, first=first, length=len(content)):
                    self.assertEqual(claims, [n >= first for n in range(len(content) + 1)])
                    self.assertLess(first, len(content))

    def test_an_ordinary_file_is_never_taken(self):
        for kind in ("NETCDF4", *CLASSIC):
            for others in (0, 12):
                with self.subTest(kind=kind, others=others):
                    self.assertFalse(any(self.claims(self.written({"units": "aggregated_data"}, kind, others))))

    def test_the_error_tells_what_is_missing(self):
        _, path = fixtures.make(self.folder, fixtures.ascending)
        with open(path, "rb") as file:
            content = file.read()
        for length in (len(content) - 1, len(content) - 100):
            with open(path, "wb") as file:
                file.write(content[:length])
            for flags in (gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER):
                with self.subTest(length=length, flags=flags):
                    with self.assertRaisesRegex(RuntimeError, f"ascending.nc: truncated: {length} bytes of {len(content)}"):
                        gdal.OpenEx(path, flags)


if __name__ == "__main__":
    unittest.main()
