"""Behind a proxy, which hides the address of a server, only what the user named is fetched."""
import unittest

import files
from served import PRIVATE, Served, answer


class Behind(Served):
    def setUp(self):
        super().setUp()
        self.proxy = f"http://127.0.0.1:{self.server.proxy_port}"
        self.server.proxied()

    def read_behind(self, name, **variables):
        """No setting allows this machine's own addresses: reading from a server shows that the request went through the proxy."""
        self.server.proxied()
        return self.read(name, CFA_ALLOW_PRIVATE_NETWORK="NO", **variables)

    def test_the_server_that_the_user_named_is_asked_through_it(self):
        data = files.sample(self.www)
        for variable in ("http_proxy", "all_proxy", "ALL_PROXY"):
            with self.subTest(variable):
                got = self.read_behind(self.url("agg.nc"), **{variable: self.proxy})
                self.assert_same(got, data)
                hosts = [host for _, host, _ in self.server.proxied()]
                self.assertGreaterEqual(len(hosts), 1)
                self.assertEqual({host.split(":")[0] for host in hosts}, {"127.0.0.1"})

    def test_a_secure_server_is_asked_through_a_tunnel(self):
        data = files.sample(self.www)
        address = self.url("agg.nc", port=self.server.secure_port)
        for variable in ("https_proxy", "HTTPS_PROXY"):
            with self.subTest(variable):
                got = self.read_behind(address, **{variable: self.proxy}, SSL_CERT_FILE=str(self.server.certificates))
                self.assert_same(got, data)
                self.assertEqual({method for method, _, _ in self.server.proxied()}, {"CONNECT"})

    def test_no_connections_are_made_ahead_through_it(self):
        names, _ = files.fragments(self.www)
        files.aggregation(self.www / "agg.nc", names)
        self.read_behind(self.url("agg.nc"), http_proxy=self.proxy)
        self.assertLessEqual(len(self.server.proxied()), 1 + len(names))

    def test_each_scheme_has_its_own(self):
        data = files.sample(self.www)
        nowhere = "http://127.0.0.1:1"
        secure = self.url("agg.nc", port=self.server.secure_port)
        certificates = dict(SSL_CERT_FILE=str(self.server.certificates))
        self.assert_same(self.read(self.url("agg.nc"), https_proxy=nowhere), data)
        self.assert_same(self.read(secure, http_proxy=nowhere, **certificates), data)
        self.assertEqual(self.server.proxied(), [])
        self.assert_same(self.read_behind(self.url("agg.nc"), http_proxy=self.proxy, https_proxy=nowhere), data)
        self.assert_same(self.read_behind(secure, http_proxy=nowhere, https_proxy=self.proxy, **certificates), data)

    def test_one_that_cannot_be_used_is_not_passed_over(self):
        files.sample(self.www)
        for proxy in ("socks5://127.0.0.1:1", "nothing at all"):
            self.assertIn("proxy", self.refused(self.url("agg.nc"), "policy", all_proxy=proxy))
        self.assertEqual(self.server.requests(), [])

    def test_what_a_file_names_has_to_be_listed(self):
        names, data = files.fragments(self.www)
        local = files.aggregation(self.local / "agg.nc", [self.url(name) for name in names])
        for allowed in ("DEFAULT", f"{self.local};{self.url('', port=self.server.other_port)}"):
            message = self.refused(local, "policy", http_proxy=self.proxy, CFA_ALLOWED_SOURCES=allowed)
            self.assertIn("ALLOWED_SOURCES", message)
        self.assertEqual((self.server.proxied(), self.server.requests()), ([], []))
        for allowed in ("ALL", self.url("")):
            self.assert_same(self.read_behind(local, http_proxy=self.proxy, CFA_ALLOWED_SOURCES=allowed), data)
            self.assertNotEqual(self.server.proxied(), [])

    def test_a_server_may_not_lead_away_from_what_was_named(self):
        files.sample(self.www)
        for below in ("elsewhere/", "inward/"):
            self.server.requests()
            message = self.refused(self.url("agg.nc", below), "policy", http_proxy=self.proxy)
            self.assertIn("ALLOWED_SOURCES", message)
            self.assertEqual(self.server.requests(self.server.other_port), [])

    def test_servers_that_are_asked_without_it_have_their_addresses_looked_at(self):
        data = files.sample(self.www)
        beside = dict(http_proxy=self.proxy, NO_PROXY="example.org, 127.0.0.1")
        self.assert_same(self.read(self.url("agg.nc"), **beside), data)
        self.assertEqual(self.server.proxied(), [])
        self.assertIn("ALLOW_PRIVATE_NETWORK", self.refused(self.url("agg.nc"), "policy", **beside,
                                                            CFA_ALLOW_PRIVATE_NETWORK="NO"))
        # The first server is asked through the proxy; it leads to an address that is not.
        inward = dict(http_proxy=self.proxy, NO_PROXY="169.254.169.254", CFA_ALLOW_PRIVATE_NETWORK="NO")
        message = self.refused(self.url("agg.nc", "inward/"), "policy", **inward)
        self.assertIn("ALLOW_PRIVATE_NETWORK", message)

    def test_a_proxy_that_is_not_there_is_an_error(self):
        files.sample(self.www)
        got = answer(self.url("agg.nc"), http_proxy="http://127.0.0.1:1", **PRIVATE)
        self.assertEqual(got.get("error"), "io", got)


if __name__ == "__main__":
    unittest.main()
