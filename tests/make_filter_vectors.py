#!/usr/bin/env python3
"""Writes tests/data/filters.json: chunks as the reference libraries write them, with what they decode to.

Run in a fresh environment (needs the network once; the tests themselves do not):

    python3 -m venv venv && venv/bin/pip install h5py hdf5plugin blosc numpy
    venv/bin/python tests/make_filter_vectors.py

The file was made with h5py 3.16.0 (HDF5 2.0.0, with szip), hdf5plugin 7.1.0 and blosc 1.11.4. Each entry has the
filters with the parameters that libhdf5 stored, the filter mask, the size of an element, the raw chunk in hexadecimal,
and the length and CRC-32 of the bytes that libhdf5 itself gives for it (which need not be those written: some filters
are lossy).
"""

import json
import pathlib
import zlib

import blosc as blosc_library
import hdf5plugin
import numpy as np
from h5py import h5d, h5f, h5p, h5s, h5t, h5z

OUTPUT = pathlib.Path(__file__).parent / "data" / "filters.json"
vectors = []


def numbers(dtype, count, kind="smooth"):
    """Test data by formula."""
    dtype = np.dtype(dtype)
    i = np.arange(count, dtype=np.int64)
    if kind == "constant":
        values = np.full(count, 7, dtype=np.int64)
    elif kind == "noise":
        values = (i * 2654435761 % 4294967296) >> 7
    elif kind == "sparse":
        values = np.where(i % 97 == 0, i, 0)
    elif kind == "rare":
        values = np.where(i % 997 == 0, i, 0)
    elif kind == "coarse":
        values = i // 29 * 7 % 300 + i % 5
    elif kind == "steps":
        values = i // 13 - 20
    else:
        values = 3 * i // 5 + i * i % 7
    if dtype.kind == "f":
        return (values / 8 - 12.5).astype(dtype)
    return values.astype(dtype)


def add(name, data, build, file_type=None, fill=None, chunk=None):
    """Writes one chunk with the filters that `build` sets, or as it is given, and keeps it."""
    file_type = file_type or h5t.py_create(data.dtype)
    file = h5f.create(b"vector.h5", h5f.ACC_TRUNC, fapl=in_memory())
    dcpl = h5p.create(h5p.DATASET_CREATE)
    dcpl.set_chunk(data.shape)
    if fill is not None:
        dcpl.set_fill_value(np.array(fill, dtype=data.dtype))
    build(dcpl)
    dataset = h5d.create(file, b"x", file_type, h5s.create_simple(data.shape), dcpl)
    if chunk is None:
        dataset.write(h5s.ALL, h5s.ALL, data)
    else:
        dataset.write_direct_chunk((0,) * data.ndim, chunk)
    h5f.flush(file)
    size = file_type.get_size()
    decoded = np.zeros(data.shape, dtype=f"V{size}")
    dataset.close()
    dataset = h5d.open(file, b"x")
    dataset.read(h5s.ALL, h5s.ALL, decoded, file_type)
    decoded = decoded.tobytes()
    mask, chunk = dataset.read_direct_chunk((0,) * data.ndim)
    plist = dataset.get_create_plist()
    filters = [plist.get_filter(i) for i in range(plist.get_nfilters())]
    vectors.append({
        "name": name,
        "filters": [[number, list(parameters)] for number, _, parameters, _ in filters],
        "mask": mask,
        "element_size": size,
        "len": len(decoded),
        "crc32": zlib.crc32(decoded),
        "chunk": bytes(chunk).hex(),
    })
    file.close()


def in_memory():
    fapl = h5p.create(h5p.FILE_ACCESS)
    fapl.set_fapl_core(1 << 16, False)
    return fapl


def plugin(options):
    def build(dcpl):
        dcpl.set_filter(options.filter_id, h5z.FLAG_OPTIONAL, options.filter_options)
    return build


