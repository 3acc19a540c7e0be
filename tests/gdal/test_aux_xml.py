"""What is kept beside an aggregation (.aux.xml): what a user set, and nothing that the file says itself."""
import tempfile
import unittest
from pathlib import Path

import numpy as np
from osgeo import gdal

import fixtures

gdal.UseExceptions()


class Beside(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.path = self.write("first", 0)

    def write(self, title, begin):
        def case(file):
            fixtures.axis(file, "time", np.arange(3.0) + begin, standard_name="time", units="days since 2000-01-01")
            fixtures.two_dimensional_plane(file)
            file.title = title

        return fixtures.make(self.temporary.name, case)[1]

    def kept(self):
        file = Path(self.path + ".aux.xml")
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def test_statistics_freeze_nothing_else(self):
        dataset = gdal.Open(self.path)
        dataset.GetMetadata()
        band = dataset.GetRasterBand(2)
        band.GetMetadata()
        band.ComputeStatistics(False)
        del band, dataset
        self.assertIn("STATISTICS_MEAN", self.kept())
        for text in ("NC_GLOBAL", "NETCDF_", "GEOLOCATION", "Description", "long_name"):
            self.assertNotIn(text, self.kept())

    def test_a_file_that_is_written_anew_is_described_anew(self):
        dataset = gdal.Open(self.path)
        dataset.SetMetadataItem("MINE", "1")
        dataset.GetRasterBand(2).ComputeStatistics(False)
        dataset.GetRasterBand(1).SetDescription("named by me")
        del dataset
        self.write("second", 100)
        dataset = gdal.Open(self.path)
        self.assertEqual(dataset.GetMetadataItem("NC_GLOBAL#title"), "second")
        self.assertEqual(dataset.GetMetadata()["NETCDF_DIM_time_VALUES"], "{100,101,102}")
        self.assertEqual(dataset.GetMetadata()["MINE"], "1")
        bands = [dataset.GetRasterBand(b) for b in (1, 2, 3)]
        self.assertEqual([b.GetDescription() for b in bands], ["named by me", "time=2000-04-11", "time=2000-04-12"])
        self.assertEqual([b.GetMetadata()["NETCDF_DIM_time"] for b in bands], ["100", "101", "102"])
        self.assertIn("STATISTICS_MEAN", bands[1].GetMetadata())

    def test_items_of_the_file_are_not_kept_when_they_are_set_to_the_same(self):
        dataset = gdal.Open(self.path)
        for target in (dataset, dataset.GetRasterBand(3)):
            target.SetMetadata({**target.GetMetadata(), "MINE": "2"})
        dataset.SetMetadataItem("NC_GLOBAL#title", "mine")
        band = dataset.GetRasterBand(3)
        band.SetMetadataItem("NETCDF_VARNAME", "tas")
        band.SetDescription(band.GetDescription())
        self.assertEqual(dataset.GetMetadata()["NC_GLOBAL#title"], "mine")
        self.assertEqual((band.GetMetadataItem("MINE"), band.GetMetadata()["MINE"]), ("2", "2"))
        del band, target, dataset
        self.assertEqual(self.kept().count("<MDI"), 3, self.kept())
        self.assertNotIn("Description", self.kept())
        self.write("second", 100)
        self.assertEqual(gdal.Open(self.path).GetMetadataItem("NC_GLOBAL#title"), "mine")

    def test_nothing_is_written_without_need(self):
        dataset = gdal.Open(self.path)
        gdal.Info(dataset)
        del dataset
        self.assertEqual(self.kept(), "")

    def test_domains_of_metadata_are_listed(self):
        dataset = gdal.Open(self.path)
        domains = dataset.GetMetadataDomainList()
        self.assertIn("GEOLOCATION", domains)
        self.assertIn("", domains)
        self.assertTrue(dataset.GetMetadata("GEOLOCATION")["X_DATASET"].endswith(":lon"))
        self.assertEqual(dataset.GetMetadataItem("X_BAND", "GEOLOCATION"), "1")
        self.assertEqual(dataset.GetRasterBand(1).GetMetadataDomainList(), [""])


if __name__ == "__main__":
    unittest.main()
