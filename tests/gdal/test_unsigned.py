"""Integers with the attribute _Unsigned: read as the netCDF driver reads them from a plain file."""
import tempfile
import unittest
from pathlib import Path

import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

import fixtures

gdal.UseExceptions()


def make(folder, dtype, text, fill=-1, **attributes):
    """A plain file and its aggregation, the values that are meant, and where they are not missing."""
    values = (np.arange(110).reshape(10, 11) * 2 - 100).astype("i8")
    values.flat[7] = -1
    stored = values.astype(dtype)

    def case(file):
        fixtures.axis(file, "lat", np.arange(45.0, -46, -10), **fixtures.LAT)
        fixtures.axis(file, "lon", np.arange(-20.0, 21, 4), **fixtures.LON)
        fill_value = None if fill is None else np.array(fill).astype(dtype)
        variable = file.createVariable("v", dtype, ("lat", "lon"), fill_value=fill_value)
        variable.set_auto_maskandscale(False)
        variable[...] = stored
        variable.setncatts({"_Unsigned": text, **attributes})

    plain, path = fixtures.make(folder, case, names=("v",))
    fragments = list(Path(folder).glob("case_v_*.nc"))
    assert fragments, "there are no fragments to mark"
    for fragment in fragments:
        with Dataset(fragment, "a") as file:
            file["v"].setncattr("_Unsigned", text)
    return plain, path, stored


def array(path):
    return gdal.OpenEx(path, gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("v")


def traits(path):
    multidim = array(path)
    dataset = gdal.Open(path)
    band = dataset.GetRasterBand(1)
    own = multidim.GetDataType().GetNumericDataType()
    metadata = {key: text for key, text in band.GetMetadata().items() if key in ("_FillValue", "valid_range")}
    return {"type": gdal.GetDataTypeName(own), "nodata": multidim.GetNoDataValueAsDouble(),
            "values": multidim.ReadAsArray().tolist(), "mask": multidim.GetMask().ReadAsArray().tolist(),
            "attributes": sorted(a.GetName() for a in multidim.GetAttributes()),
            "band type": gdal.GetDataTypeName(band.DataType), "band nodata": band.GetNoDataValue(),
            "scale": (band.GetScale(), band.GetOffset(), multidim.GetScale(), multidim.GetOffset()),
            "metadata": metadata}


class Unsigned(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = self.temporary.name

    def test_types_and_numbers_are_those_of_the_netcdf_driver(self):
        cases = [("i1", "true"), ("i2", "true"), ("i2", "false"), ("i4", "true"), ("u1", "false"), ("u2", "false")]
        for dtype, text in cases:
            with self.subTest(dtype=dtype, unsigned=text), tempfile.TemporaryDirectory() as folder:
                plain, path, _ = make(folder, dtype, text)
                self.assertEqual(gdal.Open(path).GetDriver().ShortName, "CFA")
                self.assertEqual(traits(path), traits(plain))

    def test_values_are_the_same_in_every_buffer(self):
        for dtype, sense in (("i1", "u1"), ("i2", "u2")):
            _, path, stored = make(self.folder, dtype, "true")
            meant = stored.view(sense)
            dataset = gdal.Open(path)
            for number, buffer in ((gdal.GDT_Byte, "u1"), (gdal.GDT_Int16, "i2"), (gdal.GDT_UInt16, "u2"),
                                   (gdal.GDT_Int32, "i4"), (gdal.GDT_Float32, "f4"), (gdal.GDT_Float64, "f8")):
                with self.subTest(dtype=dtype, buffer=buffer):
                    expected = meant.astype("f8")
                    if np.dtype(buffer).kind != "f":
                        expected = np.clip(expected, np.iinfo(buffer).min, np.iinfo(buffer).max)
                    np.testing.assert_array_equal(dataset.ReadAsArray(buf_type=number), expected)
                    read = array(path).Read(buffer_datatype=gdal.ExtendedDataType.Create(number))
                    np.testing.assert_array_equal(np.frombuffer(read, buffer).reshape(10, 11), expected)

    def test_statistics_and_mask_leave_out_what_is_missing(self):
        for dtype, sense in (("i1", "u1"), ("i2", "u2")):
            with self.subTest(dtype):
                _, path, stored = make(self.folder, dtype, "true")
                meant = stored.view(sense).astype("f8").ravel()
                meant = np.delete(meant, 7)
                dataset = gdal.Open(path)
                band = dataset.GetRasterBand(1)
                np.testing.assert_allclose(band.ComputeStatistics(False), (meant.min(), meant.max(), meant.mean(), meant.std()))
                self.assertEqual(np.count_nonzero(band.GetMaskBand().ReadAsArray()), 109)

    def test_packed_numbers_keep_scale_and_offset(self):
        plain, path, stored = make(self.folder, "i2", "true", scale_factor=0.5, add_offset=10.0)
        self.assertEqual(traits(path), traits(plain))
        unscaled = array(path).GetUnscaled().ReadAsArray()
        expected = stored.view("u2") * 0.5 + 10
        expected.flat[7] = np.nan
        np.testing.assert_array_equal(unscaled, expected)

    def test_a_valid_range_is_told_in_the_numbers_that_are_meant(self):
        plain, path, stored = make(self.folder, "i2", "true", valid_range=np.array([-90, -2], "i2"))
        self.assertEqual(traits(path)["metadata"], traits(plain)["metadata"])
        self.assertEqual(list(array(path).GetAttribute("valid_range").Read()), [65446, 65534])
        valid = (stored >= -90) & (stored <= -2)
        np.testing.assert_array_equal(array(path).GetMask().ReadAsArray(), valid)

    def test_a_missing_value_is_told_in_the_numbers_that_are_meant(self):
        for dtype, most in (("i1", 255), ("i2", 65535)):
            with self.subTest(dtype):
                _, path, _ = make(self.folder, dtype, "true", fill=None, missing_value=np.array(-1, dtype))
                found = traits(path)
                self.assertEqual((found["nodata"], found["band nodata"], np.sum(found["mask"])), (most, most, 109))


if __name__ == "__main__":
    unittest.main()