def standard():
    def build(*steps):
        def run(dcpl):
            for step, *arguments in steps:
                getattr(dcpl, step)(*arguments)
        return run

    data = numbers("<f4", 700)
    add("deflate", data, build(("set_deflate", 4)))
    add("shuffle", numbers("<i4", 101), build(("set_shuffle",)))
    add("fletcher32", numbers("<u1", 1001), build(("set_fletcher32",)))
    for dtype in ["<i2", "<f4", "<f8", ">f4", "<i8"]:
        add(f"shuffle deflate fletcher32 {dtype}", numbers(dtype, 777),
            build(("set_shuffle",), ("set_deflate", 9), ("set_fletcher32",)))
    add("fletcher32 deflate", data, build(("set_fletcher32",), ("set_deflate", 1)))
    add("deflate twice", data, build(("set_deflate", 1), ("set_filter", 1, 0, (9,))))
    add("deflate twice on noise", numbers("<u4", 3, "noise"), build(("set_deflate", 1), ("set_filter", 1, 0, (9,))))
    add("lzf", data, lambda dcpl: (dcpl.set_shuffle(), dcpl.set_filter(h5z.FILTER_LZF, h5z.FLAG_OPTIONAL)))
    add("lzf long runs", numbers("<i4", 4000, "sparse"), lambda dcpl: dcpl.set_filter(h5z.FILTER_LZF, 1))
    add("lzf left out", numbers("<u4", 50, "noise"), lambda dcpl: dcpl.set_filter(h5z.FILTER_LZF, 1))


def szip():
    for coding, option in [("nn", h5z.SZIP_NN_OPTION_MASK), ("ec", h5z.SZIP_EC_OPTION_MASK)]:
        for dtype in ["<u1", "<i2", ">i2", "<i4", ">i4", "<f4", "<f8", ">f8"]:
            for kind, block in [("smooth", 8), ("sparse", 16), ("noise", 32), ("constant", 4)]:
                add(f"szip {coding} {dtype} {kind} {block}", numbers(dtype, 170, kind),
                    lambda dcpl: dcpl.set_szip(option, block))
        add(f"szip {coding} 2-d", numbers("<i2", 13 * 37).reshape(13, 37), lambda dcpl: dcpl.set_szip(option, 10))
        add(f"szip {coding} long", numbers("<u2", 20000, "rare"), lambda dcpl: dcpl.set_szip(option, 32))
        add(f"szip {coding} small steps", numbers("<i2", 1000, "steps"), lambda dcpl: dcpl.set_szip(option, 8))
        for bits in [3, 12, 20, 31]:
            dtype = "<i2" if bits < 16 else "<i4"
            if bits == 3:
                dtype = "<i1"
            kind = h5t.py_create(np.dtype(dtype)).copy()
            kind.set_precision(bits)
            data = (numbers(dtype, 200) % (1 << (bits - 1))).astype(dtype)
            add(f"szip {coding} {bits} bits", data, lambda dcpl: dcpl.set_szip(option, 16), file_type=kind)
    add("szip shuffle fletcher32", numbers("<i4", 400), lambda dcpl: (
        dcpl.set_shuffle(), dcpl.set_szip(h5z.SZIP_NN_OPTION_MASK, 16), dcpl.set_fletcher32()))


