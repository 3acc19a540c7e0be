"""No name in a Zarr store, and none that an aggregation has for an array of it, leads out of the store."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import numpy as np
from osgeo import gdal

import fixtures
from foreign import SHAPE, aggregation, read, zarr

# Ways out of `sub/a.zarr` to `secret.zarr` beside `sub`.
WAYS = ("../../secret.zarr/tas", "/../../secret.zarr/tas", "tas/../../../secret.zarr/tas", "x/../../../secret.zarr/tas")
ALLOWED = ("SIBLINGS", "list", "DEFAULT")


class StoresStayInside(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = os.path.realpath(temporary.name)
        self.inner = f"{self.folder}/sub"
        os.mkdir(self.inner)
        self.path, self.store = f"{self.inner}/agg.nc", f"{self.inner}/a.zarr"
        self.values, self.secret = fixtures.RNG.uniform(200, 300, (2, *SHAPE)).astype("f4")
        zarr(self.store, self.values)
        zarr(f"{self.folder}/secret.zarr", self.secret)

    def read(self, allowed, path=None):
        return read(path or self.path, ALLOWED_SOURCES=self.inner if allowed == "list" else allowed)

    def refused(self, said=".", path=None):
        for allowed in ALLOWED:
            with self.subTest(allowed=allowed), self.assertRaisesRegex(RuntimeError, said):
                self.read(allowed, path)

    def metadata(self, name):
        with open(f"{self.store}/{name}", encoding="utf-8") as file:
            return json.load(file)

    def write(self, name, content):
        with open(f"{self.store}/{name}", "w", encoding="utf-8") as file:
            json.dump(content, file)

    def consolidate(self):
        names = [".zgroup"] + [f"{array}/{name}" for array in os.listdir(self.store) for name in (".zarray", ".zattrs")
                               if os.path.exists(f"{self.store}/{array}/{name}")]
        return {"zarr_consolidated_format": 1, "metadata": {name: self.metadata(name) for name in names}}

    def test_a_store_is_read_with_and_without_consolidated_metadata(self):
        aggregation(self.path, [("a.zarr", "tas")])
        for step in range(2):
            for allowed in ALLOWED:
                with self.subTest(step=step, allowed=allowed):
                    np.testing.assert_array_equal(self.read(allowed)[0], self.values)
            self.write(".zmetadata", self.consolidate())

    def test_identifiers(self):
        for way in WAYS:
            with self.subTest(way):
                aggregation(self.path, [("a.zarr", way)])
                self.refused()
                aggregation(self.path, [("a.zarr", f"ZARR:{way}")])
                self.refused()
                aggregation(self.path, [("a.zarr", f'ZARR:"{self.store}":{way}')])
                self.refused()

    def test_keys_of_consolidated_metadata(self):
        array = self.metadata("tas/.zarray")
        whole = self.consolidate()
        for way in (*WAYS, f"{self.folder}/secret.zarr/tas", "..\\..\\secret.zarr\\tas", "%2e%2e/%2e%2e/secret.zarr/tas",
                    "../../../../../../proc/self/fd/3"):
            consolidated = json.loads(json.dumps(whole))
            consolidated["metadata"][f"{way}/.zarray"] = array
            self.write(".zmetadata", consolidated)
            for identifier in (way, "tas", way.split("/")[-1]):
                with self.subTest(way, identifier=identifier):
                    aggregation(self.path, [("a.zarr", identifier)])
                    self.refused("leads out of it")

    def test_a_key_that_leads_out_was_followed(self):
        # GDAL itself follows such a key: what is refused above is there.
        whole = self.consolidate()
        whole["metadata"]["../../secret.zarr/tas/.zarray"] = self.metadata("tas/.zarray")
        self.write(".zmetadata", whole)
        root = gdal.OpenEx(self.store, gdal.OF_MULTIDIM_RASTER).GetRootGroup()
        try:
            array = root.OpenMDArrayFromFullname("/../../secret.zarr/tas")
        except RuntimeError:
            array = None
        if array is None:
            self.skipTest("this version of GDAL does not")
        np.testing.assert_array_equal(array.ReadAsArray(), self.secret)

    def test_names_of_dimensions(self):
        attributes = {"_ARRAY_DIMENSIONS": ["../../secret.zarr/tas", "x"]}
        self.write("tas/.zattrs", attributes)
        aggregation(self.path, [("a.zarr", "tas")])
        self.refused("leads out of it")

    def use_dimension(self, name):
        """Make GDAL look for the array of this dimension."""
        for file in (".zmetadata", "tas/.zattrs"):
            if os.path.exists(f"{self.store}/{file}"):
                os.remove(f"{self.store}/{file}")
        self.write("tas/.zattrs", {"_ARRAY_DIMENSIONS": [name, "x"], "units": "K"})
        aggregation(self.path, [("a.zarr", "tas")])

    def ends(self, **options):
        """Read in a process of its own, which may be blocked; return its messages."""
        code = f"import sys; sys.path.insert(0, sys.argv[2]); import foreign; foreign.read(sys.argv[1], **{options!r})"
        here = os.path.dirname(os.path.abspath(__file__))
        done = subprocess.run([sys.executable, "-c", code, self.path, here], capture_output=True, text=True, timeout=20)
        return done.stderr

    def test_a_dimension_that_is_described_above_the_store(self):
        for directory in (self.inner, self.folder):
            shutil.copytree(f"{self.store}/tas", f"{directory}/up_{os.path.basename(directory)}")
        self.use_dimension("up_sub")
        for allowed in ALLOWED:
            with self.subTest(allowed=allowed):
                np.testing.assert_array_equal(self.read(allowed)[0], self.values)
        for name in (f"up_{os.path.basename(self.folder)}", f"{self.folder}/secret.zarr/tas"[1:]):
            self.use_dimension(name)
            np.testing.assert_array_equal(self.read("DEFAULT")[0], self.values)
            for allowed in ("SIBLINGS", "list"):
                with self.subTest(name, allowed=allowed), self.assertRaisesRegex(RuntimeError, "above it"):
                    self.read(allowed)

    def test_a_dimension_above_the_store_that_would_block(self):
        os.mkdir(f"{self.folder}/up")
        os.mkfifo(f"{self.folder}/up/.zarray")
        self.use_dimension("up")
        self.assertIn("FIFO", self.ends(ALLOWED_SOURCES="DEFAULT"))
        self.assertIn("above it", self.ends(ALLOWED_SOURCES="SIBLINGS"))

    def test_names_of_dimensions_above_the_store_are_checked_too(self):
        shutil.copytree(f"{self.store}/tas", f"{self.inner}/up")
        with open(f"{self.inner}/up/.zattrs", "w", encoding="utf-8") as file:
            json.dump({"_ARRAY_DIMENSIONS": ["../secret.zarr/tas", "x"]}, file)
        self.use_dimension("up")
        self.refused("leads out of it")

    def test_the_group_above_a_group_of_nczarr(self):
        os.remove(f"{self.store}/.zmetadata")
        members = {"dims": {"y": SHAPE[0], "x": SHAPE[1]}, "vars": ["tas"], "groups": []}
        group = {"zarr_format": 2, "_NCZARR_GROUP": members}
        self.write(".zgroup", group)
        aggregation(self.path, [("a.zarr", "tas")])
        only = f"{self.store};{self.path}"
        np.testing.assert_array_equal(read(self.path, ALLOWED_SOURCES=only)[0], self.values)
        shutil.copy(f"{self.store}/.zgroup", f"{self.inner}/.zgroup")
        np.testing.assert_array_equal(self.read("SIBLINGS")[0], self.values)
        with self.assertRaisesRegex(RuntimeError, "above it"):
            read(self.path, ALLOWED_SOURCES=only)
        os.remove(f"{self.inner}/.zgroup")
        os.mkfifo(f"{self.inner}/.zgroup")
        self.assertIn("FIFO", self.ends(ALLOWED_SOURCES="DEFAULT"))
        self.write(".zgroup", {**group, "_NCZARR_SUPERBLOCK": {"version": "2.0.0"}})
        self.assertEqual(self.ends(ALLOWED_SOURCES="DEFAULT"), "")

    def test_separators_of_chunks(self):
        # The name of a chunk is its numbers with the separator in between: 0/../../../../secret.zarr/tas/0.0
        os.mkdir(f"{self.store}/tas/0")
        os.remove(f"{self.store}/.zmetadata")
        array = self.metadata("tas/.zarray")
        aggregation(self.path, [("a.zarr", "tas")])
        for separator in ("/../../../../secret.zarr/tas/0.", "\\..\\", "%2f..%2f", ["/../"]):
            with self.subTest(separator=separator):
                self.write("tas/.zarray", {**array, "dimension_separator": separator})
                self.refused("separator")
        for separator in (".", "/", "-", None):
            with self.subTest(separator=separator):
                self.write("tas/.zarray", {**array, "dimension_separator": separator})
                name = f"{self.store}/tas/0{separator or '.'}0"
                if not os.path.exists(name):
                    shutil.copy(f"{self.store}/tas/0.0", name)
                np.testing.assert_array_equal(self.read("SIBLINGS")[0], self.values)

    def test_version_3(self):
        shutil.rmtree(self.store)
        os.makedirs(f"{self.store}/tas")
        self.write("zarr.json", {"zarr_format": 3, "node_type": "group", "attributes": {},
                                 "consolidated_metadata": {"kind": "inline", "metadata": {"../../secret.zarr/tas": {}}}})
        aggregation(self.path, [("a.zarr", "../../secret.zarr/tas")])
        self.refused("leads out of it")
        self.write("zarr.json", {"zarr_format": 3, "node_type": "group"})
        self.write("tas/zarr.json", {"zarr_format": 3, "node_type": "array", "storage_transformers": [{"name": "x"}]})
        aggregation(self.path, [("a.zarr", "tas")])
        self.refused("in other files")

    def test_archives(self):
        def packed(archive):
            with zipfile.ZipFile(archive, "w") as out:
                for place, _, names in os.walk(self.folder):
                    for name in names:
                        if not name.endswith(".zip"):
                            path = os.path.join(place, name)
                            out.write(path, os.path.relpath(path, self.folder))
            return f"/vsizip/{archive}/sub/agg.nc"

        def check(archive, said):
            path = packed(archive)
            for allowed in ("SIBLINGS", f"/vsizip/{archive}/sub", "DEFAULT"):
                with self.subTest(archive, allowed=allowed):
                    if said is None:
                        np.testing.assert_array_equal(read(path, ALLOWED_SOURCES=allowed)[0], self.values)
                    else:
                        with self.assertRaisesRegex(RuntimeError, said):
                            read(path, ALLOWED_SOURCES=allowed)

        aggregation(self.path, [("a.zarr", "tas")])
        check(f"{self.folder}/sound.zip", None)
        aggregation(self.path, [("a.zarr", "../../secret.zarr/tas")])
        check(f"{self.folder}/identifier.zip", ".")
        whole = self.consolidate()
        whole["metadata"]["../../secret.zarr/tas/.zarray"] = self.metadata("tas/.zarray")
        self.write(".zmetadata", whole)
        check(f"{self.folder}/key.zip", "leads out of it")
        os.remove(f"{self.store}/.zmetadata")
        self.write("tas/.zattrs", {"_ARRAY_DIMENSIONS": ["../../secret.zarr/tas", "x"]})
        check(f"{self.folder}/dimension.zip", "leads out of it")

    def test_a_link_to_elsewhere(self):
        os.symlink(f"{self.folder}/secret.zarr/tas", f"{self.store}/link")
        aggregation(self.path, [("a.zarr", "link")])
        for allowed in ("SIBLINGS", "list"):
            with self.subTest(allowed), self.assertRaisesRegex(RuntimeError, "symbolic links"):
                self.read(allowed)


if __name__ == "__main__":
    unittest.main()
