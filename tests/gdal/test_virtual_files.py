"""Aggregations in GDAL's virtual file system, with their fragments beside them."""
import functools
import http.server
import os
import tempfile
import threading
import unittest
import zipfile

import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

import fixtures
import foreign

gdal.UseExceptions()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, parts of files too, without a word."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        path = self.translate_path(self.path)
        if not os.path.isfile(path):
            return self.send_error(404)
        with open(path, "rb") as file:
            data = file.read()
        asked = self.headers.get("Range")
        if asked is None:
            self.send_response(200)
        else:
            first, last = asked.removeprefix("bytes=").split("-")
            first, last = int(first), min(int(last or len(data)), len(data) - 1)
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
            data = data[first:last + 1]
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def forget(name):
    if gdal.VSIStatL(name) is not None:
        gdal.Unlink(name)


class VirtualFiles(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.plain, self.path = fixtures.make(self.folder, fixtures.ascending, names=("tas", "time"))
        self.expected = gdal.Open(self.path).ReadAsArray()
        self.files = [name for name in os.listdir(self.folder) if name.startswith("ascending") and "plain" not in name]

    def check(self, name):
        self.assertEqual(gdal.IdentifyDriverEx(name, gdal.OF_RASTER).ShortName, "CFA")
        np.testing.assert_array_equal(gdal.Open(name).ReadAsArray(), self.expected)
        array = gdal.OpenEx(name, gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("tas")
        np.testing.assert_array_equal(array.ReadAsArray(), self.expected[:, ::-1])

    def in_memory(self):
        for name in self.files:
            with open(os.path.join(self.folder, name), "rb") as file:
                gdal.FileFromMemBuffer(f"/vsimem/cfa/{name}", file.read())
            self.addCleanup(forget, f"/vsimem/cfa/{name}")

    def test_an_archive(self):
        archive = f"{self.folder}/all.zip"
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
            for name in self.files:
                out.write(os.path.join(self.folder, name), f"data/{name}")
        self.check(f"/vsizip/{archive}/data/ascending.nc")
        self.check(f'CFA:"/vsizip/{archive}/data/ascending.nc":tas')

    def test_memory(self):
        self.in_memory()
        self.check("/vsimem/cfa/ascending.nc")

    def serve(self):
        """The address of a server of the folder."""
        handler = functools.partial(QuietHandler, directory=self.folder)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}"

    def test_a_web_server(self):
        self.check(f"/vsicurl/{self.serve()}/ascending.nc")

    def test_stores_and_images_in_an_archive(self):
        values = fixtures.RNG.uniform(200, 300, (2, *foreign.SHAPE)).astype("f4")
        foreign.geotiff(f"{self.folder}/a.tif", values[:1])
        foreign.zarr(f"{self.folder}/b.zarr", values[1])
        foreign.aggregation(f"{self.folder}/mixed.nc", [("a.tif", "1"), ("b.zarr", "tas")])
        archive = f"{self.folder}/mixed.zip"
        with zipfile.ZipFile(archive, "w") as out:
            for name in ("mixed.nc", "a.tif"):
                out.write(f"{self.folder}/{name}", f"data/{name}")
            for place, _, names in os.walk(f"{self.folder}/b.zarr"):
                for name in names:
                    path = os.path.join(place, name)
                    out.write(path, "data/" + os.path.relpath(path, self.folder))
        for name in (f"/vsizip/{archive}/data/mixed.nc", f"/vsicurl/{self.serve()}/mixed.nc"):
            with self.subTest(name):
                np.testing.assert_array_equal(foreign.read(name), values)
                with self.assertRaisesRegex(RuntimeError, "ALLOWED_SOURCES"):
                    foreign.read(name, ALLOWED_SOURCES="/nowhere")

    def test_ordinary_files_in_memory_are_left_alone(self):
        with open(self.plain, "rb") as file:
            gdal.FileFromMemBuffer("/vsimem/plain.nc", file.read())
        self.addCleanup(forget, "/vsimem/plain.nc")
        self.assertEqual(gdal.IdentifyDriverEx("/vsimem/plain.nc", gdal.OF_RASTER).ShortName, "netCDF")

    def test_a_fragment_elsewhere_is_refused(self):
        for location, allowed in ((f"file://{self.folder}/ascending_tas_0.nc", f"{self.folder};/vsimem/cfa"),
                                  ("../cfa2/ascending_tas_0.nc", "/vsimem/cfa2;/vsimem/cfa")):
            with self.subTest(location):
                with Dataset(self.path, "a") as file:
                    file["uris_tas"][0, 0, 0] = location
                self.in_memory()
                with open(f"{self.folder}/ascending_tas_0.nc", "rb") as file:
                    gdal.FileFromMemBuffer("/vsimem/cfa2/ascending_tas_0.nc", file.read())
                self.addCleanup(forget, "/vsimem/cfa2/ascending_tas_0.nc")
                with self.assertRaisesRegex(RuntimeError, "ALLOWED_SOURCES"):
                    gdal.Open("/vsimem/cfa/ascending.nc").ReadAsArray()
                dataset = gdal.OpenEx("/vsimem/cfa/ascending.nc", open_options=[f"ALLOWED_SOURCES={allowed}"])
                np.testing.assert_array_equal(dataset.ReadAsArray(), self.expected)

    def test_a_file_right_below_a_file_system_has_nothing_beside_it(self):
        archive = f"{self.folder}/secret.zip"
        with zipfile.ZipFile(archive, "w") as out:
            out.write(f"{self.folder}/ascending_tas_0.nc", "s.nc")
        with Dataset(self.path, "a") as file:
            file["uris_tas"][0, 0, 0] = f"file:///vsizip/{archive}/s.nc"
        with zipfile.ZipFile(f"{self.folder}/agg.zip", "w") as out:
            out.write(self.path, "agg.nc")
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        os.chdir(self.folder)
        # GDAL opens the only file of an archive by the name of the archive.
        self.assertEqual(gdal.IdentifyDriverEx("/vsizip/agg.zip", gdal.OF_RASTER).ShortName, "CFA")
        for allowed in ("DEFAULT", "SIBLINGS", "LOCAL"):
            with self.subTest(allowed), self.assertRaisesRegex(RuntimeError, "0, 0, 0.*ALLOWED_SOURCES"):
                gdal.OpenEx("/vsizip/agg.zip", open_options=[f"ALLOWED_SOURCES={allowed}"]).ReadAsArray()
        server = self.serve().replace(":", "%3A").replace("/", "%2F")
        name = f"/vsicurl?list_dir=no&url={server}%2Fascending.nc"
        with Dataset(self.path, "a") as file:
            file["uris_tas"][0, 0, 0] = f"{self.folder[1:]}/ascending_tas_0.nc"
        with self.assertRaisesRegex(RuntimeError, "0, 0, 0.*ALLOWED_SOURCES"):
            gdal.Open(name).ReadAsArray()

    def test_a_name_in_a_file_is_virtual_where_a_list_has_it(self):
        self.in_memory()
        with Dataset(self.path, "a") as file:
            file["uris_tas"][0, 0, 0] = "s3://bucket/ascending_tas_0.nc"
        moved = "RELOCATE=s3://bucket=/vsimem/cfa"
        dataset = gdal.OpenEx(self.path, open_options=[moved, f"ALLOWED_SOURCES={self.folder};/vsimem/cfa"])
        np.testing.assert_array_equal(dataset.ReadAsArray(), self.expected)
        for allowed in ("DEFAULT", "ALL", "/", f"{self.folder};/vsimem/cf"):
            with self.subTest(allowed), self.assertRaises(RuntimeError):
                gdal.OpenEx(self.path, open_options=[moved, f"ALLOWED_SOURCES={allowed}"]).ReadAsArray()

    def test_a_name_in_a_file_is_never_virtual_by_itself(self):
        self.in_memory()
        for location in ("/vsimem/cfa/ascending_tas_0.nc", "file:///vsimem/cfa/ascending_tas_0.nc"):
            with self.subTest(location):
                with Dataset(self.path, "a") as file:
                    file["uris_tas"][0, 0, 0] = location
                with self.assertRaises(RuntimeError):
                    gdal.Open(self.path).ReadAsArray()


if __name__ == "__main__":
    unittest.main()