def nbit():
    def set_nbit(dcpl):
        dcpl.set_filter(5, h5z.FLAG_OPTIONAL)

    for dtype, precision, offset in [
        ("<i2", 12, 0), ("<i2", 12, 3), (">i2", 12, 0), (">i2", 9, 4), ("<u1", 3, 0), ("<u1", 3, 4), ("<i4", 17, 0),
        ("<i4", 16, 8), (">i4", 17, 5), ("<i4", 8, 8), ("<u8", 40, 0), (">u8", 33, 7), ("<u8", 1, 63), ("<i8", 63, 0),
        ("<i4", 32, 0),
    ]:
        kind = h5t.py_create(np.dtype(dtype)).copy()
        # The order matters to libhdf5: neither step may leave the type.
        kind.set_precision(precision)
        kind.set_offset(offset)
        add(f"nbit {dtype} {precision} bits at {offset}", numbers(dtype, 123, "steps"), set_nbit, file_type=kind)
    kind = h5t.IEEE_F32LE.copy()
    kind.set_fields(26, 20, 6, 7, 13)
    kind.set_offset(7)
    kind.set_precision(20)
    kind.set_size(4)
    kind.set_ebias(31)
    add("nbit 20-bit float", numbers("<f4", 123), set_nbit, file_type=kind)
    add("nbit text", np.array([b"ab", b"cde", b"", b"f"], dtype="S3"), set_nbit)
    kind = h5t.STD_I16LE.copy()
    kind.set_precision(11)
    add("nbit deflate", numbers("<i2", 500), lambda dcpl: (set_nbit(dcpl), dcpl.set_deflate(6)), file_type=kind)


def scale_offset():
    integer, decimal = h5z.SO_INT, h5z.SO_FLOAT_DSCALE
    for dtype in ["<i1", "<u1", "<i2", ">i2", "<u2", "<i4", ">i4", "<u4", "<i8", ">i8", "<u8"]:
        data = (numbers(dtype, 150, "steps") % 90).astype(dtype)
        for bits in [0, 7]:
            add(f"scaleoffset {dtype} {bits}", data, lambda dcpl: dcpl.set_scaleoffset(integer, bits))
        masked = data.copy()
        masked[::11] = 99
        add(f"scaleoffset {dtype} fill", masked, lambda dcpl: dcpl.set_scaleoffset(integer, 0), fill=99)
    add("scaleoffset negative", numbers("<i2", 200, "steps"), lambda dcpl: dcpl.set_scaleoffset(integer, 0))
    add("scaleoffset constant", numbers("<i4", 50, "constant"), lambda dcpl: dcpl.set_scaleoffset(integer, 0))
    add("scaleoffset constant fill", numbers("<i4", 50, "constant"),
        lambda dcpl: dcpl.set_scaleoffset(integer, 0), fill=7)
    add("scaleoffset all bits asked", numbers("<i4", 50), lambda dcpl: dcpl.set_scaleoffset(integer, 32))
    extremes = np.array([-2**31, 2**31 - 1, 0, 5], dtype="<i4")
    add("scaleoffset all bits needed", extremes, lambda dcpl: dcpl.set_scaleoffset(integer, 0))
    add("scaleoffset all bits needed, big-endian", extremes.astype(">i4"),
        lambda dcpl: dcpl.set_scaleoffset(integer, 0))
    for dtype in ["<f4", ">f4", "<f8", ">f8"]:
        data = (np.sin(np.arange(200) / 9) * 123.4).astype(dtype)
        for digits in [0, 2, 4]:
            add(f"scaleoffset {dtype} {digits} digits", data,
                lambda dcpl: dcpl.set_scaleoffset(decimal, digits))
        masked = data.copy()
        masked[3::7] = 1e20
        add(f"scaleoffset {dtype} fill", masked, lambda dcpl: dcpl.set_scaleoffset(decimal, 3), fill=1e20)
        wide = (data.astype("f8") * 1e30).astype(dtype)
        add(f"scaleoffset {dtype} too wide", wide, lambda dcpl: dcpl.set_scaleoffset(decimal, 3))
    add("scaleoffset shuffle deflate", numbers("<i4", 500),
        lambda dcpl: (dcpl.set_scaleoffset(integer, 0), dcpl.set_shuffle(), dcpl.set_deflate(4)))


