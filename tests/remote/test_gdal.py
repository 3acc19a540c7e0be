"""Files on servers through the GDAL driver."""
import json
import os
import subprocess
import threading
import time
import unittest

import numpy as np

import files
from served import ROOT, Served, environment

# The client in this process looks for a proxy too.
for name in set(os.environ) - set(environment()):
    del os.environ[name]
PLUGIN = ROOT / "build/gdalplugins/gdal_CFA.so"
if PLUGIN.exists():
    from osgeo import gdal

    gdal.UseExceptions()

OPEN = ["ALLOW_PRIVATE_NETWORK=YES"]


@unittest.skipUnless(PLUGIN.exists(), "there is no build/gdalplugins/gdal_CFA.so (make plugin)")
class Driver(Served):
    def setUp(self):
        super().setUp()
        self.names, self.data = files.fragments(self.www, 3)
        files.aggregation(self.www / "agg.nc", self.names)
        addresses = [self.url(self.names[0]), self.url(self.names[1], port=self.server.other_port), self.names[2]]
        files.fragment(self.local / self.names[2], files.values(2))
        self.mixed = str(files.aggregation(self.local / "agg.nc", addresses))
        self.remote = f'CFA:"{self.url("agg.nc")}"'

    def tool(self, *words, **variables):
        return subprocess.run(words, capture_output=True, text=True, timeout=60, env=environment(**variables))

    def array(self, name, options=OPEN):
        dataset = gdal.OpenEx(name, gdal.OF_MULTIDIM_RASTER, allowed_drivers=["CFA"], open_options=options)
        return dataset.GetRootGroup().OpenMDArray("tas")

    def test_rasters_and_arrays(self):
        for name in (self.mixed, self.remote):
            with self.subTest(name):
                self.assert_same(self.array(name).ReadAsArray(), self.data)
                raster = gdal.OpenEx(name, gdal.OF_RASTER, allowed_drivers=["CFA"], open_options=OPEN)
                # Rows without coordinates are bottom-up, as the netCDF driver has it.
                self.assert_same(raster.ReadAsArray(), self.data[::-1])

    def test_the_tools(self):
        for name in (self.mixed, self.remote):
            with self.subTest(name):
                done = self.tool("gdalmdiminfo", "-detailed", "-oo", OPEN[0], name)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_same(json.loads(done.stdout)["arrays"]["tas"]["values"], self.data)
                done = self.tool("gdalinfo", "-stats", "-json", "-oo", OPEN[0], name)
                self.assertEqual(done.returncode, 0, done.stderr)
                band = json.loads(done.stdout)["bands"][0]
                self.assertEqual((band["minimum"], band["maximum"]), (self.data.min(), self.data.max()))

    def test_without_the_setting_nothing_is_asked(self):
        for name in (self.mixed, self.remote):
            done = self.tool("gdalinfo", "-checksum", name)
            self.assertIn("ALLOW_PRIVATE_NETWORK=YES", done.stderr)
            with self.assertRaisesRegex(RuntimeError, "ALLOW_PRIVATE_NETWORK=YES"):
                self.array(name, []).ReadAsArray()
        self.assertEqual(self.server.requests(), [])

    def test_a_configuration_option_and_the_environment_serve_too(self):
        for variable in ("GDAL_CFA_ALLOW_PRIVATE_NETWORK", "CFA_ALLOW_PRIVATE_NETWORK"):
            done = self.tool("gdalinfo", "-checksum", self.mixed, **{variable: "YES"})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.tool("gdalinfo", "-checksum", "--config", "GDAL_CFA_ALLOW_PRIVATE_NETWORK", "YES", self.remote)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_other_options_reach_the_client(self):
        listed = self.tool("gdalinfo", "--format", "CFA").stdout
        for name in ("HTTP_CONNECT_TIMEOUT", "HTTP_STALL_TIMEOUT", "HTTP_MAX_RETRY", "HTTP_DEADLINE"):
            self.assertIn(name, listed)
        with self.assertRaisesRegex(RuntimeError, "ALLOWED_SOURCES"):
            self.array(self.mixed, [*OPEN, "ALLOWED_SOURCES=LOCAL"]).ReadAsArray()
        (self.server.folder / "busy").touch()
        self.addCleanup((self.server.folder / "busy").unlink)
        with self.assertRaisesRegex(RuntimeError, "503"):
            self.array(f'CFA:"{self.url("agg.nc", "busy/")}"', [*OPEN, "HTTP_MAX_RETRY=0"])
        self.assertEqual([request.status for request in self.server.requests()], ["503"])

    def test_what_gdal_fetches_itself_names_its_own_server(self):
        files.aggregation(self.www / "absolute.nc", [self.url(name) for name in self.names])
        with self.assertRaisesRegex(RuntimeError, "ALLOW_PRIVATE_NETWORK=YES"):
            self.array("/vsicurl/" + self.url("absolute.nc"), []).ReadAsArray()
        self.assert_same(self.array("/vsicurl/" + self.url("absolute.nc")).ReadAsArray(), self.data)
        self.assert_same(self.array("/vsicurl/" + self.url("agg.nc"), []).ReadAsArray(), self.data)

    def test_eight_threads_read_one_array(self):
        shape = (16, 500)
        parts = [files.fragment(self.www / f"p{k}.nc", files.values(k, shape), zlib=True, chunksizes=(3, 70)) for k in range(8)]
        files.aggregation(self.www / "threads.nc", [f"p{k}.nc" for k in range(8)], shape)
        data, problems = np.concatenate(parts), []
        shared = self.array(f'CFA:"{self.url("threads.nc")}"', [*OPEN, "NUM_THREADS=8", "CACHE_BYTES=0", "MAX_OPEN_FILES=3"])

        def read(number):
            try:
                for k in range(3):
                    part = shared.GetView(f"[{number}::{k + 1},::-1]").ReadAsArray()
                    np.testing.assert_array_equal(part, data[number::k + 1, ::-1])
            except BaseException as problem:
                problems.append(problem)

        threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [])

    def long_array(self):
        """A variable with one row per block, so that a read of a row fetches no other."""
        shape = (4, 100_000)
        data = files.fragment(self.www / "long.nc", files.values(1, shape), format="NETCDF3_CLASSIC")
        files.aggregation(self.www / "long_agg.nc", ["long.nc"], shape)
        array = self.array(f'CFA:"{self.url("long_agg.nc")}"', [*OPEN, "CACHE_BYTES=0"])
        self.assert_same(array.GetView("[0:1]").ReadAsArray(), data[:1])
        return array, data

    def test_a_connection_that_the_server_closed_is_made_again(self):
        array, data = self.long_array()
        time.sleep(1.5)
        self.assert_same(array.GetView("[3:4]").ReadAsArray(), data[3:])

    def test_a_file_that_changes_while_it_is_read_is_an_error(self):
        array, _ = self.long_array()
        files.fragment(self.www / "long.nc", files.values(2, (5, 100_000)), format="NETCDF3_CLASSIC")
        with self.assertRaisesRegex(RuntimeError, "changed"):
            array.GetView("[3:4]").ReadAsArray()

    def test_parent_and_child_read_after_a_fork(self):
        array, data = self.long_array()
        child = os.fork()
        try:
            same = all((array.GetView(f"[{k}:{k + 1}]").ReadAsArray() == data[k]).all() for k in (3, 1, 2, 0) * 5)
        except BaseException:
            same = False
        if child == 0:
            os._exit(0 if same else 1)
        _, status = os.waitpid(child, 0)
        self.assertEqual((same, status), (True, 0))


if __name__ == "__main__":
    unittest.main()
