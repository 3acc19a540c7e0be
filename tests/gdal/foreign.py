"""Files of other formats than netCDF, and aggregations of them."""
import struct

import numpy as np
from netCDF4 import Dataset
from osgeo import gdal, osr

gdal.UseExceptions()

SHAPE = (4, 6)


def geotiff(path, bands, **traits):
    data = gdal.GetDriverByName("GTiff").Create(path, SHAPE[1], SHAPE[0], len(bands), traits.get("type", gdal.GDT_Float32),
                                                options=["TILED=YES", "BLOCKXSIZE=16", "BLOCKYSIZE=16", "COMPRESS=DEFLATE"])
    for number, values in enumerate(bands, 1):
        band = data.GetRasterBand(number)
        band.WriteArray(values)
        if "missing" in traits:
            band.SetNoDataValue(traits["missing"])
        if "scale" in traits:
            band.SetScale(traits["scale"])
            band.SetOffset(traits["offset"])
        if "units" in traits:
            band.SetUnitType(traits["units"])


def grib(path, values):
    memory = gdal.GetDriverByName("MEM").Create("", SHAPE[1], SHAPE[0], 1, gdal.GDT_Float64)
    system = osr.SpatialReference()
    system.SetFromUserInput("+proj=longlat +a=6371229 +b=6371229 +no_defs")
    memory.SetProjection(system.ExportToWkt())
    memory.SetGeoTransform((0, 1, 0, 10, 0, -1))
    memory.GetRasterBand(1).WriteArray(values)
    gdal.GetDriverByName("GRIB").CreateCopy(path, memory, options=["DATA_ENCODING=IEEE_FLOATING_POINT"])


def zarr(path, values):
    group = gdal.GetDriverByName("Zarr").CreateMultiDimensional(path).GetRootGroup()
    dimensions = [group.CreateDimension(name, None, None, size) for name, size in zip("yx", SHAPE)]
    array = group.CreateMDArray("tas", dimensions, gdal.ExtendedDataType.Create(gdal.GDT_Float32))
    array.SetUnit("K")
    array.Write(np.ascontiguousarray(values, "f4"))


def hdf4(path, values):
    image = gdal.GetDriverByName("HDF4Image").Create(path, SHAPE[1], SHAPE[0], 1, gdal.GDT_Float32, options=["RANK=2"])
    image.GetRasterBand(1).WriteArray(values)


def put_elsewhere(path, name, length):
    """Make the data of an HDF4 file an external element."""
    with open(path, "rb") as file:
        content = bytearray(file.read())
    at, found = 4, False
    while at:
        count, following = struct.unpack_from(">HI", content, at)
        for entry in range(at + 6, at + 6 + 12 * count, 12):
            tag, reference = struct.unpack_from(">HH", content, entry)
            if tag == 702:
                head = struct.pack(">HIII", 2, length, 0, len(name)) + name
                struct.pack_into(">HHII", content, entry, tag | 0x4000, reference, len(content), len(head))
                content += head
                found = True
        at = following
    assert found
    with open(path, "wb") as file:
        file.write(content)


def aggregation(path, fragments, formats=None, shape=SHAPE, steps=None):
    """(time, y, x) of fragments, one time step each by default; each fragment is a location and an identifier."""
    steps = steps or [1] * len(fragments)
    with Dataset(path, "w") as out:
        out.Conventions = "CF-1.13" if formats is None else "CFA-0.6.2"
        for name, size in (("time", sum(steps)), ("y", shape[0]), ("x", shape[1]), ("one", 1), ("j", 3),
                           ("i", len(fragments))):
            out.createDimension(name, size)
        tas = out.createVariable("tas", "f8", (), fill_value=-999.0)
        tas.units = "K"
        tas.aggregated_dimensions = "time y x"
        table = np.ma.masked_all((3, len(fragments)), "i4")
        table[0], table[1, 0], table[2, 0] = steps, *shape
        out.createVariable("map", "i4", ("j", "i"), fill_value=-1)[:] = table
        grid = ("i", "one", "one")
        columns = [("uris", [f[0] for f in fragments]), ("ids", [f[1] for f in fragments])]
        if formats is None:
            tas.aggregated_data = "map: map uris: uris identifiers: ids"
        else:
            tas.aggregated_data = "location: map file: uris format: formats address: ids"
            columns.append(("formats", formats))
        for name, values in columns:
            out.createVariable(name, str, grid)[...] = np.array(values, object).reshape(-1, 1, 1)


def read(path, **options):
    array = gdal.OpenEx(path, gdal.OF_MULTIDIM_RASTER, open_options=[f"{k}={v}" for k, v in options.items()])
    return array.GetRootGroup().OpenMDArray("tas").ReadAsArray()
