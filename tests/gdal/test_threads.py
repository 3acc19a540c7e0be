"""Many threads at once, beside others that use GDAL's netCDF driver. CFA_TEST_SECONDS says for how long (10)."""
import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

import fixtures

gdal.UseExceptions()


@contextlib.contextmanager
def silence():
    """Outside the main thread libnetcdf 4.9.0 prints what it looks for in vain, whatever the driver beside it."""
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


# The first thread that uses HDF5 tells it to print nothing; that holds for this thread alone.
OPEN_IN_A_THREAD = """
import sys, threading
from osgeo import gdal
gdal.UseExceptions()
gdal.OpenEx(sys.argv[2], allowed_drivers=["netCDF"])
def work():
    array = gdal.OpenEx(sys.argv[1], gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("tas")
    print(gdal.Open(sys.argv[1]).GetGeoTransform(), array.GetSpatialRef().IsProjected())
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""


class Threads(unittest.TestCase):
    def test_opening_in_another_thread_prints_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            plain, path = fixtures.make(folder, fixtures.lambert)
            done = subprocess.run([sys.executable, "-c", OPEN_IN_A_THREAD, path, plain], capture_output=True, text=True)
            self.assertEqual(done.stderr, "")
            self.assertEqual(done.stdout.strip(), "(-202500.0, 5000.0, 0.0, 1037500.0, 0.0, -5000.0) 1")

    @unittest.skipUnless(hasattr(gdal, "OF_THREAD_SAFE"), "this GDAL has no datasets for several threads (3.10)")
    def test_a_dataset_for_several_threads_opens_the_file_once(self):
        with tempfile.TemporaryDirectory() as folder:
            plain, path = fixtures.make(folder, fixtures.levels, names=("tas", "time"), parts=3)
            expected = gdal.OpenEx(plain, allowed_drivers=["netCDF"]).ReadAsArray()
            dataset = gdal.OpenEx(path, gdal.OF_RASTER | gdal.OF_THREAD_SAFE)
            self.assertEqual(dataset.GetDriver().ShortName, "CFA")
            self.assertTrue(dataset.IsThreadSafe(gdal.OF_RASTER))
            problems, handles = [], []
            together = threading.Barrier(8)

            def work(number):
                try:
                    for _ in range(20):
                        np.testing.assert_array_equal(dataset.ReadAsArray(), expected)
                        band = dataset.GetRasterBand(number % dataset.RasterCount + 1)
                        np.testing.assert_array_equal(band.ReadAsArray(), expected[number % dataset.RasterCount])
                        self.assertIn("NETCDF_DIM_lev", band.GetMetadata())
                    together.wait()
                    opened = [os.path.realpath(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")]
                    handles.append(opened.count(os.path.realpath(path)))
                    together.wait()
                except BaseException as problem:
                    problems.append(problem)
                    together.abort()

            threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if problems:
                raise problems[0]
            self.assertEqual(set(handles), {1})

    def test_values_are_equal_beside_the_netcdf_driver(self):
        with tempfile.TemporaryDirectory() as folder:
            plain, path = fixtures.make(folder, fixtures.levels, names=("tas", "time"), parts=3)
            with Dataset(plain) as file:
                file.set_auto_maskandscale(False)
                values = file["tas"][...]
            bands = values.reshape(-1, *values.shape[2:])[:, ::-1]
            shared = gdal.OpenEx(path, gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("tas")
            end = time.monotonic() + float(os.environ.get("CFA_TEST_SECONDS", "10"))
            problems, rounds = [], [0] * 10

            def own_handle():
                dataset = gdal.Open(path)
                dataset.GetMetadata()
                np.testing.assert_array_equal(dataset.ReadAsArray(), bands)

            def one_array():
                np.testing.assert_array_equal(shared.ReadAsArray(), values)
                np.testing.assert_array_equal(shared.GetView("[::-1,1]").ReadAsArray(), values[::-1, 1])

            def netcdf_driver():
                np.testing.assert_array_equal(gdal.OpenEx(plain, allowed_drivers=["netCDF"]).ReadAsArray(), bands)

            def repeat(number, work):
                try:
                    while time.monotonic() < end and not problems:
                        work()
                        rounds[number] += 1
                except BaseException as problem:
                    problems.append(problem)

            work = [own_handle] * 4 + [one_array] * 4 + [netcdf_driver] * 2
            threads = [threading.Thread(target=repeat, args=pair) for pair in enumerate(work)]
            with silence():
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
            if problems:
                raise problems[0]
            self.assertTrue(all(rounds), rounds)


if __name__ == "__main__":
    unittest.main()
