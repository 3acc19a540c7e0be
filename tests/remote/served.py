"""What the tests with a server have in common: the server, and the program as its client."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

from apache import Apache

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/bin/cfa"
PRIVATE = {"CFA_ALLOW_PRIVATE_NETWORK": "YES"}


def environment(**variables):
    """The environment of this process without variables that change requests to servers, and with these variables."""
    kept = {name: value for name, value in os.environ.items()
            if not name.upper().endswith("_PROXY") and not name.startswith(("CFA_", "GDAL_CFA_", "SSL_CERT_", "AWS_"))}
    return {**kept, **variables}


def run(*words, **variables):
    """Runs the program."""
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60, env=environment(**variables))


def answer(name, *words, variable="tas", **variables):
    """What `cfa read --json` prints."""
    done = run("read", name, variable, "--json", *words, **variables)
    if not done.stdout:
        raise AssertionError(f"no output; {done.stderr}")
    return json.loads(done.stdout)


class Served(unittest.TestCase):
    """Tests of one class share a server; each has a folder of its own on it, and one beside."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.server = Apache(Path(folder.name) / "server")
        cls.addClassCleanup(cls.server.stop)
        Path(folder.name).chmod(0o755)
        cls.beside = Path(folder.name) / "beside"

    def setUp(self):
        self.place = self._testMethodName
        self.www = self.server.www / self.place
        self.www.mkdir()
        self.local = self.beside / self.place
        self.local.mkdir(parents=True)
        self.server.requests()

    def url(self, name, below="", **where):
        """The address of a file of this test; `below` says at what kind of server."""
        return self.server.url(f"{below}{self.place}/{name}", **where)

    def read(self, name, *words, **variables):
        """The values that the program prints, with servers on this machine allowed."""
        got = answer(str(name), *words, **{**PRIVATE, **variables})
        self.assertNotIn("error", got)
        flat = np.array([np.nan if value is None else value for value in got["values"]], dtype="f8")
        return flat.reshape(got["shape"])

    def refused(self, name, category, *words, **variables):
        """The message of the error that the program prints, which must be of this category."""
        got = answer(str(name), *words, **{**PRIVATE, **variables})
        self.assertEqual(got.get("error"), category, got)
        return got["message"]

    def assert_same(self, got, expected):
        np.testing.assert_array_equal(got, expected)
