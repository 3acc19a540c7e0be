"""What is paid for the driver: by small reads of aggregations, and by ordinary files that it looks at."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

import fixtures

gdal.UseExceptions()

SHAPE = (8, 256, 512)


def bytes_read():
    """What this process has read from files since it began."""
    with open("/proc/self/io") as file:
        return int(file.readline().split()[1])


BANDS = 5000


def many_bands(file):
    for name, size in (("time", BANDS), ("lat", 2), ("lon", 3)):
        file.createDimension(name, size)
    fixtures.data(file)


def random_noise(file):
    for name, size in zip(("time", "lat", "lon"), SHAPE):
        file.createDimension(name, size)
    fixtures.data(file)


@unittest.skipUnless(os.path.exists("/proc/self/io"), "this system does not count what a process reads")
class SmallReads(unittest.TestCase):
    """Each chunk is fetched and decoded once, however small the requested parts are."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        plain, cls.path = fixtures.make(temporary.name, random_noise)
        with Dataset(plain) as file:
            file.set_auto_maskandscale(False)
            cls.values = file["tas"][...]
        cls.chunks = []
        for number in range(2):
            with h5py.File(f"{temporary.name}/random_noise_tas_{number}.nc") as file:
                data = file["tas"].id
                cls.chunks += [data.get_chunk_info(i).size for i in range(data.get_num_chunks())]
        assert len(cls.chunks) == 16, cls.chunks

    def cost(self, read, **options):
        """The bytes that all rows of the variable cost, in units of all its chunks, and whether no chunk was read twice.

        A chunk is decoded each time its bytes are read. What else is read is less than the smallest chunk.
        """
        before = bytes_read()
        found = read([f"{name}={value}" for name, value in options.items()])
        read_now = bytes_read() - before
        np.testing.assert_array_equal(found, self.values)
        once = sum(self.chunks) <= read_now < sum(self.chunks) + min(self.chunks)
        return read_now / sum(self.chunks), once

    def rows_of_bands(self, options):
        dataset = gdal.OpenEx(self.path, open_options=options)
        found = np.empty(SHAPE, "f4")
        # Every band of a row in turn, the order in which chunks of several bands are used again and again; the file
        # has no coordinates, and its rows are counted from the last.
        for row in range(SHAPE[1]):
            for band in range(SHAPE[0]):
                found[band, SHAPE[1] - 1 - row] = dataset.GetRasterBand(band + 1).ReadAsArray(0, row, SHAPE[2], 1)[0]
        return found

    def rows_of_an_array(self, options):
        array = gdal.OpenEx(self.path, gdal.OF_MULTIDIM_RASTER, open_options=options).GetRootGroup().OpenMDArray("tas")
        found = np.empty(SHAPE, "f4")
        for step in range(SHAPE[0]):
            for row in range(SHAPE[1]):
                found[step, row] = array.ReadAsArray([step, row, 0], [1, 1, SHAPE[2]])[0, 0]
        return found

    def test_each_chunk_is_decoded_once(self):
        for read in (self.rows_of_bands, self.rows_of_an_array):
            with self.subTest(read.__name__):
                cost, once = self.cost(read)
                self.assertTrue(once, cost)

    def test_what_was_read_ahead_is_not_read_again(self):
        array = gdal.OpenEx(self.path, gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("tas")
        before = bytes_read()
        array.AdviseRead([0, 0, 0], list(SHAPE))
        ahead = bytes_read() - before
        np.testing.assert_array_equal(array.ReadAsArray(), self.values)
        self.assertGreater(ahead, sum(self.chunks))
        self.assertLess(bytes_read() - before, ahead + min(self.chunks))

    def test_rasters_are_read_ahead_too(self):
        expected = self.values[:, ::-1]
        window, bands = (0, 0, SHAPE[2], SHAPE[1]), list(range(1, SHAPE[0] + 1))
        for announce in (lambda data: data.AdviseRead(*window, None, None, None, bands),
                         lambda data: [data.GetRasterBand(band).AdviseRead(*window) for band in bands]):
            dataset = gdal.Open(self.path)
            before = bytes_read()
            announce(dataset)
            ahead = bytes_read() - before
            np.testing.assert_array_equal(dataset.ReadAsArray(), expected)
            self.assertGreater(ahead, sum(self.chunks))
            self.assertLess(bytes_read() - before, ahead + min(self.chunks))

    def test_without_a_cache_chunks_are_decoded_again(self):
        for read in (self.rows_of_bands, self.rows_of_an_array):
            with self.subTest(read.__name__):
                cost, once = self.cost(read, CACHE_BYTES=0)
                self.assertFalse(once)
                self.assertGreater(cost, 1.9)


@unittest.skipUnless(shutil.which("valgrind"), "valgrind counts the instructions")
class ManyBands(unittest.TestCase):
    """Opening does not pay for what is kept of each band beside the file."""

    def test_statistics_of_many_bands_cost_little(self):
        with tempfile.TemporaryDirectory() as folder:
            _, path = fixtures.make(folder, many_bands)
            without = self.count(folder, path)
            with open(path + ".aux.xml", "w", encoding="utf-8") as file:
                file.write("<PAMDataset>\n")
                for band in range(1, BANDS + 1):
                    items = "".join(f'<MDI key="STATISTICS_{name}">{band}.25</MDI>' for name in ("MAXIMUM", "MEAN", "MINIMUM", "STDDEV"))
                    file.write(f'  <PAMRasterBand band="{band}"><Metadata>{items}</Metadata></PAMRasterBand>\n')
                file.write("</PAMDataset>\n")
            more = (self.count(folder, path) - without) / BANDS
            print(f"opening {BANDS} bands: {without} instructions, and {more:.0f} for each that has statistics")
            # To parse them takes 45,000 for each.
            self.assertLess(more, 6000)

    def count(self, folder, path):
        """The instructions of opening the file."""
        command = f"from osgeo import gdal; gdal.UseExceptions(); assert gdal.Open({path!r}).RasterCount == {BANDS}"
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/count", "--toggle-collect=GDALOpen",
                        sys.executable, "-c", command], check=True, capture_output=True)
        with open(f"{folder}/count") as dump:
            return next(int(line.split()[1]) for line in dump if line.startswith(("summary:", "totals:")))


