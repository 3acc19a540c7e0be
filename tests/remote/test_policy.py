"""What an aggregation file may make the program ask of servers, and what one on a server may name."""
import unittest

import numpy as np

import files
from apache import has_ipv6
from served import Served, answer, run


class PrivateNetwork(Served):
    """Servers on this machine are asked only where the user says so."""

    def test_no_request_reaches_this_machine(self):
        files.sample(self.www)
        hosts = ["127.0.0.1", "localhost", "0x7f.1", "2130706433", "127.1", "0"]
        for host in hosts + (["[::1]", "[::ffff:127.0.0.1]"] if has_ipv6() else []):
            local = files.aggregation(self.local / "agg.nc", [self.url("f0.nc", host=host), self.url("f1.nc", host=host)])
            for name in (self.url("agg.nc", host=host), local):
                for allowed in ("DEFAULT", "ALL", self.url("", host=host)):
                    with self.subTest(host, name=str(name), allowed=allowed):
                        got = answer(str(name), CFA_ALLOWED_SOURCES=allowed)
                        self.assertEqual(got.get("error"), "policy", got)
                        self.assertIn("ALLOW_PRIVATE_NETWORK=YES", got["message"])
        self.assertEqual(self.server.requests(), [])

    def test_each_verb_refuses(self):
        files.sample(self.www)
        for words in (["info", self.url("agg.nc")], ["check", self.url("agg.nc")],
                      ["extract", self.url("agg.nc"), str(self.local / "out.nc")]):
            with self.subTest(words[0]):
                done = run(*words)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("ALLOW_PRIVATE_NETWORK=YES", done.stdout + done.stderr)
        self.assertEqual(self.server.requests(), [])

    def test_with_the_setting_other_forms_of_the_address_are_the_same(self):
        data = files.sample(self.www)
        for host in ["localhost", "0x7f.1"] + (["[::1]"] if has_ipv6() else []):
            with self.subTest(host):
                self.assert_same(self.read(self.url("agg.nc", host=host)), data)


class RemoteAggregation(Served):
    """A file on a server may name files of its own origin; the user may allow more."""

    def setUp(self):
        super().setUp()
        self.here = files.fragment(self.local / "here.nc", files.values(0))
        self.there = files.fragment(self.www / "there.nc", files.values(1))
        self.data = np.concatenate([self.here, self.there])

    def check(self, location, dialect, allowing):
        """Names `location`, which has the data of the file here: refused unless a setting of `allowing` is given."""
        files.aggregation(self.www / "agg.nc", [location, "there.nc"], dialect=dialect)
        message = self.refused(self.url("agg.nc"), "policy")
        self.assertIn("ALLOWED_SOURCES", message)
        for setting in allowing:
            with self.subTest(location, setting=setting):
                self.assert_same(self.read(self.url("agg.nc"), CFA_ALLOWED_SOURCES=setting), self.data)
        with self.subTest(location, setting="SIBLINGS"):
            self.refused(self.url("agg.nc"), "policy", CFA_ALLOWED_SOURCES="SIBLINGS")

    def test_no_local_file(self):
        allowing = ["ALL", "LOCAL", f"{self.local};{self.url('')}", f"file://{self.local};{self.server.url('')}"]
        self.check(f"file://{self.local}/here.nc", "CF-1.13", allowing)
        self.check(f"file://localhost{self.local}/here.nc", "CFA-0.6.2", allowing)
        self.check(f"{self.local}/here.nc", "CFA-0.6.2", allowing)

    def test_a_local_file_that_is_not_there_is_refused_alike(self):
        for name in ("/no/such.nc", "/etc/passwd"):
            files.aggregation(self.www / "agg.nc", [f"file://{name}", "there.nc"])
            self.refused(self.url("agg.nc"), "policy", CFA_MISSING_FRAGMENTS="FILL")

    def test_no_other_origin(self):
        files.fragment(self.www / "here.nc", files.values(0))
        for other in (dict(port=self.server.other_port), dict(port=self.server.secure_port), dict(host="localhost")):
            self.server.requests()
            address = self.url("here.nc", **other)
            files.aggregation(self.www / "agg.nc", [address, "there.nc"])
            message = self.refused(self.url("agg.nc"), "policy")
            self.assertIn(address, message)
            self.assertEqual([r.path for r in self.server.requests() if "here.nc" in r.path and "there" not in r.path], [])
            for setting in ("ALL", f"{self.url('', **other)};{self.url('')}"):
                got = self.read(self.url("agg.nc"), CFA_ALLOWED_SOURCES=setting,
                                SSL_CERT_FILE=str(self.server.certificates))
                self.assert_same(got, self.data)
            for setting in ("SIBLINGS", "LOCAL", self.url(""), self.url("", **other)):
                self.refused(self.url("agg.nc"), "policy", CFA_ALLOWED_SOURCES=setting,
                             SSL_CERT_FILE=str(self.server.certificates))

    def test_an_aggregation_here_that_one_on_a_server_names_stays_restricted(self):
        files.aggregation(self.local / "inner.nc", ["here.nc"])
        files.aggregation(self.www / "agg.nc", [f"file://{self.local}/inner.nc"])
        self.refused(self.url("agg.nc"), "policy")
        # Allowed to be named, it is still not the user's own.
        allowed = f"{self.local}/inner.nc;{self.server.url('')}"
        self.refused(self.url("agg.nc"), "policy", CFA_ALLOWED_SOURCES=allowed)

    def test_an_aggregation_on_a_server_that_one_here_names_is_restricted(self):
        files.aggregation(self.www / "inner.nc", [f"file://{self.local}/here.nc"])
        local = files.aggregation(self.local / "agg.nc", [self.url("inner.nc")])
        self.assertIn("here.nc", self.refused(local, "policy"))
        self.assert_same(self.read(local, CFA_ALLOWED_SOURCES="ALL"), self.here)


