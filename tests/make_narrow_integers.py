"""Writes integers that take only some of the bits of their bytes, and what libhdf5 reads of them.

usage: make_narrow_integers.py FILE

Each dataset is named SIZE_PRECISION_OFFSET_SIGN_ORDER_STORAGE. FILE.json has its values, as text.
"""

import json
import sys

import h5py
import numpy as np
from h5py import h5d, h5p, h5s, h5t, h5z

NBIT = 5
COUNT = 23
STORAGES = ("nbit", "nbit_deflate", "scaleoffset", "shuffle", "plain", "contiguous", "unwritten")
expected = {}


def integer(size, precision, offset, signed, big):
    kind = (h5t.STD_I64BE if big else h5t.STD_I64LE).copy()
    kind.set_sign(h5t.SGN_2 if signed else h5t.SGN_NONE)
    kind.set_precision(precision)
    kind.set_offset(offset)
    kind.set_size(size)
    return kind


def values(precision, signed):
    """The lowest and highest numbers and some between, the same for every way to store them."""
    low = -(1 << precision - 1) if signed else 0
    span = 1 << precision
    numbers = [low + (k * 11400714819323198485 + 77) % span for k in range(COUNT)]
    numbers[0], numbers[1] = low, low + span - 1
    return np.array(numbers, dtype="i8" if signed else "u8")


def add(file, size, precision, offset, signed, big, storage):
    name = f"{size}_{precision}_{offset}_{'i' if signed else 'u'}_{'be' if big else 'le'}_{storage}"
    if name in expected:
        return
    creation = h5p.create(h5p.DATASET_CREATE)
    numbers = values(precision, signed)
    if storage != "contiguous":
        creation.set_chunk((7,))
    if storage.startswith("nbit"):
        creation.set_filter(NBIT, 0)
    if storage == "nbit_deflate":
        creation.set_deflate(3)
    if storage == "scaleoffset" and size in (1, 2, 4, 8):
        creation.set_scaleoffset(h5z.SO_INT, 0)
    if storage == "shuffle":
        creation.set_shuffle()
        creation.set_deflate(3)
    creation.set_fill_value(numbers[2:3])
    kind = integer(size, precision, offset, signed, big)
    dataset = h5d.create(file.id, name.encode(), kind, h5s.create_simple((COUNT,)), creation)
    if storage != "unwritten":
        dataset.write(h5s.ALL, h5s.ALL, numbers)
    read = np.zeros_like(numbers)
    dataset.read(h5s.ALL, h5s.ALL, read)
    expected[name] = [str(n) for n in read]


with h5py.File(sys.argv[1], "w") as file:
    turn = 0
    for size in range(1, 9):
        for precision in range(1, 8 * size + 1):
            for signed in (True, False):
                # A sign needs a bit besides those of the number.
                if signed and precision == 1:
                    continue
                room = 8 * size - precision
                for big in (False, True):
                    turn += 1
                    offset = (turn * 5) % (room + 1)
                    add(file, size, precision, offset, signed, big, STORAGES[turn % len(STORAGES)])
    for storage in STORAGES:
        add(file, 4, 17, 0, True, False, storage)
        add(file, 3, 24, 0, False, True, storage)
    # Attributes have types of their own.
    kind = integer(4, 17, 6, True, True)
    attribute = h5py.h5a.create(file.id, b"narrow", kind, h5s.create_simple((3,)))
    attribute.write(np.array([-65536, 65535, 5], dtype="i8"))
    pair = np.dtype([("a", "i4"), ("b", "i2")])
    creation = h5p.create(h5p.DATASET_CREATE)
    creation.set_chunk((2,))
    creation.set_filter(NBIT, 0)
    h5d.create(file.id, b"pair", h5t.py_create(pair), h5s.create_simple((4,)), creation)
with open(sys.argv[1] + ".json", "w") as out:
    json.dump(expected, out)
