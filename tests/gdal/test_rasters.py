"""What programs do with rasters gives the same as with the plain file of the same data."""
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from osgeo import gdal

import fixtures

gdal.UseExceptions()

BANDS, ROWS, COLUMNS, TILE = 6, 700, 900, 256


def large(file):
    fixtures.axis(file, "time", np.arange(float(BANDS)), standard_name="time", units="days since 2000-01-01")
    fixtures.axis(file, "lat", 50 - 0.01 * np.arange(ROWS), **fixtures.LAT)
    fixtures.axis(file, "lon", 0.01 * np.arange(COLUMNS), **fixtures.LON)
    fixtures.data(file)


# One process of a tile server: reads windows of any place and band, and prints a digest of the values and how many
# threads that has started; numpy may have started others.
DRAW = """
import hashlib, os, sys
import numpy as np
from osgeo import gdal
gdal.UseExceptions()
def threads():
    return len(os.listdir("/proc/self/task")) if os.path.exists("/proc/self/task") else 0
before = threads()
name, seed, reopens, bands, rows, columns, tile = sys.argv[1], *map(int, sys.argv[2:])
random, digest = np.random.default_rng(seed), hashlib.sha256()
dataset = gdal.Open(name)
for _ in range(40):
    if reopens:
        dataset = gdal.Open(name)
    band, x, y = (int(random.integers(n)) for n in (bands, columns - tile, rows - tile))
    digest.update(dataset.GetRasterBand(band + 1).ReadAsArray(x, y, tile, tile).tobytes())
print(digest.hexdigest(), threads() - before)
"""


class Rasters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        plain, aggregation = fixtures.make(cls.temporary.name, large, parts=3)
        cls.sources = {"aggregation": str(aggregation), "plain": str(plain)}

    def compare(self, command):
        """Run it with each source; the files that it makes must have the same values and places."""
        found = []
        for kind, source in self.sources.items():
            out = f"{self.temporary.name}/{kind}.tif"
            done = subprocess.run([word.format(source=source, out=out) for word in command], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            made = gdal.Open(out)
            found.append((made.GetGeoTransform(), made.ReadAsArray()))
            made = None
            os.remove(out)
        self.assertEqual(found[0][0], found[1][0])
        np.testing.assert_array_equal(found[0][1], found[1][1])
        self.assertGreater(len(np.unique(found[0][1])), 1000)

    def test_gdalwarp(self):
        self.compare(["gdalwarp", "-q", "-multi", "-r", "bilinear", "-s_srs", "EPSG:4326", "-t_srs", "EPSG:3857", "{source}", "{out}"])

    def test_a_cloud_optimised_geotiff(self):
        self.compare(["gdal_translate", "-q", "-of", "COG", "-co", "BLOCKSIZE=256", "{source}", "{out}"])

    def test_gdalbuildvrt(self):
        for kind, source in self.sources.items():
            subprocess.run(["gdalbuildvrt", "-q", f"{self.temporary.name}/{kind}.vrt", source], check=True, capture_output=True)
        found, expected = (gdal.Open(f"{self.temporary.name}/{kind}.vrt") for kind in self.sources)
        self.assertEqual(found.GetGeoTransform(), expected.GetGeoTransform())
        np.testing.assert_array_equal(found.ReadAsArray(), expected.ReadAsArray())

    def test_gdal_calc(self):
        self.compare(["gdal_calc.py", "--quiet", "-A", "{source}", "--A_band=2", "-B", "{source}", "--B_band=5", "--calc=A-B",
                      "--outfile={out}"])

    def test_tiles_by_eight_processes(self):
        for reopens in (0, 1):
            digests = {}
            for kind, source in self.sources.items():
                words = [str(word) for word in (reopens, BANDS, ROWS, COLUMNS, TILE)]
                running = [subprocess.Popen([sys.executable, "-c", DRAW, source, str(seed), *words], stdout=subprocess.PIPE, text=True)
                           for seed in range(8)]
                digests[kind] = [process.communicate()[0].split() for process in running]
                self.assertEqual([process.returncode for process in running], [0] * 8)
            found, expected = ([digest for digest, _ in digests[kind]] for kind in ("aggregation", "plain"))
            self.assertEqual(found, expected)
            self.assertEqual(len(set(found)), 8)
            # Eight processes have the cores to themselves: a small read has no use for more threads.
            self.assertEqual({threads for _, threads in digests["aggregation"]}, {"0"})


if __name__ == "__main__":
    unittest.main()
