"""Objects in S3 through the GDAL driver, whose users set GDAL's options."""
import subprocess
import unittest

import files
from served import PRIVATE, ROOT, environment
from stored import Stored

PLUGIN = ROOT / "build/gdalplugins/gdal_CFA.so"


@unittest.skipUnless(PLUGIN.exists(), "there is no build/gdalplugins/gdal_CFA.so (make plugin)")
class Driver(Stored):
    def checksum(self, name, *options, **variables):
        """What gdalinfo prints, with these words as options of GDAL."""
        words = [word for option in options for word in ("--config", *option.split("=", 1))]
        return subprocess.run(["gdalinfo", "-checksum", *words, name], capture_output=True, text=True, timeout=60,
                              env=environment(**PRIVATE, HOME="/nonexistent", **variables))

    def setUp(self):
        super().setUp()
        self.address, _ = self.sample()
        self.where = [f"AWS_S3_ENDPOINT={self.store.endpoint.split('//')[1]}", "AWS_HTTPS=NO", "AWS_VIRTUAL_HOSTING=FALSE"]
        self.signed = [f"AWS_ACCESS_KEY_ID={self.store.key[0]}", f"AWS_SECRET_ACCESS_KEY={self.store.key[1]}"]

    def test_options_of_gdal_are_those_of_the_environment(self):
        done = self.checksum(f'CFA:"{self.address}"', *self.where, *self.signed)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Checksum=", done.stdout)
        found = self.store.requests()
        self.assertTrue(found and all(request.headers["user-agent"].startswith("libcfa/") for request in found))
        variables = dict(option.split("=", 1) for option in [*self.where, *self.signed])
        self.assertEqual(self.checksum(f'CFA:"{self.address}"', **variables).stdout, done.stdout)

    def test_without_credentials_the_error_gives_advice(self):
        done = self.checksum(f'CFA:"{self.address}"', *self.where, "AWS_NO_SIGN_REQUEST=YES")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("AWS_NO_SIGN_REQUEST", done.stderr)

    def test_an_aggregation_that_gdal_fetches_names_its_own_bucket(self):
        files.aggregation(self.local / "absolute.nc", [f"s3://{self.bucket}/run/f{number}.nc" for number in range(2)])
        self.put("run/absolute.nc", self.local / "absolute.nc")
        done = self.checksum(f"/vsis3/{self.bucket}/run/absolute.nc", *self.where, *self.signed)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        agents = {request.path.split("/")[-1]: request.headers.get("user-agent", "") for request in self.store.requests()}
        self.assertTrue(agents["f0.nc"].startswith("libcfa/"), agents)


if __name__ == "__main__":
    unittest.main()
