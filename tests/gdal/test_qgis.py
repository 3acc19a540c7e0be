"""QGIS without a window: layers, labels of bands, identify, a map, a project. CFA_TEST_MAP keeps the map that is drawn."""
import os
import tempfile
import unittest

import numpy as np
from netCDF4 import Dataset

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
from qgis.core import (  # noqa: E402
    QgsApplication, QgsColorRampShader, QgsCoordinateReferenceSystem, QgsGradientColorRamp, QgsGradientStop, QgsMapRendererParallelJob,
    QgsMapSettings, QgsPointXY, QgsProject, QgsRaster, QgsRasterLayer, QgsSingleBandPseudoColorRenderer)
from qgis.PyQt.QtCore import QSize  # noqa: E402
from qgis.PyQt.QtGui import QColor  # noqa: E402

import fixtures  # noqa: E402

SAMPLE = os.environ.get("CFA_TEST_SAMPLE", "")


class Qgis(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        home = tempfile.TemporaryDirectory()
        cls.addClassCleanup(home.cleanup)
        os.environ["QGIS_CUSTOM_CONFIG_PATH"] = home.name
        cls.app = QgsApplication([], False)
        cls.app.initQgis()
        cls.addClassCleanup(cls.app.exitQgis)
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = cls.temporary.name
        cls.plain, cls.path = fixtures.make(cls.folder, fixtures.wgs84, names=("tas", "time"))
        with Dataset(cls.plain) as file:
            file.set_auto_maskandscale(False)
            cls.values = file["tas"][...]

    def layer(self, source):
        layer = QgsRasterLayer(source, "tas", "gdal")
        self.assertTrue(layer.isValid(), source)
        return layer

    def test_layers_are_valid_with_extent_and_labelled_bands(self):
        for source in (self.path, f'CFA:"{self.path}":tas'):
            layer = self.layer(source)
            self.assertEqual(layer.bandCount(), 5)
            self.assertIn("2001-03-01 12:00:00", layer.bandName(3))
            extent = layer.extent()
            self.assertEqual((extent.xMinimum(), extent.yMinimum(), extent.xMaximum(), extent.yMaximum()),
                             (-22, -50, 22, 50))
            self.assertTrue(layer.crs().isValid())
            self.assertEqual(layer.crs().toWkt(), self.layer(self.plain).crs().toWkt())

    def test_identified_values_are_those_of_the_file(self):
        layer = self.layer(self.path)
        result = layer.dataProvider().identify(QgsPointXY(-16, 35), QgsRaster.IdentifyFormatValue)
        found = [result.results()[band] for band in range(1, 6)]
        np.testing.assert_allclose(found, self.values[:, 8, 1], rtol=1e-6)

    def test_a_project_is_saved_and_opened_again(self):
        project = QgsProject.instance()
        project.addMapLayer(self.layer(f'CFA:"{self.path}":tas'))
        name = f"{self.folder}/project.qgz"
        self.assertTrue(project.write(name))
        project.clear()
        self.assertTrue(project.read(name))
        layers = list(project.mapLayers().values())
        self.assertEqual(len(layers), 1)
        self.assertTrue(layers[0].isValid())
        project.clear()

    def test_a_map_is_drawn(self):
        layer = self.layer(SAMPLE or self.path)
        band = min(layer.bandCount(), 196)
        low, high = (225, 310) if SAMPLE else (-100, 100)
        shader = QgsSingleBandPseudoColorRenderer(layer.dataProvider(), band)
        shader.setClassificationMin(low)
        shader.setClassificationMax(high)
        ramp = QgsGradientColorRamp(QColor("#2c2a72"), QColor("#a31621"), False,
                                    [QgsGradientStop(0.45, QColor("#7fc8d8")), QgsGradientStop(0.75, QColor("#f6e27a"))])
        shader.createShader(ramp, QgsColorRampShader.Interpolated, QgsColorRampShader.Continuous, 12)
        layer.setRenderer(shader)
        settings = QgsMapSettings()
        settings.setLayers([layer])
        settings.setExtent(layer.extent())
        settings.setDestinationCrs(layer.crs() if layer.crs().isValid() else QgsCoordinateReferenceSystem("EPSG:4326"))
        settings.setOutputSize(QSize(720, 360))
        job = QgsMapRendererParallelJob(settings)
        job.start()
        job.waitForFinished()
        self.assertFalse([error.message for error in job.errors()])
        image = job.renderedImage()
        colours = {image.pixel(x, y) for x in range(0, 720, 7) for y in range(0, 360, 7)}
        self.assertGreater(len(colours), 50)
        self.assertTrue(image.save(os.environ.get("CFA_TEST_MAP") or f"{self.folder}/map.png"))


if __name__ == "__main__":
    unittest.main()
