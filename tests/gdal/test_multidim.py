"""Aggregations through GDAL's multidimensional API."""
import json
import tempfile
import unittest

import numpy as np
from netCDF4 import Dataset
from osgeo import gdal

import fixtures

gdal.UseExceptions()


def root(path, **options):
    return gdal.OpenEx(path, gdal.OF_MULTIDIM_RASTER, open_options=[f"{k}={v}" for k, v in options.items()]).GetRootGroup()


class Multidimensional(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.plain, self.path = fixtures.make(self.temporary.name, fixtures.levels, names=("tas", "time"))
        with Dataset(self.plain) as file:
            file.set_auto_maskandscale(False)
            self.values = file["tas"][...]
        self.tas = root(self.path).OpenMDArray("tas")

    def test_definitions_of_fragments_are_hidden_unless_all_is_asked_for(self):
        group = root(self.path)
        self.assertEqual(sorted(group.GetMDArrayNames()), ["lat", "lev", "lon", "tas", "time"])
        everything = group.GetMDArrayNames(["SHOW_ALL=YES"])
        self.assertIn("map_tas", everything)
        self.assertIsNotNone(group.OpenMDArray("map_tas"))
        self.assertNotIn("time", group.GetMDArrayNames(["SHOW_TIME=NO"]))
        self.assertEqual(group.GetMDArrayNames(["SHOW_INDEXING=NO"]), ["tas"])

    def test_dimensions_have_meaning_and_coordinates_also_when_these_are_aggregated(self):
        time, lev, lat, lon = self.tas.GetDimensions()
        self.assertEqual([d.GetType() for d in (time, lev, lat, lon)],
                         ["TEMPORAL", "VERTICAL", "HORIZONTAL_Y", "HORIZONTAL_X"])
        self.assertEqual([d.GetDirection() for d in (time, lev, lat, lon)], ["", "DOWN", "NORTH", "EAST"])
        coordinate = time.GetIndexingVariable()
        self.assertIn("DIALECT", coordinate.GetStructuralInfo())
        np.testing.assert_array_equal(coordinate.ReadAsArray(), [0.5, 1.5, 2.5])

    def test_an_array_outlives_its_dataset(self):
        np.testing.assert_array_equal(self.tas.ReadAsArray(), self.values)

    def test_steps_and_strides_may_be_anything(self):
        for view in ("[::-1,...]", "[0]", "[:,1,::3,::-2]", "[2:0:-1,0,5:2:-1,1::2]"):
            with self.subTest(view):
                index = eval(f"np.s_{view}")
                np.testing.assert_array_equal(self.tas.GetView(view).ReadAsArray(), self.values[index])
        turned = self.tas.Transpose([3, 1, 0, 2])
        np.testing.assert_array_equal(turned.ReadAsArray(), self.values.transpose(3, 1, 0, 2))

    def test_buffers_of_other_types_are_filled_as_gdal_converts(self):
        part = self.tas.Read(array_start_idx=[0, 0, 1, 1], count=[1, 1, 2, 3],
                             buffer_datatype=gdal.ExtendedDataType.Create(gdal.GDT_Float64))
        np.testing.assert_array_equal(np.frombuffer(part, "f8").reshape(2, 3), self.values[0, 0, 1:3, 1:4])
        part = self.tas.Read(array_start_idx=[0, 0, 1, 1], count=[1, 1, 2, 3],
                             buffer_datatype=gdal.ExtendedDataType.Create(gdal.GDT_Int16))
        np.testing.assert_array_equal(np.frombuffer(part, "i2").reshape(2, 3), np.round(self.values[0, 0, 1:3, 1:4]))

    def test_the_mask_is_that_of_missing_values(self):
        mask = self.tas.GetMask().ReadAsArray()
        np.testing.assert_array_equal(mask, self.values != np.float32(1e20))

    def test_it_can_be_seen_as_a_classic_dataset(self):
        dataset = self.tas.AsClassicDataset(3, 2)
        np.testing.assert_array_equal(dataset.GetRasterBand(4).ReadAsArray(), self.values[1, 1])

    def test_reading_ahead_and_blocks_and_structure_are_there(self):
        self.tas.AdviseRead([0, 0, 0, 0], [3, 2, 5, 5])
        self.assertEqual(self.tas.GetBlockSize(), [1, 1, 5, 5])
        self.assertEqual(self.tas.GetStructuralInfo(), {"DIALECT": "CF-1.13", "FRAGMENTS": "2x1x1x1"})
        self.assertEqual(self.tas.GetUnit(), "K")
        self.assertEqual(self.tas.GetNoDataValueAsDouble(), np.float32(1e20))

    def test_statistics_are_kept_beside_the_file(self):
        found = self.tas.ComputeStatistics()
        valid = self.values[self.values != np.float32(1e20)]
        self.assertAlmostEqual(found.min, valid.min(), places=4)
        self.assertEqual(found.valid_count, valid.size)
        del found
        self.tas = None
        kept = root(self.path).OpenMDArray("tas").GetStatistics()
        self.assertAlmostEqual(kept.max, valid.max(), places=4)

    def test_packing_is_given_as_scale_and_offset(self):
        _, path = fixtures.make(self.temporary.name, fixtures.packed)
        array = root(path).OpenMDArray("tas")
        self.assertEqual((array.GetScale(), array.GetOffset()), (0.01, 273.15))
        self.assertNotIn("scale_factor", [a.GetName() for a in array.GetAttributes()])

    def test_attributes_are_listed_as_in_the_netcdf_driver(self):
        plain = f"{self.temporary.name}/listed_plain.nc"
        with Dataset(plain, "w") as file:
            fixtures.lambert(file)
            file["tas"].missing_value = np.float32(1e20)
        path = str(fixtures.aggregate(plain, f"{self.temporary.name}/listed.nc", ["tas"]))
        expected, found = (root(name).OpenMDArray("tas") for name in (plain, path))
        ours = {"aggregated_dimensions", "aggregated_data"}
        for options in ([], ["SHOW_ALL=YES"]):
            names = [{a.GetName() for a in array.GetAttributes(options)} for array in (expected, found)]
            self.assertEqual(names[1] - ours, names[0])
        for name in ("grid_mapping", "missing_value", "_FillValue"):
            self.assertEqual(found.GetAttribute(name).Read(), expected.GetAttribute(name).Read())
        self.assertIn("grid_mapping", names[1])

    def test_attributes_have_their_types(self):
        plain = f"{self.temporary.name}/attributes_plain.nc"
        with Dataset(plain, "w") as file:
            fixtures.ascending(file)
            values = {"text": "Å", "strings": ["a", "bc"], "byte": np.int8(-3), "ints": np.array([1, -2], "i4"),
                      "big": np.int64(2**53 + 1), "unsigned": np.uint64(2**64 - 1), "half": np.float32(0.5),
                      "doubles": np.array([1e300, 2.0])}
            file["tas"].setncatts(values)
        path = fixtures.aggregate(plain, f"{self.temporary.name}/attributes.nc", ["tas"])
        found = {a.GetName(): a for a in root(str(path)).OpenMDArray("tas").GetAttributes()}
        self.assertEqual(found["text"].Read(), "Å")
        self.assertEqual(list(found["strings"].Read()), ["a", "bc"])
        self.assertEqual(found["byte"].Read(), -3)
        self.assertEqual(list(found["ints"].Read()), [1, -2])
        self.assertEqual(np.frombuffer(found["big"].ReadAsRaw(), "i8")[0], 2**53 + 1)
        self.assertEqual(np.frombuffer(found["unsigned"].ReadAsRaw(), "u8")[0], 2**64 - 1)
        self.assertEqual(found["half"].Read(), 0.5)
        self.assertEqual(list(found["doubles"].Read()), [1e300, 2.0])

    def test_coordinate_variables_are_those_that_the_variable_names(self):
        _, path = fixtures.make(self.temporary.name, fixtures.two_dimensional)
        array = root(path).OpenMDArray("tas")
        self.assertEqual([c.GetFullName() for c in array.GetCoordinateVariables()], ["/lat", "/lon"])

    def test_strings_are_read_whole_and_in_part(self):
        words = np.array(["a", "", "Ångström", "d e"], object)
        plain = f"{self.temporary.name}/words_plain.nc"
        with Dataset(plain, "w") as file:
            file.createDimension("station", 4)
            file.createVariable("name", str, ("station",))[:] = words
        path = f"{self.temporary.name}/words.nc"
        with Dataset(path, "w") as file:
            for dimension, size in (("station", 4), ("one", 1)):
                file.createDimension(dimension, size)
            file.createVariable("map", "i4", ("one", "one"))[:] = 4
            file.createVariable("uris", str, ("one",))[0] = "words_plain.nc"
            file.createVariable("id", str, ())[...] = "name"
            name = file.createVariable("name", str, ())
            name.aggregated_dimensions = "station"
            name.aggregated_data = "map: map uris: uris identifiers: id"
        array = root(path).OpenMDArray("name")
        # An empty string is the default fill value of strings: missing.
        expected = [word or None for word in words]
        self.assertEqual(list(array.Read()), expected)
        self.assertEqual(list(array.GetView("[::-2]").Read()), expected[::-2])

    def test_multidiminfo(self):
        info = gdal.MultiDimInfo(self.path, detailed=True)
        self.assertEqual(info["driver"], "CFA")
        self.assertEqual(info["arrays"]["tas"]["dimensions"], ["/time", "/lev", "/lat", "/lon"])
        np.testing.assert_allclose(np.array(info["arrays"]["time"]["values"], "f8"), [0.5, 1.5, 2.5])

    def test_groups_are_walked(self):
        plain = f"{self.temporary.name}/groups_plain.nc"
        with Dataset(plain, "w") as file:
            fixtures.ascending(file)
        path = str(fixtures.aggregate(plain, f"{self.temporary.name}/groups.nc", ["tas"]))
        with Dataset(path, "a") as file:
            inner = file.createGroup("forecast/day1")
            inner.purpose = "test"
            inner.createVariable("flag", "i4", ("lat",))[:] = np.arange(10)
        group = root(path)
        self.assertEqual(group.GetGroupNames(), ["forecast"])
        inner = group.OpenGroupFromFullname("/forecast/day1")
        self.assertEqual(inner.GetAttribute("purpose").Read(), "test")
        array = group.OpenMDArrayFromFullname("/forecast/day1/flag")
        self.assertEqual(array.GetDimensions()[0].GetFullName(), "/lat")
        np.testing.assert_array_equal(array.ReadAsArray(), np.arange(10))

    def test_signed_bytes_are_held_by_a_type_that_fits(self):
        plain = f"{self.temporary.name}/bytes_plain.nc"
        with Dataset(plain, "w") as file:
            fixtures.times(file)
            fixtures.data(file, ("time",), "b", "i1", fill=np.int8(-128))
            expected = np.array(file["b"][...])
        path = str(fixtures.aggregate(plain, f"{self.temporary.name}/bytes.nc", ["b"]))
        array = root(path).OpenMDArray("b")
        np.testing.assert_array_equal(array.ReadAsArray(), expected)
        self.assertEqual(array.GetNoDataValueAsDouble(), -128)

    def test_attributes_that_only_define_an_aggregation_are_hidden(self):
        with Dataset(self.plain) as source, Dataset(f"{self.temporary.name}/older.nc", "w") as out:
            for dimension in source.dimensions.values():
                out.createDimension(dimension.name, len(dimension))
            for name in ("time", "lev", "lat", "lon"):
                fixtures.copy_variable(source, out, name)
            variable = out.createVariable("tas", "f4", (), fill_value=np.float32(1e20))
            part = {"file": self.plain, "ncvar": "tas", "format": "netCDF", "shape": source["tas"].shape}
            variable.setncatts({"cf_role": "cfa_variable", "cfa_dimensions": "time lev lat lon", "units": "K",
                                "cfa_array": json.dumps({"Partitions": [{"subarray": part}]}),
                                "cfa_fragment_state": "size: s modified: m", "cell_methods": "time: mean"})
        array = root(f"{self.temporary.name}/older.nc").OpenMDArray("tas")
        np.testing.assert_array_equal(array.ReadAsArray(), self.values)
        self.assertEqual([a.GetName() for a in array.GetAttributes()], ["cell_methods"])
        dataset = gdal.Open(f"{self.temporary.name}/older.nc")
        self.assertFalse([key for key in dataset.GetMetadata() if "cf_role" in key or "cfa_" in key])
        self.assertNotIn("cf_role", dataset.GetRasterBand(1).GetMetadata())


if __name__ == "__main__":
    unittest.main()