# Opens each file with one driver after the other, in a process that valgrind watches.
LOOK = """
import sys
from osgeo import gdal

gdal.UseExceptions()
for path in sys.argv[1:]:
    for driver in ("PNG", "CFA", "netCDF"):
        try:
            gdal.OpenEx(path, allowed_drivers=[driver])
        except RuntimeError:
            pass
"""


@unittest.skipUnless(shutil.which("valgrind"), "valgrind counts the instructions")
class Declining(unittest.TestCase):
    """A look at an ordinary file takes few of the instructions that its own driver needs to open it."""

    def counts(self, folder, paths):
        """The instructions of each driver for each file."""
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/counts", "--toggle-collect=GDALOpenEx",
                        "--dump-after=GDALOpenEx", sys.executable, "-c", LOOK, *paths], check=True, capture_output=True)
        found = []
        for call in range(1, 3 * len(paths) + 1):
            with open(f"{folder}/counts.{call}") as dump:
                found.append(next(int(line.split()[1]) for line in dump if line.startswith("summary:")))
        return [found[i:i + 3] for i in range(0, len(found), 3)]

    def test_declining_costs_little(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for kind in ("NETCDF3_CLASSIC", "NETCDF4"):
                for variables in (1, 50, 200):
                    for attributes in (2, 10, 40):
                        paths.append(f"{folder}/{kind} {variables} x {attributes}.nc")
                        with Dataset(paths[-1], "w", format=kind) as file:
                            file.createDimension("y", 10)
                            file.createDimension("x", 10)
                            for i in range(variables):
                                variable = file.createVariable(f"v{i}", "f4", ("y", "x"))
                                variable.setncatts({f"a{k}": "a text of some length" for k in range(attributes)})
                                variable[:] = i
            for path, (nothing, own, other) in zip(paths, self.counts(folder, paths)):
                # A driver that looks at the first bytes only shows what GDAL itself does to try any.
                share = (own - nothing) / other
                print(f"{os.path.basename(path)}: {own - nothing} instructions, netCDF driver {other}, {100 * share:.1f} %")
                with self.subTest(os.path.basename(path)):
                    self.assertGreater(own, 0)
                    self.assertLess(share, 0.15)


if __name__ == "__main__":
    unittest.main()
