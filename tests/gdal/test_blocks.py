"""What newer versions of GDAL ask about blocks: where they are stored, and whether several are read in parallel."""
import os
import shutil
import subprocess
import tempfile
import unittest
import zlib

import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

import fixtures

gdal.UseExceptions()


def version():
    return tuple(int(part) for part in gdal.VersionInfo("RELEASE_NAME").split(".")[:2])


def unshuffled(content, size):
    return np.frombuffer(content, "u1").reshape(size, -1).T.tobytes()


@unittest.skipUnless(hasattr(gdal.MDArray, "GetRawBlockInfo"), "arrays of this GDAL do not tell where blocks are (3.12)")
class RawBlocks(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def array(self, path):
        return gdal.OpenEx(path, gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("tas")

    def asked(self, array, block):
        """The place of a block, or None if it is told none; nothing is said then."""
        said = []
        gdal.PushErrorHandler(lambda level, number, message: said.append(message))
        try:
            info = array.GetRawBlockInfo(block)
        finally:
            gdal.PopErrorHandler()
        self.assertEqual(said, [])
        return info if info is not None and info.GetFilename() else None

    def test_every_block_that_is_a_chunk_is_where_it_says(self):
        plain = f"{self.folder}/even_plain.nc"
        with Dataset(plain, "w") as file:
            for name, size in (("time", 4), ("lat", 6), ("lon", 8)):
                file.createDimension(name, size)
            fixtures.data(file)
        array = self.array(str(fixtures.aggregate(plain, f"{self.folder}/even.nc", ["tas"])))
        shape = array.GetBlockSize()
        self.assertEqual(shape, [1, 3, 4])
        whole = array.ReadAsArray()
        for block in np.ndindex(4, 2, 2):
            info = self.asked(array, list(block))
            self.assertEqual(os.path.basename(info.GetFilename()), f"even_tas_{block[0] // 2}.nc")
            self.assertEqual(info.GetInfo(), ["COMPRESSION=DEFLATE", "FILTER=SHUFFLE", "ENDIANNESS=LITTLE"])
            with open(info.GetFilename(), "rb") as file:
                file.seek(info.GetOffset())
                stored = file.read(info.GetSize())
            found = np.frombuffer(unshuffled(zlib.decompress(stored), 4), "f4").reshape(shape)
            place = tuple(slice(i * n, (i + 1) * n) for i, n in zip(block, shape))
            np.testing.assert_array_equal(found, whole[place])
        with self.assertRaisesRegex(RuntimeError, "no block"):
            array.GetRawBlockInfo([4, 0, 0])

    def test_blocks_that_are_no_chunk_or_are_converted_have_no_place(self):
        _, path = fixtures.make(self.folder, fixtures.levels, names=("tas",))
        uneven = self.array(path)
        # Fragments of two steps and of one, chunks of five rows out of ten: those of the first fragment agree.
        self.assertIsNotNone(self.asked(uneven, [0, 0, 0, 0]))
        for file in os.listdir(self.folder):
            if file.startswith("levels_tas_"):
                with Dataset(f"{self.folder}/{file}", "a") as fragment:
                    fragment["tas"].units = "degC"
        converted = self.array(path)
        self.assertIsNone(self.asked(converted, [0, 0, 0, 0]))

    def test_fragments_without_chunks_are_one_block(self):
        plain = f"{self.folder}/whole_plain.nc"
        with Dataset(plain, "w") as file:
            for name, size in (("time", 2), ("lat", 6), ("lon", 8)):
                file.createDimension(name, size)
            fixtures.data(file)
        path = str(fixtures.aggregate(plain, f"{self.folder}/whole.nc", ["tas"]))
        values = self.array(path).ReadAsArray()
        for number in range(2):
            with Dataset(f"{self.folder}/whole_tas_{number}.nc", "w", format="NETCDF3_CLASSIC") as file:
                for name, size in (("time", 1), ("lat", 6), ("lon", 8)):
                    file.createDimension(name, size)
                copy = file.createVariable("tas", "f4", ("time", "lat", "lon"), fill_value=1e20)
                copy.set_auto_maskandscale(False)
                copy.units = "K"
                copy[...] = values[number:number + 1]
        array = self.array(path)
        self.assertEqual(array.GetBlockSize(), [1, 6, 8])
        for number in range(2):
            info = self.asked(array, [number, 0, 0])
            self.assertEqual(info.GetInfo(), ["ENDIANNESS=BIG"])
            with open(info.GetFilename(), "rb") as file:
                file.seek(info.GetOffset())
                found = np.frombuffer(file.read(info.GetSize()), ">f4").reshape(6, 8)
            np.testing.assert_array_equal(found, values[number])


ASK = """
#include <cstdio>
#include <gdal_priv.h>
int main(int, char **arguments)
{
    GDALAllRegister();
    const auto dataset = GDALDataset::Open(arguments[1], GDAL_OF_RASTER);
    std::printf("%d\\n", dataset->GetRasterBand(1)->MayMultiBlockReadingBeMultiThreaded());
    delete dataset;
}
"""


@unittest.skipUnless(version() >= (3, 13) and shutil.which("g++"), "bands of this GDAL do not tell (3.13)")
class Parallel(unittest.TestCase):
    def test_bands_say_whether_several_blocks_are_read_in_parallel(self):
        with tempfile.TemporaryDirectory() as folder:
            _, path = fixtures.make(folder, fixtures.ascending)
            with open(f"{folder}/ask.cpp", "w") as file:
                file.write(ASK)
            flags = [word for option in ("--cflags", "--libs") for word in
                     subprocess.run(["gdal-config", option], capture_output=True, text=True, check=True).stdout.split()]
            subprocess.run(["g++", "-std=c++17", f"{folder}/ask.cpp", "-o", f"{folder}/ask", *flags], check=True)
            for threads, expected in ((None, "1"), ("1", "0"), ("4", "1")):
                given = {} if threads is None else {"GDAL_CFA_NUM_THREADS": threads}
                done = subprocess.run([f"{folder}/ask", path], capture_output=True, text=True, env={**os.environ, **given})
                self.assertEqual(done.stdout.strip(), expected, done.stderr)


if __name__ == "__main__":
    unittest.main()
