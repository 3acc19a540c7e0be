#!/usr/bin/env python3
"""Writes tests/data/hdf5_2.json: files as HDF5 2.0 writes them.

Run in a fresh environment (needs the network once; the tests themselves do not):

    python3 -m venv venv && venv/bin/pip install h5py==3.16.0
    venv/bin/python tests/make_hdf5_2.py

The file was made with h5py 3.16.0 (HDF5 2.0.0). Each entry has the length of a file and those of its bytes that are not
zero, as [offset, hexadecimal]. Element i of the data, counted in C order, is (37 i + 11) mod 32003; what was not
written is 7.
"""

import json
import os
import pathlib
import tempfile

import h5py
import numpy as np
from h5py import h5d, h5p, h5s, h5t

assert h5py.version.hdf5_version_tuple[:2] == (2, 0), h5py.version.hdf5_version
OUTPUT = pathlib.Path(__file__).parent / "data" / "hdf5_2.json"
GAP = 16
folder = tempfile.TemporaryDirectory()
files = {}


def numbers(shape):
    return ((37 * np.arange(np.prod(shape), dtype="i8") + 11) % 32003).astype("i2").reshape(shape)


def make(file, name, shape, chunks, maxshape=None, filters="", write=True, early=False):
    creation = h5p.create(h5p.DATASET_CREATE)
    creation.set_chunk(chunks)
    creation.set_fill_value(np.array(7, dtype="i2"))
    if early:
        creation.set_alloc_time(h5d.ALLOC_TIME_EARLY)
    if "s" in filters:
        creation.set_shuffle()
    if "z" in filters:
        creation.set_deflate(4)
    if "f" in filters:
        creation.set_fletcher32()
    limits = tuple(h5s.UNLIMITED if limit is None else limit for limit in maxshape or shape)
    space = h5s.create_simple(shape, limits)
    h5d.create(file.id, name.encode(), h5t.STD_I16BE, space, creation)
    if write:
        file[name][...] = numbers(shape)


def data_of(path):
    """The stretches of a file that are not holes."""
    with open(path, "rb") as file:
        length = os.fstat(file.fileno()).st_size
        begin = 0
        while begin < length:
            try:
                begin = os.lseek(file.fileno(), begin, os.SEEK_DATA)
            except OSError:
                return
            end = os.lseek(file.fileno(), begin, os.SEEK_HOLE)
            yield begin, np.frombuffer(os.pread(file.fileno(), end - begin, begin), dtype="u1")
            begin = end


def keep(name):
    """The bytes of a file, without its zeros."""
    path = f"{folder.name}/{name}"
    parts = []
    for begin, data in data_of(path):
        where = np.flatnonzero(data)
        for run in np.split(where, np.flatnonzero(np.diff(where) > GAP) + 1):
            if len(run):
                parts.append([begin + int(run[0]), data[run[0] : run[-1] + 1].tobytes().hex()])
    files[name] = {"length": os.stat(path).st_size, "parts": parts}


def every_index():
    with h5py.File(f"{folder.name}/index.h5", "w", libver="latest") as file:
        for filters in ("", "z", "szf", "f"):
            ending = "_" + filters
            make(file, "single" + ending, (7, 5), (7, 5), filters=filters)
            make(file, "fixed" + ending, (10, 9), (3, 4), filters=filters)
            make(file, "fixed_may_grow" + ending, (5, 7), (2, 2), maxshape=(11, 13), filters=filters)
            make(file, "extensible" + ending, (60, 3), (1, 2), maxshape=(None, 3), filters=filters)
            make(file, "extensible_last" + ending, (3, 20), (2, 1), maxshape=(5, None), filters=filters)
            make(file, "tree" + ending, (9, 8), (2, 3), maxshape=(None, None), filters=filters)
            make(file, "unwritten" + ending, (9, 8), (2, 3), filters=filters, write=False)
        make(file, "fixed_paged_f", (1030,), (1,), filters="f")
        make(file, "tree_deep_f", (11, 13), (1, 1), maxshape=(None, None), filters="f")
        make(file, "implicit", (10, 9), (3, 4), early=True)
        file["contiguous"] = numbers((4, 5))
    keep("index.h5")


def large_chunks():
    """Chunks of 4 GiB and more, with only their ends written."""
    size = 2**31 + 3
    kinds = {
        "single": ((1, size), (1, size)),
        "fixed": ((2, size), (2, size)),
        "implicit": ((2, size), (2, size)),
        "extensible": ((2, size), (None, size)),
        "tree": ((2, size), (None, None)),
    }
    with h5py.File(f"{folder.name}/large.h5", "w", libver="latest") as file:
        for name, (shape, limits) in kinds.items():
            creation = h5p.create(h5p.DATASET_CREATE)
            creation.set_chunk((1, size))
            creation.set_fill_time(h5d.FILL_TIME_NEVER)
            # HDF5 2.0.0 forgets where a single chunk of this size is when it is allocated late.
            if name in ("single", "implicit"):
                creation.set_alloc_time(h5d.ALLOC_TIME_EARLY)
            limits = tuple(h5s.UNLIMITED if limit is None else limit for limit in limits)
            h5d.create(file.id, name.encode(), h5t.STD_I16LE, h5s.create_simple(shape, limits), creation)
            file[name][-1, :3] = numbers((3,))
            file[name][-1, -4:] = numbers((4,))
            assert (file[name][-1, -5:] == [0, *numbers((4,))]).all()
        make(file, "unwritten", (10,), (2**33 + 1,), maxshape=(None,), write=False)
        make(file, "unwritten_z", (10,), (2**33 + 1,), maxshape=(None,), write=False, filters="z")
    keep("large.h5")


def types():
    with h5py.File(f"{folder.name}/types.h5", "w", libver="latest") as file:
        file["plain"] = numbers((4,))
        for name in ("F16LE", "F32BE", "F64LE"):
            kind = getattr(h5t, f"COMPLEX_IEEE_{name}")
            h5d.create(file.id, f"complex_{name}".encode(), kind, h5s.create_simple((3,)))
            h5py.h5a.create(file["plain"].id, f"complex_{name}".encode(), kind, h5s.create(h5s.SCALAR))
        file["plain"].attrs["units"] = "K"
        file["pairs"] = np.array([1 + 2j, 3 - 4j])
        file["text"] = np.array(["a", "bc"], dtype=h5py.string_dtype())
        file["flags"] = np.array([True, False])
        file["half"] = np.arange(3, dtype="f2")
        file["group/inner"] = numbers((2,))
    keep("types.h5")


every_index()
large_chunks()
types()
with open(OUTPUT, "w") as out:
    json.dump(files, out, separators=(",", ":"))
    out.write("\n")
print({name: (entry["length"], len(entry["parts"])) for name, entry in files.items()}, OUTPUT.stat().st_size)
