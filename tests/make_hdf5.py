"""Writes HDF5 files that the netCDF library cannot write, and expected.json with where h5py sees their chunks.

usage: make_hdf5.py DIRECTORY
"""

import json
import os
import sys

import h5py
import numpy as np

directory = sys.argv[1]
expected = {}


def path(name):
    return os.path.join(directory, name)


def chunk_places(dataset, userblock=0):
    """Chunk coordinates -> [offset, size, filter mask] for every written chunk.

    HDF5 1.10 lists the right places but gives them wrong coordinates when a dimension other than the first is
    unlimited, and forgets the user block. So a place belongs to the chunk whose bytes, read by coordinates, it holds.
    """
    with open(dataset.file.filename, "rb") as f:
        raw = f.read()
    offsets = {}
    for i in range(dataset.id.get_num_chunks()):
        info = dataset.id.get_chunk_info(i)
        for offset in (info.byte_offset, info.byte_offset + userblock):
            offsets[raw[offset : offset + info.size]] = offset
    places = {}
    for at in np.ndindex(*[-(-size // chunk) for size, chunk in zip(dataset.shape, dataset.chunks)]):
        try:
            mask, data = dataset.id.read_direct_chunk([i * c for i, c in zip(at, dataset.chunks)])
        except (OSError, RuntimeError, ValueError):
            continue
        places[",".join(map(str, at))] = [offsets[data], len(data), mask]
    assert len(places) == dataset.id.get_num_chunks(), dataset.name
    return places


def chunk_kinds():
    for libver in ("earliest", "latest"):
        name = f"chunks_{libver}.h5"
        with h5py.File(path(name), "w", libver=libver) as f:
            def make(key, shape, chunks, maxshape=None, fill=True, early=False, **kw):
                dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                dcpl.set_chunk(chunks)
                if early:
                    dcpl.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
                if kw.get("gzip"):
                    dcpl.set_shuffle()
                    dcpl.set_deflate(4)
                limits = tuple(h5py.h5s.UNLIMITED if m is None else m for m in (maxshape or shape))
                space = h5py.h5s.create_simple(shape, limits)
                h5py.h5d.create(f.id, key.encode(), h5py.h5t.NATIVE_INT32, space, dcpl)
                if fill:
                    f[key][...] = np.arange(np.prod(shape), dtype="i4").reshape(shape)

            for gzip in (False, True):
                z = "_gzip" if gzip else ""
                make("single" + z, (7, 5), (7, 5), gzip=gzip)
                make("fixed" + z, (10, 9), (3, 4), gzip=gzip)
                make("fixed_paged" + z, (1500, 2), (1, 1), gzip=gzip)
                make("fixed_may_grow" + z, (5, 7), (2, 2), maxshape=(11, 13), gzip=gzip)
                make("extensible" + z, (700, 3), (1, 2), maxshape=(None, 3), gzip=gzip)
                make("extensible_last" + z, (3, 300), (2, 1), maxshape=(5, None), gzip=gzip)
                make("btree2" + z, (9, 8), (2, 3), maxshape=(None, None), gzip=gzip)
                make("btree2_deep" + z, (90, 30), (1, 1), maxshape=(None, None), gzip=gzip)
                make("unwritten" + z, (9, 8), (2, 3), fill=False, gzip=gzip)
                make("sparse" + z, (100, 100), (10, 10), maxshape=(None, 100), fill=False, gzip=gzip)
                f["sparse" + z][35, 47] = 1
                f["sparse" + z][95, 3] = 1
            make("implicit", (10, 9), (3, 4), early=True)
            make("implicit_may_grow", (5, 7), (2, 2), maxshape=(11, 13), early=True)
        with h5py.File(path(name), "r") as f:
            expected[name] = {k: {"shape": d.shape, "chunk": d.chunks, "places": chunk_places(d)} for k, d in f.items()}


def userblock():
    with h5py.File(path("userblock.h5"), "w", userblock_size=1024) as f:
        f.create_dataset("x", data=np.arange(6, dtype="i2"), chunks=(2,))
        f.create_dataset("y", data=np.arange(6, dtype="i2"))
    with h5py.File(path("userblock.h5"), "r") as f:
        offset = f["y"].id.get_offset()
        expected["userblock.h5"] = {"y_offset": offset, "places": chunk_places(f["x"], 1024)}


NUMBERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")


def types(libver):
    name = f"types_{libver}.h5"
    offsets = {}
    with h5py.File(path(name), "w", libver=libver) as f:
        for code in NUMBERS:
            for order in "<>":
                key = code + ("le" if order == "<" else "be")
                f.create_dataset(key, data=np.array([1, 2, 3], dtype=order + code), fillvalue=7)
                f.attrs.create(key, np.array([1, 2, 100], dtype=order + code))
        f.create_dataset("char", data=np.array([b"a", b"b"], dtype="S1"))
        f.create_dataset("fixed", data=np.array([b"ab", b"cde", b""], dtype="S4"))
        kind = h5py.h5t.C_S1.copy()
        kind.set_size(4)
        kind.set_strpad(h5py.h5t.STR_SPACEPAD)
        space = h5py.h5s.create_simple((2,))
        blank = h5py.h5d.create(f.id, b"blank", kind, space)
        blank.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([b"ab  ", b"cdef"], dtype="S4"))
        f.create_dataset("vlen", data=["one", "", "dr\u00fcei"], dtype=h5py.string_dtype())
        f.create_dataset("enum", data=np.array([0, 1], "i2"), dtype=h5py.enum_dtype({"a": 0, "b": 1}, basetype="i2"))
        f.create_dataset("bool", data=np.array([True, False]))
        f.create_dataset("scalar", data=np.float64(2.5))
        f.create_dataset("compound", data=np.zeros(2, dtype=[("a", "i4"), ("b", "f8")]))
        f.create_dataset("half", data=np.zeros(2, dtype="f2"))
        f.create_dataset("opaque", data=np.zeros(2, dtype="V5"))
        odd = h5py.h5t.STD_I32LE.copy()
        odd.set_precision(24)
        h5py.h5d.create(f.id, b"odd_precision", odd, space)
        dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        dcpl.set_layout(h5py.h5d.COMPACT)
        compact = h5py.h5d.create(f.id, b"compact", h5py.h5t.STD_I16BE, space, dcpl)
        compact.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([258, 3], dtype="i2"))
        h5py.h5d.create(f.id, b"never_written", h5py.h5t.NATIVE_INT32, space)
        f.create_dataset("external", shape=(2,), dtype="i4", external=[(path("raw.bin"), 0, 8)])
        layout = h5py.VirtualLayout(shape=(2,), dtype="i4")
        layout[:] = h5py.VirtualSource("other.h5", "x", shape=(2,))
        f.create_virtual_dataset("virtual", layout)
        f["a_type"] = np.dtype("f8")
        a = f.attrs
        a["text"] = np.bytes_(b"fixed text")
        a["vlen_text"] = "vlen \u00b5"
        a["vlen_list"] = ["p", "qr", ""]
        a["fixed_list"] = np.array([b"ab", b"c"], dtype="S3")
        a["nothing"] = h5py.Empty("f4")
        a["scalar"] = np.int16(-5)
        a.create("committed", 2.5, dtype=f["a_type"])
        a["compound"] = np.zeros(1, dtype=[("a", "i4")])
        a["two_by_two"] = np.array([[1, 2], [3, 4]], dtype="i4")
    with h5py.File(path(name), "r") as f:
        for key in ("fixed", "blank", "vlen"):
            offsets[key] = f[key].id.get_offset()
    expected[name] = {"offsets": offsets}


def links(libver):
    with h5py.File(path(f"links_{libver}.h5"), "w", libver=libver) as f:
        f["real"] = np.arange(3, dtype="i4")
        g = f.create_group("g")
        g["inner"] = np.arange(4, dtype="i4")
        g["up"] = f["/"]
        f["soft"] = h5py.SoftLink("/g/inner")
        f["soft_of_soft"] = h5py.SoftLink("g/relative")
        g["relative"] = h5py.SoftLink("inner")
        f["dangling"] = h5py.SoftLink("/nowhere")
        f["loop"] = h5py.SoftLink("/loop")
        f["external"] = h5py.ExternalLink("other.h5", "/x")
        f["again"] = f["real"]
        many = f.create_group("many")
        for i in range(60):
            many[f"v{i:02}"] = np.int32(i)
        attributes = f.create_group("attributes")
        for i in range(60):
            attributes.attrs[f"a{i:02}"] = np.int32(i)
        attributes.attrs["long"] = np.arange(5000, dtype="f8") if libver == "latest" else np.arange(50, dtype="f8")
        ordered = f.create_group("ordered", track_order=True)
        for name in ("zeta", "alpha", "mu"):
            ordered[name] = np.int32(0)


def scales():
    with h5py.File(path("scales.h5"), "w") as f:
        f["x"] = np.arange(4, dtype="f4")
        f["x"].make_scale("x")
        f["wrong"] = np.arange(9, dtype="f4")
        f["wrong"].make_scale("wrong")
        f["data"] = np.zeros((4, 5), dtype="f4")
        f["data"].dims[0].attach_scale(f["x"])
        f["mismatch"] = np.zeros((4, 5), dtype="f4")
        f["mismatch"].dims[1].attach_scale(f["wrong"])
        f["plain"] = np.zeros((5, 6), dtype="f4")
        t = f.create_dataset("t", (7,), maxshape=(None,), dtype="f8", chunks=(4,))
        t.make_scale("t")
        short = f.create_dataset("short", (3, 4), maxshape=(None, 4), dtype="f4", chunks=(2, 4))
        short.dims[0].attach_scale(t)
        short.dims[1].attach_scale(f["x"])
        sub = f.create_group("sub")
        sub["alone"] = np.zeros(6, dtype="f4")


chunk_kinds()
userblock()
for version in ("earliest", "latest"):
    types(version)
    links(version)
scales()
with open(path("expected.json"), "w") as out:
    json.dump(expected, out)
