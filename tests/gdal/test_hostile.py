"""A hostile file costs a program with the driver no more than a harmless one, even where it is not an aggregation."""
import os
import struct
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

import foreign

NOWHERE = 2**64 - 1
LOOK = """
import sys
from osgeo import gdal
gdal.UseExceptions()
for look in (lambda: gdal.IdentifyDriverEx(sys.argv[1], allowed_drivers=["CFA"]),
             lambda: gdal.OpenEx(sys.argv[1], gdal.OF_RASTER, allowed_drivers=["CFA"]),
             lambda: gdal.OpenEx(sys.argv[1], gdal.OF_MULTIDIM_RASTER, allowed_drivers=["CFA"]),
             lambda: gdal.Info(gdal.OpenEx(sys.argv[1], gdal.OF_RASTER, allowed_drivers=["CFA"])),
             lambda: gdal.MultiDimInfo(gdal.OpenEx(sys.argv[1], gdal.OF_MULTIDIM_RASTER, allowed_drivers=["CFA"]))):
    try:
        look()
    except RuntimeError:
        pass
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""

READ = LOOK.replace("lambda: gdal.IdentifyDriverEx", """lambda: gdal.OpenEx(sys.argv[1], gdal.OF_MULTIDIM_RASTER)
             .GetRootGroup().OpenMDArray("tas").ReadAsArray(),
             lambda: gdal.IdentifyDriverEx""")


class Image:
    """An HDF5 file with one old-style group."""

    def __init__(self):
        self.bytes = bytearray(96)

    def put(self, data):
        address = len(self.bytes)
        self.bytes += data + bytes(-len(data) % 8)
        return address

    def header(self, *messages):
        body = b"".join(struct.pack("<HHI", kind, len(data) + -len(data) % 8, 0) + data + bytes(-len(data) % 8)
                        for kind, data in messages)
        return self.put(struct.pack("<BBHII4x", 1, 0, len(messages), 1, len(body)) + body)

    def tree(self, level, children):
        node = b"TREE" + struct.pack("<BBHQQ", 0, level, len(children), NOWHERE, NOWHERE)
        return self.put(node + b"".join(struct.pack("<QQ", 0, child) for child in children) + bytes(8))

    def write(self, path, root):
        self.bytes[:96] = (b"\x89HDF\r\n\x1a\n" + struct.pack("<8BHHI", 0, 0, 0, 0, 0, 8, 8, 0, 4, 16, 0)
                           + struct.pack("<6Q24x", 0, NOWHERE, len(self.bytes), NOWHERE, 0, root))
        with open(path, "wb") as file:
            file.write(self.bytes)


def same_names(path, listed, name_length, levels):
    """A group whose tree lists nodes of long names, at each level as many times as `listed`."""
    image = Image()
    attribute = b"\x01\0" + struct.pack("<3H", 16, 8, 8) + b"aggregated_data\0" + struct.pack("<4BI", 0x13, 0, 0, 0, 4)
    attribute += b"\x01\0\0\0\0\0\0\0" + b"map:"
    dataset = image.header((1, b"\x01" + bytes(7)), (3, struct.pack("<8BHH", 0x10, 8, 0, 0, 4, 0, 0, 0, 0, 32)),
                           (8, struct.pack("<BBQQ", 3, 1, 96, 4)), (12, attribute))
    names = image.put(b"n" * name_length + bytes(8))
    heap = image.put(b"HEAP" + struct.pack("<4x3Q", name_length + 8, 1, names))
    node = b"SNOD\x01\0" + struct.pack("<H", 8) + b"".join(struct.pack("<QQ24x", i, dataset) for i in range(8))
    child = image.put(node)
    for level in range(levels):
        child = image.tree(level, [child] * listed)
    image.write(path, image.header((0x11, struct.pack("<QQ", child, heap))))


def long_coordinates(path, rows, columns):
    """An aggregation of one fragment whose coordinates were never written."""
    with h5py.File(path, "w") as file:
        file.attrs["Conventions"] = "CF-1.13"
        for name, size in (("y", rows), ("x", columns)):
            scale = file.create_dataset(name, (size,), "i4")
            scale.make_scale(name)
            scale.attrs["axis"] = name.upper()
            scale.attrs["units"] = {"y": "degrees_north", "x": "degrees_east"}[name]
        file["map"] = [[rows], [columns]]
        file.create_dataset("location", data=[["absent.nc"]], dtype=h5py.string_dtype())
        file.create_dataset("variable", data="v", dtype=h5py.string_dtype())
        file["v"] = 1.0
        file["v"].attrs["aggregated_dimensions"] = "y x"
        file["v"].attrs["aggregated_data"] = "map: map uris: location identifiers: variable"


@unittest.skipUnless(os.path.exists("/proc/self/status"), "this system does not tell what memory a process had")
class Hostile(unittest.TestCase):
    def memory(self, path, look=LOOK):
        done = subprocess.run([sys.executable, "-c", look, path], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr[-1000:])
        return int(done.stdout.split()[-1]) * 1024

    def test_a_file_with_overlapping_groups_takes_as_much_memory_as_a_harmless_one(self):
        with tempfile.TemporaryDirectory() as folder:
            harmless = f"{folder}/harmless.nc"
            with h5py.File(harmless, "w") as file:
                file["v"] = 1
            usual = self.memory(harmless)
            # Far more entries than the file's K value allows, and as many as it does.
            for listed, name_length, levels in [(2000, 30_000, 1), (4000, 150_000, 1), (32, 150_000, 3)]:
                path = f"{folder}/hostile.nc"
                same_names(path, listed, name_length, levels)
                with self.subTest(size=os.path.getsize(path)):
                    self.assertLess(self.memory(path) - usual, 64 << 20)

    def test_coordinates_that_were_never_written_take_no_memory(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/agg.nc"
            long_coordinates(path, 10, 10)
            usual = self.memory(path)
            for rows, columns in [(10**6, 5 * 10**5), (10**6, 10**6), (10**8, 10**8), (1000, 2**31 - 1), (2**40, 2**40)]:
                long_coordinates(path, rows, columns)
                with self.subTest(rows=rows, columns=columns, size=os.path.getsize(path)):
                    self.assertLess(self.memory(path) - usual, 64 << 20)

    def test_metadata_of_a_store_take_little_memory(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/agg.nc"
            foreign.zarr(f"{folder}/a.zarr", np.zeros(foreign.SHAPE, "f4"))
            foreign.aggregation(path, [("a.zarr", "tas")])
            usual = self.memory(path, READ)
            for value in ('{"":0},', "[],", '"",'):
                with open(f"{folder}/a.zarr/.zattrs", "w", encoding="ascii") as file:
                    file.write('{"a":[' + value * (4_000_000 // len(value)) + "0]}")
                with self.subTest(value=value):
                    self.assertLess(self.memory(path, READ) - usual, 64 << 20)


if __name__ == "__main__":
    unittest.main()
