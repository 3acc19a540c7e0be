#!/usr/bin/env python3
"""Read the sample of make_sample.py with the program, and compare with the formula that made it.

    check_sample.py DIRECTORY
"""
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from make_sample import DAYS, temperature

PROGRAM = Path(__file__).resolve().parent.parent / "build/bin/cfa"
PRECISION = 0.005 + 1e-4  # half a step of the packing, and the rounding of float32


def read(path, variable):
    output = subprocess.run([PROGRAM, "read", path, variable, "--json"], check=True, stdout=subprocess.PIPE).stdout
    answer = json.loads(output)
    return np.array(answer["values"], float).reshape(answer["shape"])  # null becomes NaN, which compares unequal


def main(directory):
    path = Path(directory) / "tas.nc"
    days = sum(DAYS)
    np.testing.assert_allclose(read(path, "tas"), temperature(0, days), rtol=0, atol=PRECISION, equal_nan=False)
    np.testing.assert_array_equal(read(path, "time"), np.arange(days) + 0.5)
    print(f"{path}: all values are right")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
