"""User names and passwords: where they go, and that nobody else sees them."""
import base64
import unittest
import urllib.parse

import files
from apache import PASSWORD, USER
from served import PRIVATE, Served, run

LOGIN = f"{USER}:{urllib.parse.quote(PASSWORD, safe='')}@"
HEADER = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
QUERY = "signature=hidden"


class Credentials(Served):
    def test_those_in_the_address_given_serve_for_relative_fragments_too(self):
        data = files.sample(self.www)
        self.assert_same(self.read(self.url("agg.nc", "private/", user=LOGIN)), data)
        found = self.server.requests()
        self.assertEqual(len(found), 3)
        self.assertEqual({(request.status, request.authorization) for request in found}, {("206", HEADER)})

    def test_without_them_the_error_says_where_they_go(self):
        files.sample(self.www)
        message = self.refused(self.url("agg.nc", "private/"), "io")
        self.assertIn("401", message)
        self.assertIn("ALLOWED_SOURCES", message)
        self.refused(self.url("agg.nc", "private/", user=f"{USER}:wrong@"), "io")

    def test_another_origin_does_not_get_them(self):
        names, data = files.fragments(self.www)
        other = self.server.other_port
        files.aggregation(self.www / "agg.nc", [self.url(name, port=other) for name in names])
        got = self.read(self.url("agg.nc", "private/", user=LOGIN), CFA_ALLOWED_SOURCES="ALL")
        self.assert_same(got, data)
        self.assertEqual([request.authorization for request in self.server.requests(other)], ["-", "-"])

    def test_where_a_server_leads_does_not_get_them(self):
        data = files.sample(self.www)
        self.assert_same(self.read(self.url("agg.nc", "elsewhere/", user=LOGIN)), data)
        found = self.server.requests()
        other = str(self.server.other_port)
        self.assertEqual({request.authorization for request in found if request.port == other}, {"-"})
        self.assertEqual({request.authorization for request in found if request.port != other}, {HEADER})

    def test_those_in_an_aggregation_file_are_not_used(self):
        names, _ = files.fragments(self.www)
        local = files.aggregation(self.local / "agg.nc", [self.url(name, "private/", user=LOGIN) for name in names])
        self.assertIn("401", self.refused(local, "fragment-unreadable"))
        self.assertEqual({request.authorization for request in self.server.requests()}, {"-"})

    def test_those_in_the_list_serve_for_what_it_allows(self):
        names, data = files.fragments(self.www)
        local = files.aggregation(self.local / "agg.nc", [self.url(name, "private/") for name in names])
        listed = self.server.url("private", user=LOGIN)
        self.assert_same(self.read(local, CFA_ALLOWED_SOURCES=listed), data)
        # Beside the prefix the request is anonymous.
        local = files.aggregation(self.local / "agg.nc", [self.url(name) for name in names])
        self.server.requests()
        self.read(local, CFA_ALLOWED_SOURCES=f"{listed};{self.server.url('')}")
        self.assertEqual({request.authorization for request in self.server.requests()}, {"-"})


class Secrets(Served):
    """Nothing that is printed shows a password or a query."""

    def assert_silent(self, *words, **variables):
        done = run(*words, **{**PRIVATE, **variables})
        for secret in ("sesame", "hidden", QUERY, USER + ":", HEADER[6:]):
            self.assertNotIn(secret, done.stdout + done.stderr, words[0])
        return done

    def test_when_all_is_well(self):
        names, _ = files.fragments(self.www)
        files.aggregation(self.www / "agg.nc", [f"{self.url(name, 'private/')}?{QUERY}" for name in names])
        address = self.url("agg.nc", "private/", user=LOGIN) + "?" + QUERY
        for words in (["info", address], ["info", address, "--json"], ["info", address, "tas", "--fragments"],
                      ["check", address, "--fragments"], ["check", address, "--fragments", "--json"], ["read", address, "tas"], ["read", address, "tas", "--json"],
                      ["read", address, "tas", "--csv"]):
            done = self.assert_silent(*words)
            self.assertEqual(done.returncode, 0, (words, done.stdout, done.stderr))
        # The server was sent what was not shown.
        self.assertTrue(all(request.path.endswith(QUERY) for request in self.server.requests()))

    def test_in_files_that_are_written(self):
        data = files.sample(self.www)
        address = self.url("agg.nc", "private/", user=LOGIN)
        converted = self.local / "converted.nc"
        done = self.assert_silent("convert", address, str(converted), "--dialect", "cfa-0.6.2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(b"sesame", converted.read_bytes())
        listed = self.server.url("private", user=LOGIN)
        self.assert_same(self.read(converted, CFA_ALLOWED_SOURCES=listed), data)

    def test_in_errors(self):
        names, _ = files.fragments(self.www, 1)
        secret = LOGIN.replace(":", ":hidden")
        locations = [self.url(name, below, user=secret, **where) + "?" + QUERY
                     for name, below, where in (("none.nc", "", {}), (names[0], "private/", {}), (names[0], "loop/", {}),
                                                (names[0], "inward/", {}), (names[0], "compressed/", {}),
                                                (names[0], "", dict(host="no.such.invalid")), (names[0], "", dict(port=1)),
                                                (names[0], "", dict(port=self.server.secure_port)))]
        for location in locations:
            local = files.aggregation(self.local / "agg.nc", [location])
            remote = files.aggregation(self.www / "agg.nc", [location])
            for name in (str(local), location, self.url(remote.name, user=secret) + "?" + QUERY):
                for verb in (["read", name, "tas", "--json"], ["read", name, "tas"], ["info", name, "--fragments"],
                             ["check", name, "--fragments"]):
                    allowed = f"{self.server.url('', user=secret)};{self.server.url('', port=1)};http://no.such.invalid/"
                    with self.subTest(name=name, verb=verb[0]):
                        done = self.assert_silent(*verb, CFA_ALLOWED_SOURCES=allowed, CFA_HTTP_MAX_RETRY="0")
                        self.assertTrue(done.returncode != 0 or verb[0] == "info")

    def test_in_settings_that_are_wrong(self):
        for setting in ("http://reader:sesame@", "http://reader:sesame@h:99999/"):
            local = files.aggregation(self.local / "agg.nc", ["http://127.0.0.1:1/f.nc"])
            self.assert_silent("read", str(local), "tas", "--json", CFA_ALLOWED_SOURCES=setting)


if __name__ == "__main__":
    unittest.main()
