"""Aggregation files and fragments on a server have the same values as on this machine."""
import unittest
import urllib.parse

import numpy as np
from netCDF4 import Dataset

import files
from served import PRIVATE, Served, run

STORAGE = {
    "classic": dict(format="NETCDF3_CLASSIC"),
    "64-bit offset": dict(format="NETCDF3_64BIT_OFFSET"),
    "CDF-5": dict(format="NETCDF3_64BIT_DATA"),
    "contiguous": dict(format="NETCDF4", contiguous=True),
    "chunked": dict(format="NETCDF4", chunksizes=(3, 50)),
    "compressed": dict(format="NETCDF4", zlib=True, shuffle=True, fletcher32=True, chunksizes=(7, 60)),
}


class Reading(Served):
    def test_an_aggregation_on_a_server_with_relative_fragments(self):
        for dialect in ("CF-1.13", "CFA-0.6.2"):
            with self.subTest(dialect):
                data = files.sample(self.www, dialect=dialect)
                self.assert_same(self.read(self.url("agg.nc")), data)
                self.assert_same(self.read(self.www / "agg.nc"), data)

    def test_every_kind_of_storage_whole_and_in_part(self):
        noise = np.random.default_rng(3)
        # Less than a block of the client, more than one, and more than it ever keeps.
        for size, shape in (("small", (8, 100)), ("of 160 KB", (20, 1000)), ("of 2.4 MB", (30, 10000))):
            parts = [noise.uniform(200, 300, shape) for _ in range(2)]
            for kind, how in STORAGE.items():
                with self.subTest(kind, size=size):
                    stem = f"{kind.replace(' ', '_')}_{shape[1]}"
                    names = [f"{stem}_{number}.nc" for number in range(2)]
                    for name, part in zip(names, parts):
                        files.fragment(self.www / name, part, **how)
                    files.aggregation(self.www / f"{stem}.nc", names, shape)
                    whole = np.concatenate(parts)
                    address, n = self.url(f"{stem}.nc"), shape[0]
                    if size != "of 2.4 MB":
                        self.assert_same(self.read(address), whole)
                    part = self.read(address, f"--start={n - 2},3", "--count=4,90", "--stride=1,1")
                    self.assert_same(part, whole[n - 2:n + 2, 3:93])
                    part = self.read(address, f"--start={n + 1},99", f"--count={n // 2},5", "--stride=-2,-20")
                    self.assert_same(part, whole[n + 1::-2, 99::-20][:n // 2, :5])
                    part = self.read(address, f"--start=0,{shape[1] - 1}", f"--count={2 * n},1")
                    self.assert_same(part, whole[:, -1:])

    def test_an_aggregation_of_aggregations(self):
        names, data = files.fragments(self.www / "inner" / "deep")
        files.aggregation(self.www / "inner/agg.nc", [f"deep/{name}" for name in names])
        files.aggregation(self.www / "agg.nc", ["inner/agg.nc"], data.shape)
        self.assert_same(self.read(self.url("agg.nc")), data)
        # A local file whose fragment is an aggregation on the server.
        files.aggregation(self.local / "agg.nc", [self.url("inner/agg.nc")], data.shape)
        self.assert_same(self.read(self.local / "agg.nc"), data)

    def test_names_with_blanks_and_other_characters(self):
        names = ["a b.nc", "\u00fcber.nc", "50%.nc", "h#sh.nc", "run:1.nc", "what?.nc", "a+b&c=d.nc", "a%20b.nc"]
        data = np.concatenate([files.fragment(self.www / name, files.values(k)) for k, name in enumerate(names)])
        files.aggregation(self.www / "all of it.nc", [urllib.parse.quote(name) for name in names])
        files.aggregation(self.www / "absolute.nc", [self.url(urllib.parse.quote(name)) for name in names])
        for name in ("all%20of%20it.nc", "all of it.nc", "absolute.nc"):
            with self.subTest(name):
                self.assert_same(self.read(self.url(name)), data)
        # Names that were never encoded, as many writers leave them. This one is another name when it is decoded.
        plain = names[:-1]
        files.aggregation(self.www / "literal.nc", plain)
        self.assert_same(self.read(self.url("literal.nc")), data[:len(plain) * files.TIMES])

    def test_names_that_go_up_and_down(self):
        names, data = files.fragments(self.www / "data")
        files.aggregation(self.www / "index/sub/agg.nc", [f"../../data/./{name}" for name in names])
        self.assert_same(self.read(self.url("index/sub/agg.nc")), data)

    def test_a_local_aggregation_with_fragments_here_and_there(self):
        here = files.fragment(self.local / "here.nc", files.values(0))
        there = files.fragment(self.www / "there.nc", files.values(1), format="NETCDF3_CLASSIC")
        data = np.concatenate([here, there, there, here])
        for dialect in ("CF-1.13", "CFA-0.6.2"):
            names = ["here.nc", self.url("there.nc"), self.url("there.nc", port=self.server.secure_port),
                     f"file://{self.local}/here.nc"]
            files.aggregation(self.local / "agg.nc", names, dialect=dialect)
            got = self.read(self.local / "agg.nc", SSL_CERT_FILE=str(self.server.certificates))
            self.assert_same(got, data)

    def test_substitutions_and_an_archive_that_moved_may_lead_to_a_server(self):
        names, data = files.fragments(self.www)
        files.aggregation(self.local / "agg.nc", [f"${{archive}}/{name}" for name in names])
        got = self.read(self.local / "agg.nc", "--substitution", f"${{archive}}={self.url('')}")
        self.assert_same(got, data)
        files.aggregation(self.local / "old.nc", [f"file:///old/{name}" for name in names])
        self.assert_same(self.read(self.local / "old.nc", CFA_RELOCATE=f"/old={self.url('')[:-1]}"), data)

    def test_the_other_verbs_read_from_a_server(self):
        data = files.sample(self.www)
        for words in (["info", self.url("agg.nc")], ["check", self.url("agg.nc"), "--fragments"],
                      ["extract", self.url("agg.nc"), str(self.local / "plain.nc")],
                      ["convert", self.url("agg.nc"), str(self.local / "converted.nc")]):
            with self.subTest(words[0]):
                done = run(*words, **PRIVATE)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assert_same(self.read(self.local / "converted.nc"), data)
        with Dataset(self.local / "plain.nc") as plain:
            self.assert_same(plain["tas"][...], data)

    def test_many_threads_give_the_same_values(self):
        shape = (16, 500)
        how = dict(zlib=True, chunksizes=(3, 70))
        parts = [files.fragment(self.www / f"p{k}.nc", files.values(k, shape), **how) for k in range(24)]
        files.aggregation(self.www / "agg.nc", [f"p{k}.nc" for k in range(24)], shape)
        for threads in ("1", "8"):
            got = self.read(self.url("agg.nc"), CFA_NUM_THREADS=threads, CFA_MAX_OPEN_FILES="5")
            self.assert_same(got, np.concatenate(parts))


if __name__ == "__main__":
    unittest.main()