def blosc():
    for codec in ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"]:
        for shuffle, mode in enumerate(["plain", "bytes", "bits"]):
            build = plugin(hdf5plugin.Blosc(cname=codec, clevel=5, shuffle=shuffle))
            # Enough for several blocks, split or not as the codec has it, and a shorter one at the end.
            add(f"blosc {codec} {mode} blocks", numbers("<i4", 17300, "rare"),
                plugin(hdf5plugin.Blosc(cname=codec, clevel=1, shuffle=shuffle)))
            for dtype in ["<i2", "<f8"]:
                add(f"blosc {codec} {mode} {dtype}", numbers(dtype, 648, "coarse"), build)
            add(f"blosc {codec} {mode} <i4 odd count", numbers("<i4", 403, "coarse"), build)
            text = np.array([b"%05d" % (i // 13) for i in range(352)], dtype="S5")
            add(f"blosc {codec} {mode} text", text, build)
    runs = bytes(i * i * 7919 % 251 for i in range(1500) for _ in range(7))
    for codec in ["blosclz", "lz4"]:
        add(f"blosc {codec} far matches", np.frombuffer(runs * 3, dtype="u1"),
            plugin(hdf5plugin.Blosc(cname=codec, clevel=9, shuffle=0)))
    for clevel in [0, 9]:
        data = numbers("<u4", 100, "noise")
        stored = blosc_library.compress(data.tobytes(), typesize=4, clevel=clevel)
        add(f"blosc stored {clevel}", data, plugin(hdf5plugin.Blosc()), chunk=stored)
    add("blosc small", numbers("<i4", 40, "rare"), plugin(hdf5plugin.Blosc(cname="lz4", clevel=9)))
    add("blosc fletcher32", numbers("<i4", 200),
        lambda dcpl: (plugin(hdf5plugin.Blosc())(dcpl), dcpl.set_fletcher32()))


def others():
    data = numbers("<f4", 3001, "coarse")
    noise = numbers("<u4", 300, "noise")
    add("lz4", data, plugin(hdf5plugin.LZ4()))
    add("lz4 blocks", data, plugin(hdf5plugin.LZ4(nbytes=1024)))
    add("lz4 noise", noise, plugin(hdf5plugin.LZ4(nbytes=512)))
    add("shuffle lz4", data, lambda dcpl: (dcpl.set_shuffle(), plugin(hdf5plugin.LZ4())(dcpl)))
    add("zstd", data, plugin(hdf5plugin.Zstd(clevel=7)))
    add("zstd noise", noise, plugin(hdf5plugin.Zstd()))
    add("shuffle zstd fletcher32", data,
        lambda dcpl: (dcpl.set_shuffle(), plugin(hdf5plugin.Zstd())(dcpl), dcpl.set_fletcher32()))
    add("bzip2", data, plugin(hdf5plugin.BZip2(blocksize=1)))
    add("shuffle bzip2", data, lambda dcpl: (dcpl.set_shuffle(), plugin(hdf5plugin.BZip2())(dcpl)))
    for codec in ["none", "lz4", "zstd"]:
        for dtype in ["<u1", "<i2", "<f4", "<f8"]:
            add(f"bitshuffle {codec} {dtype}", numbers(dtype, 203), plugin(hdf5plugin.Bitshuffle(cname=codec)))
        add(f"bitshuffle {codec} blocks", numbers("<i4", 203), plugin(hdf5plugin.Bitshuffle(nelems=64, cname=codec)))
        add(f"bitshuffle {codec} default blocks", numbers("<i4", 2061, "sparse"),
            plugin(hdf5plugin.Bitshuffle(cname=codec)))
        add(f"bitshuffle {codec} few", numbers("<i4", 5), plugin(hdf5plugin.Bitshuffle(cname=codec)))


if __name__ == "__main__":
    for group in [standard, szip, nbit, scale_offset, blosc, others]:
        group()
    OUTPUT.parent.mkdir(exist_ok=True)
    lines = ",\n".join(json.dumps(vector, separators=(",", ":")) for vector in vectors)
    OUTPUT.write_text(f"[\n{lines}\n]\n")
    print(f"{len(vectors)} vectors, {OUTPUT.stat().st_size} bytes")
