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

    def many(self, count):
        """An aggregation of so many bands, with statistics of each beside it, as computing them writes it."""
        def case(file):
            fixtures.axis(file, "time", np.arange(float(count)), standard_name="time", units="days since 2000-01-01")
            fixtures.two_dimensional_plane(file)

        path = fixtures.make(self.temporary.name, case)[1]
        bands = "".join(f"""  <PAMRasterBand band="{band}">
    <Description>named {band}</Description>
    <NoDataValue>{-band}</NoDataValue>
    <CategoryNames><Category>c{band}</Category></CategoryNames>
    <Metadata>
      <MDI key="STATISTICS_MAXIMUM">{band}</MDI>
      <MDI key="STATISTICS_MINIMUM">0</MDI>
    </Metadata>
    <Metadata domain="MINE"><MDI key="a">&lt;{band}&gt;</MDI></Metadata>
  </PAMRasterBand>
""" for band in range(1, count + 1))
        Path(path + ".aux.xml").write_text(
            f'<PAMDataset>\n  <Metadata><MDI key="MINE">1</MDI></Metadata>\n{bands}</PAMDataset>\n', encoding="utf-8")
        return path

    def look(self, dataset, band):
        found = dataset.GetRasterBand(band)
        return (found.GetDescription(), found.GetNoDataValue(), found.GetCategoryNames(), found.GetMaximum(),
                found.GetMetadata("MINE"))

    def expected(self, band):
        return (f"named {band}", float(-band), [f"c{band}"], float(band), {"a": f"<{band}>"})

    def test_what_many_bands_have_is_found(self):
        path = self.many(400)
        self.assertGreater(len(self.kept()), 65536)
        before = self.kept()
        dataset = gdal.Open(path)
        self.assertEqual(dataset.GetMetadataItem("MINE"), "1")
        for band in (400, 1, 77):
            self.assertEqual(self.look(dataset, band), self.expected(band))
        # Each property is also asked for first.
        for number, ask in enumerate((lambda b: b.GetDescription(), lambda b: b.GetNoDataValue(), lambda b: b.GetCategoryNames(),
                                      lambda b: b.GetMaximum(), lambda b: b.GetMetadata("MINE")), 101):
            self.assertEqual(ask(dataset.GetRasterBand(number)), self.expected(number)[number - 101])
        del dataset
        self.assertEqual(self.kept(), before)

    def test_a_change_of_one_of_many_bands_keeps_the_others(self):
        path = self.many(400)
        changes = [
            lambda band: band.SetNoDataValue(5),
            lambda band: band.SetDescription("mine"),
            lambda band: band.SetCategoryNames(["x", "y"]),
            lambda band: band.SetUnitType("m"),
            lambda band: band.SetMetadataItem("b", "2", "MINE"),
            lambda band: band.SetDefaultHistogram(0.0, 1.0, [1, 2]),
            lambda band: band.SetColorInterpretation(gdal.GCI_AlphaBand),
            lambda band: band.DeleteNoDataValue(),
        ]
        for number, change in enumerate(changes, 1):
            dataset = gdal.Open(path)
            change(dataset.GetRasterBand(number))
            del dataset
        dataset = gdal.Open(path)
        for band in range(len(changes) + 1, 401):
            self.assertEqual(self.look(dataset, band), self.expected(band))
        found = [self.look(dataset, band) for band in range(1, len(changes) + 1)]
        expected = [list(self.expected(band)) for band in range(1, len(changes) + 1)]
        expected[0][1] = 5.0
        expected[1][0] = "mine"
        expected[2][2] = ["x", "y"]
        expected[4][4] = {"a": "<5>", "b": "2"}
        for one in expected[:7]:
            self.assertIn(tuple(one), found)
        self.assertNotEqual(found[7][1], -8.0)
        self.assertEqual([found[7][i] for i in (0, 2, 3, 4)], [expected[7][i] for i in (0, 2, 3, 4)])
        self.assertEqual(dataset.GetRasterBand(6).GetDefaultHistogram()[3], [1, 2])

    def test_unusual_files_mean_what_they_mean_to_gdal(self):
        path = self.many(400)
        text = self.kept()
        last = '  <PAMRasterBand band="400">'
        for name, changed in (
            ("a comment", text.replace(last, '<!-- <PAMRasterBand band="3"><Description>no</Description></PAMRasterBand> -->' + last)),
            ("two parts of a band", text.replace(last, '<PAMRasterBand band="2"><Metadata domain="MINE"><MDI key="c">d</MDI>'
                                                       '</Metadata></PAMRasterBand>' + last)),
            ("XML as a value", text.replace(last, '<Metadata domain="xml:X" format="xml"><r><PAMRasterBand band="4"><Description>no'
                                                  '</Description></PAMRasterBand></r></Metadata>' + last)),
            ("a band too many", text.replace(last, '<PAMRasterBand band="401"><Description>no</Description></PAMRasterBand>' + last)),
            ("cut off", text[:-300]),
        ):
            Path(path + ".aux.xml").write_text(changed, encoding="utf-8")
            with self.subTest(name):
                dataset = gdal.Open(path)
                if name == "cut off":
                    self.assertNotEqual(dataset.GetRasterBand(3).GetDescription(), "named 3")
                else:
                    self.assertEqual(self.look(dataset, 3), self.expected(3))
                    self.assertEqual(self.look(dataset, 400), self.expected(400))
                if name == "two parts of a band":
                    self.assertEqual(dataset.GetRasterBand(2).GetMetadataItem("c", "MINE"), "d")


if __name__ == "__main__":
    unittest.main()
