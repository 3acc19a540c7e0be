"""Aggregations made of files on a server: the same as of local files."""
import json
import unittest

import numpy as np
from netCDF4 import Dataset

import files
from served import PRIVATE, Served, run

COUNT = 30


def days(folder):
    """Daily files with coordinates; returns their names and the data of all."""
    names, parts = [], []
    for day in range(COUNT):
        names.append(f"tas {day:02}.nc")
        with Dataset(folder / names[-1], "w") as file:
            file.createDimension("time", 1)
            file.createDimension("x", 4)
            time = file.createVariable("time", "f8", ["time"])
            time.units, time[...] = "days since 2001-01-01", day
            tas = file.createVariable("tas", "f8", ["time", "x"])
            tas.units, tas[...] = "K", files.values(day, (1, 4))
            parts.append(files.values(day, (1, 4)))
    return names, np.concatenate(parts)


class Create(Served):
    def make(self, out, *inputs, **variables):
        done = run("create", str(self.local / out), *inputs, **{**PRIVATE, **variables})
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.local / out

    def shown(self, path):
        """What `cfa info` tells, without the name of the file and its history."""
        told = json.loads(run("info", str(path), "--json", **PRIVATE).stdout)
        told.pop("file")
        for group in told["groups"]:
            group["attributes"].pop("history", None)
        return told

    def test_addresses_a_list_and_a_mixture_make_the_same(self):
        names, data = days(self.www)
        encoded = [name.replace(" ", "%20") for name in names]
        local = self.make("local.nc", str(self.www))
        self.server.requests()
        remote = self.make("remote.nc", *(self.url(name) for name in encoded))
        self.assertEqual(len(self.server.requests()), COUNT)
        (self.local / "list.txt").write_text("# half and half\n" + "".join(
            (self.url(encoded[i]) if i % 2 else str(self.www / names[i])) + "\n" for i in range(COUNT)))
        mixed = self.make("mixed.nc", f"@{self.local / 'list.txt'}")
        for path in (local, remote, mixed):
            self.assertEqual(self.shown(path), self.shown(local))
            self.assert_same(self.read(path), data)
        listed = json.loads(run("info", str(remote), "tas", "--fragments", "--json", **PRIVATE).stdout)
        places = [entry["versions"][0] for entry in listed["variables"][0]["fragments"]]
        self.assertEqual([place["location"] for place in places], [self.url(name) for name in encoded])
        self.assertEqual({place["state"] for place in places}, {"there"})

    def test_a_file_that_is_not_there_is_named(self):
        names, _ = days(self.www)
        absent = self.url("none.nc")
        done = run("create", str(self.local / "agg.nc"), str(self.www / names[0]), absent, **PRIVATE)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{absent}: no such file", done.stderr)
        self.assertFalse((self.local / "agg.nc").exists())

    def test_settings_of_the_command_line(self):
        names, data = days(self.www)
        inputs = [self.url(name) for name in names]
        done = run("create", str(self.local / "agg.nc"), *inputs)
        self.assertIn("ALLOW_PRIVATE_NETWORK", done.stderr)
        done = run("create", str(self.local / "agg.nc"), *inputs, "--set", "ALLOW_PRIVATE_NETWORK=YES", "--record-state")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_same(self.read(self.local / "agg.nc"), data)
        # Their time is recorded too.
        done = run("create", str(self.local / "agg.nc"), *inputs, "--update", **PRIVATE)
        self.assertIn(f"{COUNT} of the files are already", done.stdout)
        with Dataset(self.local / "agg.nc") as file:
            recorded = [variable[...] for variable in file.variables.values()
                        if variable.dtype == np.float64 and variable.shape == (COUNT, 1)]
        stated = {(self.www / names[0]).stat().st_size, int((self.www / names[0]).stat().st_mtime)}
        self.assertEqual({int(values[0, 0]) for values in recorded}, stated)


if __name__ == "__main__":
    unittest.main()
