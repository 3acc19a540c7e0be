"""The layer files and styles of `cfa qgis`, opened by QGIS without a window: layers, times, frames, values, colours."""
import os
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
from netCDF4 import Dataset

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
from qgis.core import (  # noqa: E402
    Qgis, QgsApplication, QgsCoordinateReferenceSystem, QgsCoordinateTransform, QgsDateTimeRange, QgsLayerDefinition, QgsMapRendererSequentialJob, QgsMapSettings, QgsPointXY, QgsProject,
    QgsRaster, QgsRasterLayer)
from qgis.PyQt.QtCore import QDate, QDateTime, QSize, Qt, QTime  # noqa: E402

import fixtures  # noqa: E402

PROGRAM = Path(os.environ.get("CFA_PROGRAM", Path(__file__).resolve().parents[2] / "build/bin/cfa"))
HAS_TIMES_OF_BANDS = Qgis.QGIS_VERSION_INT >= 33800
SAMPLE = os.environ.get("CFA_TEST_SAMPLE", "")


def moment(year, month, day):
    return QDateTime(QDate(year, month, day), QTime(0, 0), Qt.UTC)


def months(file, calendar="standard", bounds=False):
    """A year of months, in the middle of each, on a northern grid."""
    dates = np.cumsum([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
    dates = np.arange(13) * 30 if calendar == "360_day" else dates
    fixtures.axis(file, "time", (dates[1:] + dates[:-1]) / 2, standard_name="time", units="days since 2001-01-01",
                  calendar=calendar)
    if bounds:
        file.createDimension("two", 2)
        file["time"].bounds = "time_bounds"
        file.createVariable("time_bounds", "f8", ("time", "two"))[:] = np.stack([dates[:-1], dates[1:]], 1)


def seasons(file, lat=np.arange(-45.0, 46, 10), bounds=False, calendar="standard", name="tas", **attributes):
    """Values that grow from 250 by 5 a month, and from south to north and west to east."""
    months(file, calendar, bounds)
    fixtures.axis(file, "lat", lat, **fixtures.LAT)
    fixtures.axis(file, "lon", np.arange(0.0, 360, 30), **fixtures.LON)
    season(file, name, **attributes)


def season(file, name, **attributes):
    variable = fixtures.data(file, name=name, **attributes)
    size = variable.shape
    values = 250 + 5.0 * np.arange(12)[:, None, None] + np.arange(size[1])[:, None] / 10 + np.arange(size[2]) / 100
    scale, offset = attributes.get("scale_factor", 1), attributes.get("add_offset", 0)
    variable[...] = ((values - offset) / scale).astype(variable.dtype)
    variable[:, 0, 3] = variable._FillValue


@unittest.skipUnless(PROGRAM.exists(), "there is no program cfa")
class LayerFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        home = tempfile.TemporaryDirectory()
        cls.addClassCleanup(home.cleanup)
        os.environ["QGIS_CUSTOM_CONFIG_PATH"] = home.name
        cls.app = QgsApplication([], False)
        cls.app.initQgis()
        cls.addClassCleanup(cls.app.exitQgis)

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        # What QGIS returns of a layer does not outlive it.
        self.kept = []

    def made(self, case, *arguments, names=("tas",), **how):
        """An aggregation, and what `cfa qgis` says about it."""
        _, path = fixtures.make(self.folder, case, names=names, **how)
        return path, self.qgis(path, *arguments)

    def qgis(self, path, *arguments):
        done = subprocess.run([PROGRAM, "qgis", path, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def layers(self, path):
        """Opened as QGIS opens it, from elsewhere."""
        ElementTree.parse(path)
        layers = QgsLayerDefinition.loadLayerDefinitionLayers(path)
        self.assertTrue(layers)
        for layer in layers:
            self.assertTrue(layer.isValid(), layer.source())
        self.kept.append(layers)
        return layers

    def raster(self, path):
        """Opened as Add Raster Layer does it."""
        layer = QgsRasterLayer(path, "tas", "gdal")
        self.assertTrue(layer.isValid(), path)
        self.kept.append(layer)
        return layer

    def frame(self, layers, range_of_times):
        settings = QgsMapSettings()
        settings.setLayers(layers)
        settings.setExtent(layers[0].extent())
        settings.setDestinationCrs(layers[0].crs())
        settings.setOutputSize(QSize(120, 60))
        if range_of_times is not None:
            settings.setIsTemporal(True)
            settings.setTemporalRange(range_of_times)
        job = QgsMapRendererSequentialJob(settings)
        job.start()
        job.waitForFinished()
        self.assertFalse([error.message for error in job.errors()])
        image = job.renderedImage()
        return [[image.pixel(x, y) for x in range(1, 120, 2)] for y in range(1, 60, 2)]

    def frame_of(self, layers, year, month, day):
        return self.frame(layers, QgsDateTimeRange(moment(year, month, day), moment(year, month, day).addSecs(86400), True, False))

    def values(self, layer, x, y):
        results = layer.dataProvider().identify(QgsPointXY(x, y), QgsRaster.IdentifyFormatValue).results()
        return [results[band] for band in sorted(results)]

    def times(self, layers):
        """The times that QGIS shows, as it has understood them: begin and end of each."""
        def text(at):
            return at.toUTC().toString("yyyy-MM-dd HH:mm")
        ranges = [layer.temporalProperties().fixedTemporalRange() for layer in layers]
        if len(layers) == 1 and HAS_TIMES_OF_BANDS:
            ranges = layers[0].temporalProperties().fixedRangePerBand().values()
        return [(text(one.begin()), text(one.end().addMSecs(1))) for one in ranges]

    def test_a_year_of_months_is_animated(self):
        path, said = self.made(seasons)
        self.assertEqual(said.stdout.split("\n"), [f"{path}.qlr", path[:-3] + ".qml", ""])
        layers = self.layers(f"{path}.qlr")
        self.assertTrue(all(layer.temporalProperties().isActive() for layer in layers))
        times = self.times(layers)
        self.assertEqual((len(times), times[0], times[6]),
                         (12, ("2001-01-01 00:00", "2001-02-01 00:00"), ("2001-07-01 00:00", "2001-08-01 00:00")))
        january, july = self.frame_of(layers, 2001, 1, 14), self.frame_of(layers, 2001, 7, 14)
        self.assertNotEqual(january, july)
        self.assertEqual(july, self.frame_of(layers, 2001, 7, 31))
        self.assertNotEqual(july, self.frame_of(layers, 2001, 8, 1))
        self.assertEqual(len({tuple(row) for row in self.frame_of(layers, 2002, 7, 14)}), 1)

    def test_one_layer_has_the_times_of_all_bands(self):
        path, _ = self.made(seasons, "--one-layer")
        layers = self.layers(f"{path}.qlr")
        self.assertEqual(len(layers), 1)
        self.assertTrue(layers[0].temporalProperties().isActive())
        if HAS_TIMES_OF_BANDS:
            self.assertEqual(self.times(layers)[6], ("2001-07-01 00:00", "2001-08-01 00:00"))
            per_time = self.layers(self.made(seasons)[0] + ".qlr")
            for month in (1, 7, 12):
                self.assertEqual(self.frame_of(layers, 2001, month, 14), self.frame_of(per_time, 2001, month, 14))
        else:
            self.assertEqual(layers[0].renderer().band(), 1)

    def test_values_are_those_of_the_file(self):
        path, _ = self.made(seasons)
        layer = self.layers(f"{path}.qlr")[0]
        expected = 250 + 5.0 * np.arange(12) + 8 / 10 + 2 / 100
        np.testing.assert_allclose(self.values(layer, 60, 35), expected, rtol=1e-6)
        self.assertEqual(self.values(layer, 90, -45), [None] * 12)

    def test_the_legend_has_units_and_a_round_range(self):
        path, _ = self.made(seasons)
        shader = self.layers(f"{path}.qlr")[0].renderer().shader().rasterShaderFunction()
        self.assertEqual(shader.legendSettings().suffix(), " K")
        self.assertEqual((shader.minimumValue(), shader.maximumValue()), (250, 310))
        self.assertGreater(len(shader.colorRampItemList()), 5)
        self.assertTrue(all(item.label.endswith(" K") for item in shader.colorRampItemList()))
        self.assertEqual(shader.sourceColorRamp().type(), "gradient")

    def test_the_file_itself_opens_in_colour(self):
        path, _ = self.made(seasons)
        layer = self.raster(path)
        self.assertEqual(layer.renderer().type(), "singlebandpseudocolor")
        self.assertEqual(layer.renderer().shader().rasterShaderFunction().maximumValue(), 310)

    def test_rows_from_south_or_from_north_are_shown_alike(self):
        def southward(file):
            seasons(file, lat=np.arange(45.0, -46, -10))
        north = self.layers(self.made(seasons)[0] + ".qlr")
        south = self.layers(self.made(southward)[0] + ".qlr")
        np.testing.assert_allclose(self.values(north[0], 60, 35)[0], 250.82, rtol=1e-6)
        np.testing.assert_allclose(self.values(south[0], 60, 35)[0], 250.12, rtol=1e-6)
        self.assertEqual(north[0].extent(), south[0].extent())

    def test_reference_systems_are_known(self):
        def with_mapping(file):
            seasons(file, grid_mapping="crs")
            file.createVariable("crs", "i4", ()).setncatts(dict(grid_mapping_name="latitude_longitude", earth_radius=6371229.0))
        plain = self.layers(self.made(seasons)[0] + ".qlr")[0]
        self.assertEqual((plain.crs().authid(), plain.crs().isValid()), ("EPSG:4326", True))
        own = self.layers(self.made(with_mapping)[0] + ".qlr")[0]
        self.assertTrue(own.crs().isValid())
        self.assertIn("6371229", own.crs().toWkt())
        for case in (with_mapping, fixtures.wgs84, fixtures.lambert, fixtures.rotated_pole, fixtures.rotated_pole_on_a_sphere,
                     fixtures.polar_stereographic, fixtures.mapping_of_named_coordinates, fixtures.mappings_of_two_kinds,
                     fixtures.reference_system_on_the_data, fixtures.large_integers):
            path, _ = self.made(case)
            with self.subTest(case.__name__):
                layer, raster = self.layers(f"{path}.qlr")[0], self.raster(path)
                self.assertTrue(layer.crs().isValid())
                if raster.crs().isValid():
                    self.assert_same_place(layer.crs(), raster.crs(), layer.extent().center())

    def assert_same_place(self, one, other, point):
        plain = QgsCoordinateReferenceSystem("EPSG:4326")
        places = [QgsCoordinateTransform(crs, plain, QgsProject.instance()).transform(point) for crs in (one, other)]
        self.assertLess(places[0].distance(places[1]), 1e-6)

    def test_maps_that_lie_nowhere_have_no_reference_system(self):
        for case in (fixtures.two_dimensional, fixtures.two_dimensional_and_time, fixtures.very_uneven, fixtures.no_coordinates):
            path, _ = self.made(case)
            with self.subTest(case.__name__):
                layer = self.layers(f"{path}.qlr")[0]
                self.assertFalse(layer.crs().isValid())
                extent = layer.extent()
                with Dataset(path.replace(".nc", "_plain.nc")) as file:
                    values = file["tas"][0].filled(np.nan)
                found = self.values(layer, extent.xMinimum() + 2.5 * layer.rasterUnitsPerPixelX(),
                                    extent.yMaximum() - 1.5 * layer.rasterUnitsPerPixelY())
                self.assertIn(np.float32(found[0]), values[:, 2])

    def test_several_variables_have_a_layer_file_each(self):
        def two(file):
            seasons(file)
            season(file, "a&b's", units="<m>", scale_factor=0.5, add_offset=300.0, dtype="i2", fill=np.int16(-9999))
        path, said = self.made(two, names=("tas", "a&b's"))
        self.assertEqual(sorted(said.stdout.split("\n")), ["", f"{path}.a&b's.qlr", f"{path}.tas.qlr"])
        self.assertFalse(os.path.exists(path[:-3] + ".qml"))
        layer = self.layers(f"{path}.a&b's.qlr")[0]
        np.testing.assert_allclose(self.values(layer, 60, 35)[6], 280.82, atol=0.3)
        self.assertTrue(layer.name().startswith("a&b's 2001-01"))
        self.assertEqual(layer.renderer().shader().rasterShaderFunction().legendSettings().suffix(), " <m>")
        self.assertEqual(self.qgis(path, "/tas", "tas").stdout, f"{path}.tas.qlr\n")

    def test_projects_of_several_variables_move_with_their_folder(self):
        def two(file):
            seasons(file)
            season(file, "pr")
        home = f"{self.folder}/here é & 'there'"
        os.mkdir(home)
        _, path = fixtures.make(home, two, names=("tas", "pr"))
        self.qgis(path)
        project = QgsProject.instance()
        self.addCleanup(project.clear)
        project.addMapLayers(self.layers(f"{path}.pr.qlr")[:1])
        self.assertTrue(project.write(f"{home}/project.qgs"))
        project.clear()
        self.assertNotIn(self.folder, Path(home, "project.qgs").read_text("utf8").split("<datasource>")[1].split("<")[0])
        moved = f"{self.folder}/moved"
        shutil.move(home, moved)
        self.assertTrue(project.read(f"{moved}/project.qgs"))
        (layer,) = project.mapLayers().values()
        self.assertTrue(layer.isValid())
        self.assertTrue(layer.source().startswith(moved))
        self.assertEqual(len(self.layers(f"{moved}/{os.path.basename(path)}.tas.qlr")), 12)

    def test_names_of_any_kind(self):
        for name in ("a b.nc", "it's & \"this\" <é>.nc", "100%25 #1;2?.nc", "日本.v2.nc"):
            with self.subTest(name):
                _, made = fixtures.make(self.folder, seasons)
                path = f"{self.folder}/{name}"
                shutil.move(made, path)
                self.qgis(path)
                self.assertEqual(self.layers(f"{path}.qlr")[0].source(), path)
                self.assertEqual(self.raster(path).renderer().type(), "singlebandpseudocolor")

    def test_levels_and_members_are_no_times(self):
        path, _ = self.made(fixtures.no_coordinates)
        (layer,) = self.layers(f"{path}.qlr")
        self.assertFalse(layer.temporalProperties().isActive())
        self.assertEqual((layer.bandCount(), layer.renderer().band()), (3, 1))
        path, _ = self.made(fixtures.levels)
        layers = self.layers(f"{path}.qlr")
        self.assertEqual([layer.renderer().band() for layer in layers], [1, 3, 5])
        self.assertEqual(self.times(layers)[0], ("2001-02-27 00:00", "2001-02-28 00:00"))

    def test_a_map_without_bands(self):
        path, _ = self.made(fixtures.only_plane)
        (layer,) = self.layers(f"{path}.qlr")
        self.assertFalse(layer.temporalProperties().isActive())

    def test_bounds_say_how_long_a_time_lasts(self):
        def bounded(file):
            seasons(file, bounds=True, calendar="noleap")
            file["time_bounds"][:, 1] -= 1
        path, _ = self.made(bounded)
        self.assertEqual(self.times(self.layers(f"{path}.qlr"))[1], ("2001-02-01 00:00", "2001-02-28 00:00"))

    def test_dates_of_models_that_qgis_does_not_have_are_told(self):
        def days(file):
            fixtures.axis(file, "time", np.arange(56, 64) + 0.5, standard_name="time", units="days since 2001-01-01",
                          calendar="360_day")
            fixtures.axis(file, "lat", np.arange(-45.0, 46, 10), **fixtures.LAT)
            fixtures.axis(file, "lon", np.arange(-20.0, 21, 4), **fixtures.LON)
            fixtures.data(file)
        path, said = self.made(days)
        self.assertIn("tas: 2 of 8 times are dates that QGIS does not have (the first: 2001-02-29 12:00:00)", said.stderr)
        layers = self.layers(f"{path}.qlr")
        self.assertEqual([layer.renderer().band() for layer in layers], [1, 2, 5, 6, 7, 8])
        path, said = self.made(lambda file: seasons(file, calendar="360_day"))
        self.assertEqual(said.stderr, "")
        self.assertEqual(self.times(self.layers(f"{path}.qlr"))[11], ("2001-12-01 00:00", "2002-01-01 00:00"))

    def test_packed_data_and_missing_data(self):
        path, _ = self.made(lambda file: seasons(file, dtype="i2", fill=np.int16(-1), scale_factor=0.01, add_offset=273.15))
        layer = self.layers(f"{path}.qlr")[0]
        np.testing.assert_allclose(self.values(layer, 60, 35)[6], 280.82, atol=0.006)
        self.assertEqual(layer.renderer().shader().rasterShaderFunction().maximumValue(), 310)

        def empty(file):
            seasons(file)
            file["tas"][...] = file["tas"]._FillValue
        path, said = self.made(empty)
        self.assertIn("all sampled data are missing", said.stderr)
        self.layers(f"{path}.qlr")

    @unittest.skipUnless(SAMPLE, "no sample")
    def test_the_sample_of_the_demo(self):
        for name in Path(SAMPLE).parent.glob("tas*.nc"):
            shutil.copy(name, self.folder)
        path = f"{self.folder}/tas.nc"
        self.qgis(path)
        layers = self.layers(f"{path}.qlr")
        self.assertTrue(layers[0].crs().isValid())
        self.assertEqual(len(layers), 366)
        self.assertEqual(self.times(layers)[195], ("2024-07-14 00:00", "2024-07-15 00:00"))
        self.assertNotEqual(self.frame_of(layers, 2024, 1, 14), self.frame_of(layers, 2024, 7, 14))
        shader = layers[0].renderer().shader().rasterShaderFunction()
        self.assertTrue(225 <= shader.minimumValue() <= 240 and 300 <= shader.maximumValue() <= 315)


if __name__ == "__main__":
    unittest.main()
