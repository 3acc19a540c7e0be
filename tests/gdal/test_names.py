"""Names of subdatasets: each that is listed opens, whatever the path and the variable are called."""
import shutil
import tempfile
import unittest
from pathlib import Path

import numpy as np
from osgeo import gdal

import fixtures

gdal.UseExceptions()

FOLDERS = ["with blank", "co:lon", 'quo"te', 'quote":colon', 'both\\"', "apo'strophe", "ünï", "back\\slash", "two\\\\of", "end\\",
           'end"', '"', '":tas', "per%20cent", "hash#", "ques?tion", "new\nline", "CFA:"]


class Names(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)

    def make(self, *variables):
        def case(file):
            fixtures.ascending(file)
            for name in variables:
                fixtures.data(file, name=name)

        return fixtures.make(self.folder, case, names=("tas", *variables))

    def test_names_that_are_listed_open_whatever_the_path(self):
        plain, _ = self.make("pr")
        expected = [gdal.Open(f'NETCDF:"{plain}":{name}').ReadAsArray() for name in ("tas", "pr")]
        for name in FOLDERS:
            with self.subTest(name):
                inner = self.folder / "inner" / name
                inner.mkdir(parents=True)
                for file in self.folder.glob("case*.nc"):
                    shutil.copy(file, inner)
                listed = gdal.Open(f"{inner}/case.nc").GetSubDatasets()
                self.assertEqual(len(listed), len(expected))
                for (subdataset, _), values in zip(listed, expected):
                    np.testing.assert_array_equal(gdal.Open(subdataset).ReadAsArray(), values)

    def test_a_file_whose_name_ends_in_odd_characters_is_listed(self):
        plain, path = self.make("pr")
        expected = gdal.Open(f'NETCDF:"{plain}":pr').ReadAsArray()
        for end in ('"', "\\", '\\"', '":', ":"):
            with self.subTest(end):
                shutil.copy(path, path + end)
                listed = gdal.Open(path + end).GetSubDatasets()
                np.testing.assert_array_equal(gdal.Open(listed[1][0]).ReadAsArray(), expected)

    def test_names_that_are_listed_open_whatever_the_variable(self):
        names = ("a:b", 'a"b', 'a":b', "é")
        plain, path = self.make(*names)
        listed = [name for name, _ in gdal.Open(path).GetSubDatasets()]
        self.assertEqual(listed[1:], [f'CFA:"{path}":{name}' for name in names])
        arrays = gdal.OpenEx(plain, gdal.OF_MULTIDIM_RASTER).GetRootGroup()
        for name, subdataset in zip(names, listed[1:]):
            expected = arrays.OpenMDArray(name).ReadAsArray()[:, ::-1]
            np.testing.assert_array_equal(gdal.Open(subdataset).ReadAsArray(), expected)

    def test_quotes_need_no_escape_where_they_cannot_end_the_path(self):
        _, path = self.make()
        odd = self.folder / 'quo"te'
        odd.mkdir()
        for file in self.folder.glob("case*.nc"):
            shutil.copy(file, odd)
        for name in (f'CFA:"{odd}/case.nc":tas', f'CFA:"{odd}/case.nc"', f"CFA:{odd}/case.nc", f"CFA:{odd}/case.nc:tas"):
            self.assertEqual(gdal.Open(name).RasterCount, 5, name)

    def test_what_follows_the_path_without_a_colon_is_not_ignored(self):
        _, path = self.make()
        for name in (f'CFA:"{path}"tas', f'CFA:"{path}" ', f'CFA:"{path}', f'CFA:"{path}":nothing'):
            with self.subTest(name), self.assertRaises(RuntimeError):
                gdal.Open(name)


if __name__ == "__main__":
    unittest.main()
