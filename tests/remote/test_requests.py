"""How many requests reads make: a file on a server costs a round trip each, so these are counted, not timed."""
import subprocess
import sys
import unittest

import numpy as np

import files
from served import PRIVATE, ROOT, Served, environment, run


def asked(requests):
    """The number of bytes that requests are for."""
    ranges = [request.range.removeprefix("bytes=").split("-") for request in requests]
    return sum(int(last) - int(first) + 1 for first, last in ranges)


class Requests(Served):
    def count(self, name, *words, expected):
        """Reads and returns how many requests the server had."""
        self.server.requests()
        self.assert_same(self.read(self.url(name), *words), expected)
        return len(self.server.requests())

    def large(self, name, shape, chunks):
        """A file with many chunks of noise, and an aggregation of it."""
        data = np.random.default_rng(5).uniform(200, 300, shape)
        files.fragment(self.www / f"{name}_1.nc", data, zlib=True, complevel=1, chunksizes=chunks)
        files.aggregation(self.www / f"{name}.nc", [f"{name}_1.nc"], shape)
        return data

    def test_one_value_takes_the_aggregation_the_header_and_the_chunk(self):
        data = self.large("one", (100, 5000), (50, 5000))
        self.assertEqual(self.count("one.nc", "--start=70,9", "--count=1,1", expected=data[70:71, 9:10]), 3)

    def test_a_small_fragment_takes_one_request(self):
        names, data = files.fragments(self.www)
        files.aggregation(self.www / "small.nc", names)
        self.assertEqual(self.count("small.nc", expected=data), 1 + len(names))

    def test_an_index_of_many_chunks_is_walked_only_where_the_selection_leads(self):
        data = self.large("many", (2000, 5000), (10, 100))
        one = self.count("many.nc", "--start=1234,4321", "--count=1,1", expected=data[1234:1235, 4321:4322])
        # Aggregation, header, one node of each of two levels below the root, chunk; the root may lie beyond the header.
        self.assertLessEqual(one, 6)
        row = self.count("many.nc", "--start=1234,0", "--count=1,5000", expected=data[1234:1235])
        # 50 chunks that lie side by side.
        self.assertLessEqual(row, 12)

    def test_neighbouring_chunks_are_requested_together(self):
        data = self.large("side", (400, 1000), (1, 1000))
        # The 400 chunks in requests of about 1 MB, and a few nodes of their index.
        self.assertLessEqual(self.count("side.nc", expected=data), 16)

    def test_rows_of_an_uncompressed_file_are_requested_together(self):
        data = np.random.default_rng(6).uniform(200, 300, (1000, 1000))
        files.fragment(self.www / "plain_1.nc", data, contiguous=True)
        files.aggregation(self.www / "plain.nc", ["plain_1.nc"], data.shape)
        self.assertLessEqual(self.count("plain.nc", "--start=0,500", "--count=1000,1", expected=data[:, 500:501]), 12)

    def test_recorded_places_of_chunks_take_a_request_for_each_range(self):
        shape = (2, 40_000)
        names, noise = [f"placed_{number}.nc" for number in range(5)], np.random.default_rng(8)
        parts = [noise.uniform(200, 300, shape) for _ in names]
        for name, part in zip(names, parts):
            files.fragment(self.www / name, part, zlib=True, complevel=1, chunksizes=(1, 40_000))
        files.aggregation(self.www / "placed.nc", names, shape)
        data = np.concatenate(parts)
        self.assertGreaterEqual(self.count("placed.nc", expected=data), 1 + 2 * len(names))
        done = run("index", str(self.www / "placed.nc"), "--at", self.url("placed.nc"), **PRIVATE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.count("placed.nc", expected=data), 1 + len(names))
        one = self.count("placed.nc", "--start=7,0", "--count=1,40000", expected=data[7:8])
        self.assertEqual(one, 2)
        # Another version of one file: it is parsed, the others are not.
        parts[3] = noise.uniform(200, 300, shape)
        files.fragment(self.www / names[3], parts[3], zlib=True, complevel=1, chunksizes=(1, 40_000))
        self.assertLessEqual(self.count("placed.nc", expected=np.concatenate(parts)), 1 + len(names) + 3)

    def test_a_short_aggregation_file_with_many_names_takes_two_requests(self):
        data = self.large("near", (10, 20_000), (1, 20_000))
        count = 20_000
        files.aggregation(self.www / "near_many.nc", ["near_1.nc"] * count, data.shape)
        one = ("--start=25001,0", "--count=1,20000")
        self.assertGreater((self.www / "near_many.nc").stat().st_size, 3 * 65536)
        # Its first block and the rest; the header of the fragment and a chunk.
        self.assertEqual(self.count("near_many.nc", *one, expected=data[1:2]), 4)
        # Names from all over the file.
        self.read(self.url("near_many.nc"), "--start=0,0", "--count=40,1", "--stride=5000,1")
        requests = [request for request in self.server.requests() if request.path.endswith("near_many.nc")]
        self.assertEqual(len(requests), 2)
        done = run("index", str(self.www / "near_many.nc"), "--at", self.url("near_many.nc"), **PRIVATE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.count("near_many.nc", *one, expected=data[1:2]), 3)
        # What needs no more than the first block asks for no more, and a long file is not read whole.
        self.server.requests()
        with open(self.www / "near_many.nc", "ab") as file:
            file.write(bytes(3 << 20))
        self.assert_same(self.read(self.url("near_many.nc"), *one), data[1:2])
        self.assertLess(asked(self.server.requests()), 2 << 20)

    def test_bytes_that_came_with_the_header_are_not_requested_again(self):
        data = self.large("head", (1, 100_000), (1, 100_000))
        self.server.requests()
        self.assert_same(self.read(self.url("head.nc")), data)
        requests = [request for request in self.server.requests() if "head_1" in request.path]
        self.assertEqual(len(requests), 2)
        length = (self.www / "head_1.nc").stat().st_size
        self.assertGreater(length, 3 * 65536)
        self.assertLessEqual(asked(requests), length)

    def test_a_second_read_asks_for_nothing_but_data(self):
        shape = (2, 20_000)
        names = [f"again_{number}.nc" for number in range(5)]
        noise = np.random.default_rng(7)
        for name in names:
            files.fragment(self.www / name, noise.uniform(200, 300, shape), zlib=True, complevel=1, chunksizes=(1, 20_000))
        files.aggregation(self.www / "again.nc", names, shape)
        script = f"""
import sys
sys.path.insert(0, {str(ROOT / "examples")!r})
import cfa_read
with cfa_read.Dataset({self.url("again.nc")!r}) as dataset:
    for _ in range(2):
        dataset["tas"].read()
        print("read", flush=True)
        sys.stdin.readline()
"""
        variables = environment(CFA_LIBRARY=str(ROOT / "build/lib/libcfa.so"), **PRIVATE)
        reader = subprocess.Popen([sys.executable, "-c", script], env=variables, text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.assertEqual(reader.stdout.readline(), "read\n")
        first = len(self.server.requests())
        reader.stdin.write("\n")
        reader.stdin.flush()
        self.assertEqual(reader.stdout.readline(), "read\n")
        second = len(self.server.requests())
        reader.stdin.write("\n")
        reader.stdin.close()
        self.assertEqual(reader.wait(), 0)
        reader.stdout.close()
        self.assertEqual((first, second), (1 + 2 * len(names), len(names)))


if __name__ == "__main__":
    unittest.main()
