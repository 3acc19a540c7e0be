"""Many threads at once, beside others that use GDAL's netCDF driver. CFA_TEST_SECONDS says for how long (10)."""
import contextlib
import os
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


class Threads(unittest.TestCase):
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
