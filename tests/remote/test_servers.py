"""Servers of many kinds: without the file, without parts of files, busy; and how often they are asked."""
import threading
import unittest

import numpy as np

import files
from served import Served


class Absent(Served):
    def test_a_fragment_that_is_not_there_is_an_error_or_filled(self):
        data = files.fragment(self.www / "f0.nc", files.values(0))
        local = files.aggregation(self.local / "agg.nc", [self.url("f0.nc"), self.url("none.nc")])
        files.aggregation(self.www / "agg.nc", ["f0.nc", "none.nc"])
        for name in (local, self.url("agg.nc")):
            message = self.refused(name, "fragment-missing")
            self.assertIn("none.nc", message)
            got = self.read(name, CFA_MISSING_FRAGMENTS="FILL")
            self.assert_same(got[:files.TIMES], data)
            self.assertTrue(np.isnan(got[files.TIMES:]).all())

    def test_the_next_version_is_taken(self):
        data = files.fragment(self.www / "second.nc", files.values(0))
        files.fragment(self.www / "third.nc", files.values(9))
        versions = (self.url("first.nc"), self.url("second.nc"), self.url("third.nc"))
        local = files.aggregation(self.local / "agg.nc", [versions], dialect="CFA-0.6.2")
        self.assert_same(self.read(local), data)

    def test_a_local_version_comes_before_those_on_servers(self):
        files.fragment(self.www / "first.nc", files.values(9))
        data = files.fragment(self.local / "second.nc", files.values(0))
        local = files.aggregation(self.local / "agg.nc", [(self.url("first.nc"), "second.nc")], dialect="CFA-0.6.2")
        self.assert_same(self.read(local), data)
        self.assertEqual(self.server.requests(), [])

    def test_an_aggregation_that_is_not_there_is_an_error(self):
        self.assertIn("no such file", self.refused(self.url("agg.nc"), "io"))
        self.assertIn("none.invalid", self.refused("http://none.invalid/agg.nc", "io"))

    def test_nobody_answers(self):
        message = self.refused(self.url("agg.nc", port=1), "io")
        self.assertIn("no connection", message)

    def test_what_is_no_netcdf_file_is_an_error(self):
        (self.www / "page.nc").write_text("<html>not found</html>")
        (self.www / "empty.nc").write_text("")
        for name in ("page.nc", "empty.nc"):
            files.aggregation(self.local / "agg.nc", [self.url(name)])
            self.refused(self.local / "agg.nc", "fragment-unreadable")


class Ways(Served):
    def test_a_server_without_parts_of_files_gives_small_files(self):
        data = files.sample(self.www)
        self.assert_same(self.read(self.url("agg.nc", "whole/")), data)
        self.assertEqual({request.status for request in self.server.requests()}, {"200"})

    def test_a_server_without_parts_of_files_gives_no_long_file(self):
        shape = (1, 2_200_000)
        files.fragment(self.www / "long.nc", np.ones(shape), format="NETCDF3_CLASSIC")
        local = files.aggregation(self.local / "agg.nc", [self.url("long.nc", "whole/")], shape)
        message = self.refused(local, "fragment-unreadable", "--count=1,1")
        self.assertIn("longer than 16 MB", message)
        self.assertEqual(len(self.server.requests()), 1)

    def test_a_server_that_compresses_is_an_error_or_gives_the_data(self):
        names, data = files.fragments(self.www)
        local = files.aggregation(self.local / "agg.nc", [self.url(name, "compressed/") for name in names])
        self.assertIn("compresses", self.refused(local, "fragment-unreadable"))
        # Both are opened at the same time, and neither is asked for again.
        self.assertEqual(len(self.server.requests()), len(names))

    def test_a_busy_server_is_asked_again(self):
        data = files.sample(self.www)
        busy = self.server.folder / "busy"
        busy.touch()
        timer = threading.Timer(0.5, busy.unlink)
        timer.start()
        self.addCleanup(timer.join)
        self.assert_same(self.read(self.url("agg.nc", "busy/")), data)
        found = [request.status for request in self.server.requests()]
        self.assertIn("503", found)
        self.assertLess(len(found), 10)

    def test_a_server_that_stays_busy_is_an_error(self):
        files.sample(self.www)
        busy = self.server.folder / "busy"
        busy.touch()
        self.addCleanup(busy.unlink)
        message = self.refused(self.url("agg.nc", "busy/"), "io", CFA_HTTP_MAX_RETRY="1")
        self.assertIn("503", message)
        self.assertEqual(len(self.server.requests()), 2)


class Cost(Served):
    def requests_for(self, name, *words, **variables):
        self.server.requests()
        got = self.read(name, *words, **variables)
        return got, self.server.requests()

    def test_a_small_file_costs_one_request(self):
        for kind in ("NETCDF3_CLASSIC", "NETCDF4"):
            names, data = files.fragments(self.www, 5, format=kind)
            local = files.aggregation(self.local / "agg.nc", [self.url(name) for name in names])
            files.aggregation(self.www / "agg.nc", names)
            got, found = self.requests_for(local)
            self.assert_same(got, data)
            self.assertEqual(len(found), 5, found)
            got, found = self.requests_for(self.url("agg.nc"))
            self.assert_same(got, data)
            self.assertEqual(len(found), 6, found)

    def test_only_the_fragments_that_are_touched_are_asked_for(self):
        names, data = files.fragments(self.www, 5)
        local = files.aggregation(self.local / "agg.nc", [self.url(name) for name in names])
        got, found = self.requests_for(local, f"--start={2 * files.TIMES},0", "--count=1,1")
        self.assert_same(got, data[2 * files.TIMES:][:1, :1])
        self.assertEqual([request.path.rsplit("/")[-1] for request in found], ["f2.nc"])

    def test_a_long_variable_costs_few(self):
        shape = (10, 52429)
        # There are 110 chunks.
        for kind, most, how in (("classic", 30, dict(format="NETCDF3_CLASSIC")), ("contiguous", 30, dict(contiguous=True)),
                                ("chunked", 70, dict(zlib=True, chunksizes=(1, 5000)))):
            data = np.random.default_rng(1).uniform(size=shape)
            files.fragment(self.www / f"{kind}.nc", data, **how)
            local = files.aggregation(self.local / "agg.nc", [self.url(f"{kind}.nc")], shape)
            with self.subTest(kind):
                got, found = self.requests_for(local)
                self.assert_same(got, data)
                self.assertLess(len(found), most)

    def test_a_little_of_a_long_variable_costs_little(self):
        shape = (10, 52429)
        data = files.fragment(self.www / "long.nc", files.values(1, shape), format="NETCDF3_CLASSIC")
        local = files.aggregation(self.local / "agg.nc", [self.url("long.nc")], shape)
        got, found = self.requests_for(local, "--start=5,1000", "--count=1,10")
        self.assert_same(got, data[5:6, 1000:1010])
        self.assertEqual(len(found), 2, found)
        for request in found:
            first, last = map(int, request.range.split("=")[1].split("-"))
            self.assertLessEqual(last - first, 1 << 17)


if __name__ == "__main__":
    unittest.main()
