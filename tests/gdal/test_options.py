"""The settings of the engine as open options and configuration options of GDAL."""
import os
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
from osgeo import gdal

import fixtures

gdal.UseExceptions()

PROGRAM = Path(__file__).resolve().parents[2] / "build/bin/cfa"


def listed():
    """The options that GDAL shows, with their defaults."""
    root = ElementTree.fromstring(gdal.GetDriverByName("CFA").GetMetadataItem("DMD_OPENOPTIONLIST"))
    return {option.get("name"): option.get("default") for option in root.iter("Option")}


def read(path, **options):
    return gdal.OpenEx(path, open_options=[f"{name}={value}" for name, value in options.items()]).ReadAsArray()


class Options(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = self.temporary.name

    @unittest.skipUnless(PROGRAM.exists(), "there is no build/bin/cfa")
    def test_every_setting_of_the_engine_is_listed_and_the_variable(self):
        done = subprocess.run([PROGRAM, "info", "--set", "NO_SUCH=1", "no.nc"], capture_output=True, text=True)
        _, names = done.stderr.split("the settings are: ")
        self.assertEqual(sorted(listed()), sorted([*names.strip().split(", "), "VARIABLE"]))

    def test_the_defaults_listed_are_the_defaults(self):
        _, path = fixtures.make(self.folder, fixtures.ascending)
        defaults = {name: value for name, value in listed().items() if value}
        self.assertGreater(len(defaults), 10)
        np.testing.assert_array_equal(read(path, **defaults), read(path))

    def test_a_missing_fragment_is_an_error_or_filled(self):
        _, path = fixtures.make(self.folder, fixtures.ascending)
        os.remove(os.path.join(self.folder, "ascending_tas_1.nc"))
        with self.assertRaisesRegex(RuntimeError, "ascending_tas_1.nc"):
            gdal.Open(path).ReadAsArray()
        filled = gdal.OpenEx(path, open_options=["MISSING_FRAGMENTS=FILL"]).ReadAsArray()
        self.assertTrue((filled[4] == np.float32(1e20)).all())
        with fixtures.configured("GDAL_CFA_MISSING_FRAGMENTS", "FILL"):
            np.testing.assert_array_equal(gdal.Open(path).ReadAsArray(), filled)

    def test_sources_may_be_restricted(self):
        _, path = fixtures.make(self.folder, fixtures.ascending)
        dataset = gdal.OpenEx(path, open_options=["ALLOWED_SOURCES=/nowhere"])
        with self.assertRaisesRegex(RuntimeError, "ALLOWED_SOURCES"):
            dataset.ReadAsArray()

    def test_every_setting_is_a_configuration_option_and_an_open_option_counts_more(self):
        _, path = fixtures.make(self.folder, fixtures.ascending)
        wrong = {"MISSING_FRAGMENTS": "MAYBE", "MISSING_BYTES": "256", "CHANGED_FRAGMENTS": "MAYBE", "ALLOW_PRIVATE_NETWORK": "MAYBE",
                 "LOSSY_CASTS": "2", "RAW_VIEW": "2", "NUM_THREADS": "many", "CACHE_BYTES": "1T", "MAX_FRAGMENTS": "0",
                 "MAX_NESTING": "-1", "MAX_OPEN_FILES": "0", "SUBSTITUTIONS": "x", "RELOCATE": "x",
                 "FRAGMENT_DRIVERS": "VRT", "ALLOWED_SOURCES": "SOME", "HTTP_CONNECT_TIMEOUT": "soon",
                 "HTTP_STALL_TIMEOUT": "-1", "HTTP_CONCURRENCY": "0", "HTTP_MAX_RETRY": "often", "HTTP_DEADLINE": "never",
                 "S3_INSTANCE_METADATA": "2"}
        settings = {name: default for name, default in listed().items() if name != "VARIABLE"}
        for name, default in settings.items():
            with self.subTest(name), fixtures.configured(f"GDAL_CFA_{name}", wrong[name]):
                with self.assertRaisesRegex(RuntimeError, name):
                    gdal.Open(path)
                self.assertIsNotNone(gdal.OpenEx(path, open_options=[f"{name}={default or ''}"]))

    def test_a_variable_may_be_chosen_by_an_option(self):
        def two(file):
            fixtures.ascending(file)
            fixtures.data(file, name="pr")
        _, path = fixtures.make(self.folder, two, names=("tas", "pr"))
        for name in ("tas", "pr"):
            chosen, named = gdal.OpenEx(path, open_options=[f"VARIABLE=/{name}"]), gdal.Open(f'CFA:"{path}":{name}')
            np.testing.assert_array_equal(chosen.ReadAsArray(), named.ReadAsArray())
            self.assertEqual(chosen.GetDescription(), path)
            np.testing.assert_array_equal(read(f'CFA:"{path}":tas', VARIABLE=name), read(path, VARIABLE="tas"))
        with self.assertRaisesRegex(RuntimeError, "no variable 'none'"):
            gdal.OpenEx(path, open_options=["VARIABLE=none"])

    def test_the_number_of_threads_of_gdal_serves(self):
        _, path = fixtures.make(self.folder, fixtures.ascending)
        with fixtures.configured("GDAL_NUM_THREADS", "many"):
            with self.assertRaisesRegex(RuntimeError, "NUM_THREADS"):
                gdal.Open(path)
            self.assertIsNotNone(gdal.OpenEx(path, open_options=["NUM_THREADS=2"]))
        with fixtures.configured("GDAL_NUM_THREADS", "ALL_CPUS"):
            self.assertIsNotNone(gdal.Open(path))

    def test_options_that_make_no_sense_are_refused_by_name(self):
        _, path = fixtures.make(self.folder, fixtures.ascending)
        for option in ("NUM_THREADS=many", "CACHE_BYTES=1T", "MAX_FRAGMENTS=0", "MISSING_FRAGMENTS=MAYBE",
                       "MAX_OPEN_FILES=-1"):
            with self.subTest(option), self.assertRaisesRegex(RuntimeError, option.split("=")[0]):
                gdal.OpenEx(path, open_options=[option])

    def test_settings_do_not_change_values(self):
        _, path = fixtures.make(self.folder, fixtures.ascending)
        expected = gdal.Open(path).ReadAsArray()
        for option in ("NUM_THREADS=1", "NUM_THREADS=ALL_CPUS", "CACHE_BYTES=0", "CACHE_BYTES=1K", "MAX_OPEN_FILES=1",
                       "MAX_NESTING=0", "ALLOWED_SOURCES=SIBLINGS"):
            with self.subTest(option):
                np.testing.assert_array_equal(gdal.OpenEx(path, open_options=[option]).ReadAsArray(), expected)


if __name__ == "__main__":
    unittest.main()
