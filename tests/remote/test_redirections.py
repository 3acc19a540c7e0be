"""Where servers lead, and connections that are secure."""
import time
import unittest

import files
from apache import has_ipv6
from served import Served


class Redirections(Served):
    def test_they_are_followed_for_fragments(self):
        names, data = files.fragments(self.www)
        for below in ("beside/", "elsewhere/"):
            local = files.aggregation(self.local / "agg.nc", [self.url(name, below) for name in names])
            self.assert_same(self.read(local), data)

    def test_names_are_relative_to_the_address_given_and_then_to_the_one_it_led_to(self):
        data = files.sample(self.www)
        for below in ("beside/", "elsewhere/"):
            with self.subTest(below):
                self.assert_same(self.read(self.url("agg.nc", below)), data)

    def test_after_the_first_request_the_address_it_led_to_is_asked(self):
        data = files.fragment(self.www / "big.nc", files.values(0, (100, 10000)), format="NETCDF3_CLASSIC")
        local = files.aggregation(self.local / "agg.nc", [self.url("big.nc", "elsewhere/")], data.shape)
        self.assert_same(self.read(local, "--count=100,20"), data[:, :20])
        self.assertEqual(len(self.server.requests(self.server.port)), 1)

    def test_where_they_lead_is_under_the_policy(self):
        names, data = files.fragments(self.www)
        local = files.aggregation(self.local / "agg.nc", [self.url(name, "elsewhere/") for name in names])
        first = self.server.url("elsewhere")
        message = self.refused(local, "policy", CFA_ALLOWED_SOURCES=f"{self.local};{first}")
        self.assertIn(str(self.server.other_port), message)
        self.assertEqual(self.server.requests(self.server.other_port), [])
        both = f"{first};{self.server.url('', port=self.server.other_port)}"
        self.assert_same(self.read(local, CFA_ALLOWED_SOURCES=both), data)
        # The fragments of a file on a server may not lead away from it either.
        files.aggregation(self.www / "agg.nc", [self.url(name, "elsewhere/") for name in names])
        self.server.requests()
        self.refused(self.url("agg.nc"), "policy")
        self.assertEqual(self.server.requests(self.server.other_port), [])

    def test_they_do_not_lead_to_addresses_that_are_not_listed(self):
        names, _ = files.fragments(self.www)
        local = files.aggregation(self.local / "agg.nc", [self.url(name, "inward/") for name in names])
        message = self.refused(local, "policy", CFA_ALLOWED_SOURCES=self.server.url(""))
        self.assertIn("169.254.169.254", message)

    def test_they_do_not_lead_to_local_files(self):
        names, _ = files.fragments(self.www)
        local = files.aggregation(self.local / "agg.nc", [self.url(name, "file/") for name in names])
        self.assertIn("not supported", self.refused(local, "fragment-unreadable", CFA_ALLOWED_SOURCES="ALL"))

    def test_a_loop_is_an_error(self):
        files.sample(self.www)
        message = self.refused(self.url("agg.nc", "loop/"), "io")
        self.assertIn("redirects more than", message)
        self.assertLess(len(self.server.requests()), 15)


class Secure(Served):
    def test_a_server_with_a_known_certificate_is_read(self):
        data = files.sample(self.www)
        for host in ("127.0.0.1", "localhost"):
            address = self.url("agg.nc", port=self.server.secure_port, host=host)
            self.assert_same(self.read(address, SSL_CERT_FILE=str(self.server.certificates)), data)

    def test_one_with_an_unknown_certificate_is_an_error_at_once(self):
        files.sample(self.www)
        address = self.url("agg.nc", port=self.server.secure_port)
        local = files.aggregation(self.local / "agg.nc", [self.url("f0.nc", port=self.server.secure_port)])
        for name, category in ((address, "io"), (local, "fragment-unreadable")):
            begin = time.monotonic()
            message = self.refused(name, category)
            self.assertLess(time.monotonic() - begin, 2)
            self.assertRegex(message, "certificate")
        self.assertEqual(self.server.requests(), [])

    @unittest.skipUnless(has_ipv6(), "this machine has one address")
    def test_a_certificate_for_another_name_is_an_error(self):
        files.sample(self.www)
        address = self.url("agg.nc", port=self.server.secure_port, host="[::1]")
        self.assertIn("certificate", self.refused(address, "io", SSL_CERT_FILE=str(self.server.certificates)))

    def test_http_and_https_do_not_mix_up(self):
        files.sample(self.www)
        plain = self.url("agg.nc", port=self.server.secure_port, scheme="http")
        self.assertIn("400", self.refused(plain, "io"))
        secure = self.url("agg.nc", scheme="https")
        self.refused(secure, "io")


if __name__ == "__main__":
    unittest.main()
