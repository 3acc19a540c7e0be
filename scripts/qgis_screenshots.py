"""Run by QGIS (--code) for scripts/qgis_screenshots.sh: opens the sample in three ways and takes a picture of the window each time.

What docs/qgis.md says of each is checked: one band in colour, reference system, times, and that July does not look like
January.
"""
import os
import sys
import traceback

from qgis.core import QgsLayerDefinition, QgsProject
from qgis.PyQt.QtCore import QDate, QDateTime, QEventLoop, QSize, Qt, QTime, QTimer
from qgis.PyQt.QtWidgets import QAbstractButton, QComboBox, QDockWidget, QToolBar
from qgis.utils import iface

SAMPLE, FOLDER = os.environ["CFA_SAMPLE"], os.environ["CFA_PICTURES"]
WINDOW = iface.mainWindow()


def wait(milliseconds):
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec_()


def drawn():
    """Waits until the map is drawn."""
    wait(300)
    canvas = iface.mapCanvas()
    canvas.refreshAllLayers()
    canvas.waitWhileRendering()
    while canvas.isDrawing():
        wait(100)
    wait(700)


def moment(hour):
    return QDateTime(QDate(2024, 1, 1), QTime(hour, 0), Qt.UTC)


def take(name):
    drawn()
    picture = WINDOW.grab().toImage()
    if not picture.save(f"{FOLDER}/{name}.png", "PNG", 0):
        raise OSError(f"cannot write {FOLDER}/{name}.png")


def arrange():
    """A small window with what matters in it."""
    for bar in WINDOW.findChildren(QToolBar):
        bar.setVisible(bar.objectName() in ("mFileToolBar", "mMapNavToolBar"))
    for dock in WINDOW.findChildren(QDockWidget):
        dock.setVisible(dock.objectName() == "Layers")
    WINDOW.showNormal()
    WINDOW.resize(QSize(1100, 560))
    wait(500)
    layers = WINDOW.findChild(QDockWidget, "Layers")
    WINDOW.resizeDocks([layers], [300], Qt.Horizontal)


def show_all():
    iface.mapCanvas().zoomToFullExtent()
    drawn()


def expect(found, wanted):
    if found != wanted:
        raise ValueError(f"{found!r} instead of {wanted!r}")


def map_now():
    drawn()
    return iface.mapCanvas().grab().toImage()


def animate(day, begin):
    """Opens the temporal controller, which knows when the data begin, chooses steps of a day, and goes to a day of the year."""
    dock = WINDOW.findChild(QDockWidget, "Temporal Controller")
    dock.setVisible(True)
    wait(500)
    dock.findChild(QAbstractButton, "mNavigationAnimated").click()
    wait(300)
    controller = iface.mapCanvas().temporalController()
    expect(controller.temporalExtents().begin().toUTC().toString(Qt.ISODate), begin.toString(Qt.ISODate))
    steps = dock.findChild(QComboBox, "mTimeStepsComboBox")
    steps.setCurrentIndex(steps.findText("days"))
    wait(500)
    WINDOW.resizeDocks([dock], [120], Qt.Vertical)
    winter = map_now()
    expect(map_now() == winter, True)
    controller.setCurrentFrameNumber(day)
    wait(500)
    shown = controller.dateTimeRangeForFrameNumber(controller.currentFrameNumber()).begin().date()
    expect(shown.toString(Qt.ISODate), QDate(2024, 1, 1).addDays(day).toString(Qt.ISODate))
    expect(map_now() == winter, False)


def clear():
    dock = WINDOW.findChild(QDockWidget, "Temporal Controller")
    dock.findChild(QAbstractButton, "mNavigationOff").click()
    dock.setVisible(False)
    QgsProject.instance().clear()
    wait(500)


def raster():
    layer = iface.addRasterLayer(SAMPLE, "tas")
    expect((layer.isValid(), layer.bandCount(), layer.renderer().type()), (True, 366, "singlebandpseudocolor"))
    expect(layer.crs().authid(), "EPSG:4326")
    show_all()
    take("qgis-raster")
    clear()


def layer_file():
    QgsLayerDefinition.loadLayerDefinition(f"{SAMPLE}.qlr", QgsProject.instance(), QgsProject.instance().layerTreeRoot())
    layers = QgsProject.instance().mapLayers().values()
    expect({(layer.isValid(), layer.crs().authid(), layer.temporalProperties().isActive()) for layer in layers},
           {(True, "EPSG:4326", True)})
    expect((len(layers), next(iter(layers)).renderer().shader().rasterShaderFunction().legendSettings().suffix()), (366, " K"))
    show_all()
    animate(195, moment(0))
    take("qgis")
    clear()


def mesh():
    expect(iface.addMeshLayer(SAMPLE, "tas", "mdal").isValid(), True)
    show_all()
    animate(195, moment(12))
    take("qgis-mesh")
    clear()


def main():
    try:
        arrange()
        for step in (raster, layer_file, mesh):
            step()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


# QGIS finishes its window after it has run this.
QTimer.singleShot(2000, main)
