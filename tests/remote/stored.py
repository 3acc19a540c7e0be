"""What the tests with an S3 server have in common: the server, buckets, and the program as its client."""
import tempfile
import unittest
from pathlib import Path

import numpy as np

import files
from served import PRIVATE, answer
from store import Store

OBJECTS = {"AWS_EC2_METADATA_DISABLED": "true", "HOME": "/nonexistent"}


class Stored(unittest.TestCase):
    """Tests of one class share a server; each has a bucket of its own on it, and a local folder."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.store = Store(cls.folder / "store")
        cls.addClassCleanup(cls.store.stop)

    def setUp(self):
        self.bucket = self._testMethodName.replace("_", "-").lower()[:60].strip("-")
        self.local = self.folder / self.bucket
        self.local.mkdir()
        self.store.fault = None
        self.store.requests()
        self.key = {"AWS_ACCESS_KEY_ID": self.store.key[0], "AWS_SECRET_ACCESS_KEY": self.store.key[1]}

    def environment(self, **variables):
        return {**PRIVATE, **OBJECTS, "AWS_ENDPOINT_URL": self.store.endpoint, **variables}

    def put(self, key, path, acl="private", bucket=None):
        self.store.put(bucket or self.bucket, key, path, acl)
        return f"s3://{bucket or self.bucket}/{key}"

    def sample(self, acl="private", prefix="run/", **how):
        """Stores an aggregation with relative fragments; returns its address and the data."""
        data = files.sample(self.local / "made", **how)
        for name in ("agg.nc", "f0.nc", "f1.nc"):
            self.put(prefix + name, self.local / "made" / name, acl)
        return f"s3://{self.bucket}/{prefix}agg.nc", data

    def read(self, name, *words, **variables):
        got = answer(str(name), *words, **self.environment(**variables))
        self.assertNotIn("error", got)
        flat = np.array([np.nan if value is None else value for value in got["values"]], dtype="f8")
        return flat.reshape(got["shape"])

    def refused(self, name, category, **variables):
        """The message of the error, which must be of this category and without secrets."""
        got = answer(str(name), **self.environment(**variables))
        self.assertEqual(got.get("error"), category, got)
        secrets = [*self.store.key, *self.store.session, *[value for name, value in variables.items() if "KEY" in name or "TOKEN" in name]]
        for secret in [*secrets, "Signature", "127.0.0.1:", "AWS4"]:
            self.assertNotIn(secret, got["message"])
        return got["message"]

    def authorizations(self):
        return ["authorization" in request.headers for request in self.store.requests()]

    def assert_same(self, got, expected):
        np.testing.assert_array_equal(got, expected)
