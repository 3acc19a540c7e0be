"""Writes HDF5 files with much of everything: python3 make_large_hdf5.py FOLDER

Whatever the shape, a dataset of integers holds the numbers from 0 on, one of strings the texts "string 0", "string 1"
and so on, attribute "aN" the number N and attribute "tN" a text of N bytes.
"""

import ctypes
import random
import re
import sys

import h5py
import numpy as np


def numbers(where, name, shape, chunks, maxshape=None, **options):
    data = np.arange(int(np.prod(shape)), dtype="i4").reshape(shape)
    return where.create_dataset(name, data=data, chunks=chunks, maxshape=maxshape, **options)


def libhdf5():
    """The library that h5py uses, for what h5py does not offer."""
    with open("/proc/self/maps") as maps:
        return ctypes.CDLL(next(line.split()[-1] for line in maps if re.search(r"/libhdf5[^/_]*(_serial)?[-.]", line)))


def created(path, libver, sym_k=None, istore_k=None):
    fcpl = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    if sym_k:
        assert libhdf5().H5Pset_sym_k(ctypes.c_int64(fcpl.id), *sym_k) >= 0
    if istore_k:
        assert libhdf5().H5Pset_istore_k(ctypes.c_int64(fcpl.id), istore_k) >= 0
    fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    low = h5py.h5f.LIBVER_EARLIEST if libver == "earliest" else h5py.h5f.LIBVER_LATEST
    fapl.set_libver_bounds(low, h5py.h5f.LIBVER_LATEST)
    return h5py.File(h5py.h5f.create(path.encode(), h5py.h5f.ACC_TRUNC, fcpl=fcpl, fapl=fapl))


def large(folder, libver):
    with created(f"{folder}/chunks_{libver}.nc", libver) as f:
        numbers(f, "fixed", (100_000,), (1,))
        numbers(f, "grown", (100_000,), (1,), (None,))
        numbers(f, "grown_second", (7, 9000), (3, 1), (10, None))
        numbers(f, "both", (200, 210), (1, 1), (None, None))
        numbers(f, "packed", (300, 300), (3, 1), compression="gzip", shuffle=True)
        numbers(f, "packed_grown", (300, 300), (1, 3), (None, 400), compression="gzip")
    with created(f"{folder}/objects_{libver}.nc", libver) as f:
        for i in range(10_000):
            f.create_dataset(f"v{i}", data=np.zeros(1, "i4"))
        linked = f.create_group("linked")
        for i in range(5000):
            linked[f"soft{i}"] = h5py.SoftLink(f"/v{i * 2}")
        for i in range(2000):
            linked[f"hard{i}"] = f[f"v{i}"]
        deep = f
        for i in range(100):
            deep = deep.create_group(f"group{i}")
        numbers(deep, "deepest", (5,), (2,))
        numbers(f, "annotated", (5,), (2,))
        for i in range(5000):
            f["annotated"].attrs[f"a{i}"] = np.int32(i)
        for size in [1, 3000, 5000, 50_000] + ([70_000, 300_000] if libver == "latest" else []):
            f["annotated"].attrs[f"t{size}"] = np.bytes_(b"t" * size)
    with created(f"{folder}/strings_{libver}.nc", libver) as f:
        texts = f.create_dataset("texts", (1_000_000,), dtype=h5py.string_dtype(), chunks=(10_000,))
        texts[...] = np.array([f"string {i}" for i in range(1_000_000)], dtype=object)
        # Half of them later, in heaps of their own.
        mixed = f.create_dataset("mixed", (100_000,), dtype=h5py.string_dtype())
        mixed[1::2] = np.array([f"string {i}" for i in range(1, 100_000, 2)], dtype=object)
        mixed[::2] = np.array([f"string {i}" for i in range(0, 100_000, 2)], dtype=object)


def small(folder, seed):
    r = random.Random(seed)
    libver = r.choice(["earliest", "latest"])
    sym_k = r.choice([None, (r.randint(1, 64), r.randint(1, 64))])
    with created(f"{folder}/random_{seed}.nc", libver, sym_k, r.choice([None, r.randint(1, 100)])) as f:
        where = f
        for n in range(r.choice([1, 10, 300])):
            if r.random() < 0.1:
                where = where.create_group("group " + "g" * r.randint(1, 300) + str(n))
            rank = r.randint(0, 4)
            shape = tuple(r.randint(1, 9) for _ in range(rank))
            name = r.choice(["v", "a rather long name ", "äöü"]) * r.randint(1, 9) + str(n)
            if rank == 0 or r.random() < 0.3:
                where.create_dataset(name, data=np.arange(int(np.prod(shape)), dtype="i4").reshape(shape))
            else:
                chunks = tuple(r.randint(1, size) for size in shape)
                maxshape = tuple(r.choice([None, size, size + 5]) for size in shape)
                packed = r.choice([{}, {"compression": "gzip"}, {"shuffle": True, "fletcher32": True}])
                numbers(where, name, shape, chunks, maxshape, **packed)
            for i in range(r.choice([0, 0, 3, 7, 9, 40])):
                where[name].attrs[f"a{i}"] = np.int32(i)
            for _ in range(r.choice([0, 0, 2])):
                size = r.choice([1, 100, 4000, 4200, 60_000])
                where[name].attrs[f"t{size}"] = np.bytes_(b"t" * size)
            if r.random() < 0.2:
                count = r.randint(1, 3000)
                texts = [f"string {i}" for i in range(count)]
                where.create_dataset(f"texts {n}", data=texts, dtype=h5py.string_dtype())


if __name__ == "__main__":
    folder = sys.argv[1]
    for libver in ["earliest", "latest"]:
        large(folder, libver)
    for seed in range(40):
        small(folder, seed)
