"""The driver takes aggregation files, all of them and no others, and leaves the rest without a word."""
import os
import tempfile
import time
import unittest

import h5py
import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

import fixtures

gdal.UseExceptions()


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
        forms = [{"aggregated_dimensions": "", "aggregated_data": "map: m uris: u identifiers: i"},
                 {"cfa_dimensions": "", "cfa_array": "fragment: f index: i file: p format: t address: a"},
                 {"cf_role": "cfa_variable", "cfa_dimensions": "", "cfa_array": '{"Partitions": []}'}]
        for number, attributes in enumerate(forms):
            for kind in ("NETCDF4", "NETCDF4_CLASSIC", "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"):
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

    @unittest.skipUnless(os.environ.get("CFA_TEST_TIMES"), "a measurement; set CFA_TEST_TIMES")
    def test_declining_costs_little(self):
        def seconds(path, driver):
            best = float("inf")
            for _ in range(20):
                begin = time.perf_counter()
                for _ in range(5):
                    try:
                        gdal.OpenEx(path, allowed_drivers=[driver])
                    except RuntimeError:
                        pass
                best = min(best, (time.perf_counter() - begin) / 5)
            return best

        shares = []
        for kind in ("NETCDF4", "NETCDF3_CLASSIC"):
            for variables in (1, 200):
                path = self.ordinary(variables, kind)
                # What GDAL itself does to try any driver at all.
                nothing = seconds(path, "PNG")
                own = seconds(path, "CFA") - nothing
                other = seconds(path, "netCDF")
                print(f"{kind} {variables} variables: {own * 1e6:.0f} us, netCDF driver {other * 1e6:.0f} us, "
                      f"{100 * own / other:.1f} %")
                shares.append(own / other)
        self.assertLess(max(shares), 0.1)


if __name__ == "__main__":
    unittest.main()
