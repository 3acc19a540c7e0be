"""What the netCDF driver says of the georeferencing is remembered for the process, and is never out of date."""
import os
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile
from pathlib import Path

import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

import fixtures

gdal.UseExceptions()

QUESTION = "CFA: the netCDF driver is asked"


def questions(command, *arguments):
    """How often the netCDF driver is asked by Python's `command`."""
    script = "import os, sys\nfrom netCDF4 import Dataset\nfrom osgeo import gdal\ngdal.UseExceptions()\n" + command
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True,
                          env={**os.environ, "CPL_DEBUG": "CFA"})
    assert done.returncode == 0, done.stderr
    return done.stderr.count(QUESTION)


def position(path):
    """Where a raster lies, and in which order its rows are."""
    dataset = gdal.Open(path)
    reference = dataset.GetSpatialRef()
    return (dataset.GetGeoTransform(can_return_null=True), reference and reference.ExportToWkt(),
            dataset.GetRasterBand(1).ReadAsArray().tolist())


def lambert_elsewhere(file):
    """A file as large as that of the other one, of the same names."""
    fixtures.projected(file, dict(fixtures.LAMBERT, longitude_of_central_meridian=20.0))
    file["x"][:] += 1000.0


class Remembered(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def made(self, case, folder="", **how):
        (Path(self.folder) / folder).mkdir(exist_ok=True)
        return fixtures.make(Path(self.folder) / folder, case, **how)[1]

    def test_a_layer_for_each_day_asks_once(self):
        open_all = "layers = [gdal.Open(sys.argv[1]) for _ in range(int(sys.argv[2]))]"
        self.assertEqual(questions(open_all, self.made(fixtures.wgs84), "366"), 1)
        for case in fixtures.GEOREFERENCING:
            with self.subTest(case.__name__):
                self.assertEqual(questions(open_all, self.made(case), "2"), 1)

    def test_arrays_and_all_variables_of_a_grid_ask_once(self):
        def two(file):
            fixtures.lambert(file)
            fixtures.data(file, ("time", "y", "x"), name="pr", grid_mapping="projection")
        path = self.made(two, names=("tas", "pr"))
        command = """
for name in ("tas", "pr"):
    gdal.Open(f'CFA:"{sys.argv[1]}":{name}')
    assert gdal.OpenEx(sys.argv[1], gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray(name).GetSpatialRef()
"""
        self.assertEqual(questions(command, path), 1)

    def test_the_last_ones_are_remembered(self):
        command = """
def use(number):
    with Dataset(sys.argv[1], "a") as file:
        file["lon"][:] = range(number, number + 11)
    assert gdal.Open(sys.argv[1]).GetGeoTransform()[0] == number - 0.5
for number in range(64):
    use(number)
use(0)
for number in eval(sys.argv[2]):
    use(number)
"""
        path = self.made(fixtures.ascending)
        self.assertEqual(questions(command, path, "range(64)"), 64)
        self.assertEqual(questions(command, path, "[64, 0]"), 65)
        self.assertEqual(questions(command, path, "[64, 1]"), 66)

    def test_what_is_large_is_not_remembered(self):
        path = self.made(fixtures.only_plane)
        with Dataset(path, "a") as file:
            file.comment = "x" * 3_000_000
        other = Path(self.folder) / "other.nc"
        other.write_bytes(Path(path).read_bytes())
        with Dataset(other, "a") as file:
            file.title = "other"
        twice = "for path in sys.argv[1:] * 2: assert gdal.Open(path).GetGeoTransform()"
        self.assertEqual(questions(twice, path), 1)
        self.assertEqual(questions(twice, path, other), 4)
        with Dataset(path, "a") as file:
            file.comment = "x" * 5_000_000
        self.assertEqual(questions(twice, path), 2)

    def test_a_file_that_is_replaced_is_found_anew(self):
        first, second = self.made(fixtures.lambert, "first"), self.made(lambert_elsewhere, "second")
        for path in (first, second):
            with Dataset(path, "a") as file:
                file.title = "one of two"
        expected = {path: position(path)[:2] for path in (first, second)}
        self.assertNotEqual(*expected.values())
        contents = {path: Path(path).read_bytes() for path in (first, second)}
        length = max(map(len, contents.values()))
        place = str(Path(first).parent / "lambert.nc")
        for path in (first, second) * 3:
            # In the same place of the disk, with the same size and time.
            with open(place, "r+b") as file:
                file.truncate(0)
                file.write(contents[path].ljust(length, b"\0"))
            os.utime(place, (1e9, 1e9))
            self.assertEqual(os.stat(place).st_size, length)
            for name in (place, f"CFA:{place}"):
                self.assertEqual(gdal.Open(name).GetGeoTransform(), expected[path][0])
                self.assertEqual(gdal.Open(name).GetSpatialRef().ExportToWkt(), expected[path][1])

    def test_coordinates_in_a_fragment_that_is_replaced_are_found_anew(self):
        path = self.made(fixtures.ascending, names=("tas", "lon"))
        fragment = Path(self.folder) / "ascending_lon_0.nc"
        for begin in (0.0, 100.0, 0.0):
            with Dataset(fragment, "a") as file:
                file["lon"][:] = begin + 4 * np.arange(6)
            with Dataset(fragment.with_name("ascending_lon_1.nc"), "a") as file:
                file["lon"][:] = begin + 4 * np.arange(6, 11)
            os.utime(fragment, (1e9, 1e9))
            self.assertEqual(gdal.Open(path).GetGeoTransform()[0], begin - 2)

    def test_files_without_a_place_on_the_disk_are_found_anew(self):
        for number, case in enumerate((fixtures.lambert, lambert_elsewhere, fixtures.lambert)):
            path = Path(self.made(case, str(number)))
            archive = f"{self.folder}/{number}.zip"
            in_memory = {f"/vsimem/remembered/{file.name}": file.read_bytes() for file in path.parent.iterdir()}
            in_memory["/vsimem/remembered/same.nc"] = path.read_bytes()
            for name, content in in_memory.items():
                gdal.FileFromMemBuffer(name, content)
            with zipfile.ZipFile(archive, "w") as out:
                for file in path.parent.iterdir():
                    out.write(file, file.name)
            expected = position(str(path))
            self.assertEqual(position(f"/vsizip/{archive}/{path.name}"), expected)
            self.assertEqual(position("/vsimem/remembered/same.nc"), expected)
            for name in in_memory:
                gdal.Unlink(name)

    def test_settings_that_change_it_are_obeyed(self):
        path = self.made(fixtures.ascending)
        before = position(path)
        name = "GDAL_NETCDF_BOTTOMUP"

        def environment(value):
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value

        def of_this_thread(value):
            gdal.SetThreadLocalConfigOption(name, value)

        def of_all_threads(value):
            gdal.SetConfigOption(name, value)

        for configure in (environment, of_this_thread, of_all_threads):
            with self.subTest(configure.__name__):
                configure("NO")
                try:
                    self.assertEqual(position(path), (*before[:2], before[2][::-1]))
                finally:
                    configure(None)
                self.assertEqual(position(path), before)

    def test_failures_of_the_moment_are_not_remembered(self):
        def european(file):
            fixtures.reference_system_on_the_data(file)
            file["tas"].crs = "EPSG:3035"
        no_database = """
from osgeo import osr
paths = osr.GetPROJSearchPaths()
osr.SetPROJSearchPaths([sys.argv[2]])
gdal.Open(sys.argv[1])
osr.SetPROJSearchPaths(paths)
for _ in range(2):
    assert gdal.Open(sys.argv[1]).GetSpatialRef().GetName() == "ETRS89-extended / LAEA Europe"
"""
        no_driver = """
driver = gdal.GetDriverByName("netCDF")
driver.Deregister()
assert gdal.Open(sys.argv[1]).GetSpatialRef() is None
driver.Register()
for _ in range(2):
    assert gdal.Open(sys.argv[1]).GetSpatialRef().GetName() == "ETRS89-extended / LAEA Europe"
"""
        path = self.made(european)
        for command in (no_database, no_driver):
            self.assertLessEqual(questions(command, path, self.folder), 2)

    def test_arrays_of_coordinates_are_those_of_the_file(self):
        for folder in ("first", "second"):
            path = self.made(fixtures.two_dimensional, folder)
            found = gdal.Open(path).GetMetadata("GEOLOCATION")
            self.assertEqual(found["X_DATASET"], f'CFA:"{path}":lon')
            self.assertEqual(found["Y_DATASET"], f'CFA:"{path}":lat')

    def test_threads_share_it(self):
        paths = [self.made(case, str(number)) for number in range(12)
                 for case in (fixtures.lambert, lambert_elsewhere, fixtures.rotated_pole, fixtures.two_dimensional,
                              fixtures.uneven_latitude, fixtures.polar_stereographic)]
        for number, path in enumerate(paths):
            with Dataset(path, "a") as file:
                file.title = str(number)
        expected = [position(path) for path in paths]
        problems = []

        def work(seed):
            try:
                for number in np.random.default_rng(seed).integers(0, len(paths), 150):
                    self.assertEqual(position(paths[number]), expected[number])
            except BaseException as problem:
                problems.append(problem)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if problems:
            raise problems[0]

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_a_process_made_by_fork_finds_it(self):
        paths = [self.made(case) for case in (fixtures.lambert, fixtures.ascending)]
        expected = position(paths[0]), position(paths[1])
        gdal.Open(paths[0])
        command = """
gdal.Open(sys.argv[1])
for _ in range(3):
    child = os.fork()
    if child == 0:
        for path in sys.argv[1:] * 3:
            gdal.Open(path)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    gdal.Open(sys.argv[1])
"""
        self.assertEqual(questions(command, *paths), 1 + 3 * 2)
        self.assertEqual((position(paths[0]), position(paths[1])), expected)


if __name__ == "__main__":
    unittest.main()