class LocalAggregation(Served):
    def setUp(self):
        super().setUp()
        self.names, self.data = files.fragments(self.www / "open")

    def local_file(self, folder="open", **where):
        return files.aggregation(self.local / "agg.nc", [self.url(f"{folder}/{name}", **where) for name in self.names])

    def test_siblings_and_local_allow_no_server(self):
        local = self.local_file()
        self.assert_same(self.read(local), self.data)
        self.server.requests()
        for setting in ("SIBLINGS", "LOCAL", str(self.local), "/"):
            with self.subTest(setting):
                message = self.refused(local, "policy", CFA_ALLOWED_SOURCES=setting)
                self.assertIn("ALLOWED_SOURCES", message)
        self.assertEqual(self.server.requests(), [])

    def test_prefixes_are_whole_segments_of_one_origin(self):
        files.fragments(self.www / "opened")
        for prefix in (self.url("open"), self.url("open/"), self.url(""), self.server.url("")):
            with self.subTest(prefix):
                self.assert_same(self.read(self.local_file(), CFA_ALLOWED_SOURCES=prefix), self.data)
        for folder, prefix in (("opened", self.url("open")), ("open", self.url("op")), ("open", self.url("open/f0")),
                               ("open", self.url("open", port=self.server.other_port)),
                               ("open", self.url("open", host="localhost")),
                               ("open", f"http://127.0.0.1:{self.server.port}@example.org/")):
            with self.subTest(folder, prefix=prefix):
                self.refused(self.local_file(folder), "policy", CFA_ALLOWED_SOURCES=prefix)

    def test_no_way_leads_out_of_a_prefix(self):
        files.fragments(self.www / "closed")
        self.server.requests()
        for way in ("open/../closed", "open/%2e%2e/closed", "open/..%2fclosed", "open/..%2Fclosed", "open/x%2f..%2f..%2fclosed",
                    "open/..%5cclosed", "open/..\\closed", "open/%2e%2e%2fclosed", "open/./.%2e/closed", "open//../../closed"):
            with self.subTest(way):
                self.refused(self.local_file(way), "policy", CFA_ALLOWED_SOURCES=self.url("open"))
        self.assertEqual(self.server.requests(), [])


if __name__ == "__main__":
    unittest.main()
