"""What `cfa create` and `cfa extract` make is to cf-python what it makes of the files itself, and the other way round.

    compare.py CFA FOLDER DIALECT

FOLDER gets the inputs and results. Every case of `inputs.py` is aggregated by `cfa` and by cf-python; all that
cf-python knows of both is compared: values, coordinates, bounds, cell measures, grid mappings, domain ancillaries, cell
methods, units, calendars, properties. Then cf-python writes its aggregation, and `cfa read` has to give its values.
"""

import json
import logging
import os
import subprocess
import sys
import traceback
import warnings

import cf
import dask
import numpy as np

import inputs

# What belongs to one file and not to its data.
OF_FILES = ["Conventions", "history", "tracking_id"]

# cfdm 1.13.3 cannot read fragments that lack a dimension of size 1, not even in its own files.
UNREADABLE = "Too many indices for array"

# What it says of data that it changed on reading, as by conversion of units; it has no aggregation for them then.
UNWRITABLE = "does not reference a unique fragment dataset"

# One unit in the last place of single precision, in which units are converted.
cf.rtol(1.2e-7)

# libnetcdf, which cf-python reads and writes with, does not bear the threads that dask would start.
dask.config.set(scheduler="synchronous")

# Some libraries tell every step once cf-python is asked for reasons.
for library in ("pyfive", "h5netcdf"):
    logging.getLogger(library).setLevel(logging.ERROR)
warnings.filterwarnings("ignore", message="invalid value encountered in cast")

failures = []


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def by_name(fields):
    """Fields by the name of their variable; one that cf-python did not join would be there twice."""
    found = {}
    for field in fields:
        name = field.nc_get_variable()
        assert name not in found, f"cf-python makes several fields of {name}"
        found[name] = field
    return found


def common_units(field, like):
    """Brings the constructs of a field to the units of another: which of several equal ones is a matter of taste."""
    theirs = {c.nc_get_variable(None): c for c in like.constructs.filter_by_data().values()}
    for construct in [field, *field.constructs.filter_by_data().values()]:
        other = like if construct is field else theirs.get(construct.nc_get_variable(None))
        if other is not None and construct.Units != other.Units:
            assert construct.Units.equivalent(other.Units), (construct, other)
            construct.Units = other.Units
    return field


def report(what, fine, *more):
    print(f"cf-python: {what} {'ok' if fine else 'DIFFERS'}")
    if not fine:
        failures.append(what)
        print(*more, sep="\n")


def compare(what, names, expected):
    """What cf-python reads from the files, against the fields expected."""
    found = by_name(cf.read(names))
    report(f"{what}: variables", found.keys() == expected.keys(), sorted(found), sorted(expected))
    for name in found.keys() & expected.keys():
        field, other = common_units(found[name], expected[name]), expected[name]
        try:
            fine = field.equals(other, ignore_fill_value=True, ignore_properties=OF_FILES)
        except RuntimeError as error:
            if UNREADABLE not in str(error):
                raise
            # The values are compared in the extracted file.
            field, other = field.copy(), other.copy()
            for one in (field, other):
                one.del_data()
            fine = field.equals(other, ignore_fill_value=True, ignore_properties=OF_FILES)
            what += " (without data, which cfdm cannot read)"
        report(f"{what}: {name}", fine, other, field)
        if not fine:
            field.equals(other, ignore_fill_value=True, ignore_properties=OF_FILES, verbose=2)


def values(program, file, name):
    """The values of a variable as `cfa read` prints them; a masked array."""
    answer = json.loads(run(program, "read", file, name, "--json"))
    flat = answer["values"]
    missing = np.array([v is None for v in flat], bool)
    if answer["dtype"] == "str":
        array = np.array(["" if v is None else v for v in flat])
    else:
        array = np.array([0 if v is None else v for v in flat], "f8")
    return np.ma.masked_array(array, missing).reshape(answer["shape"])


def read_back(program, what, file, expected):
    """`cfa read` of what cf-python wrote."""
    for name, field in expected.items():
        found, array = values(program, file, name), np.ma.asanyarray(field.array)
        fine = found.shape == array.shape and np.ma.getmaskarray(found).tolist() == np.ma.getmaskarray(array).tolist()
        fine = fine and np.ma.allclose(found, array.astype("f8"), rtol=1e-6, atol=0)
        report(f"{what}: {name}", bool(fine), array, found)


def read_to_write(dialect, names):
    """What this cf-python makes of the files, and how it writes that as an aggregation."""
    if dialect == "CF-1.13":
        return cf.read(names, cfa_write="field"), {"cfa": {"constructs": "field", "uri": "relative"}}
    return cf.read(names), {"cfa": {"constructs": "field", "absolute_paths": False}}


def write(joined, name, words):
    """Whether cf-python can write the aggregation."""
    try:
        cf.write(joined, name, **words)
    except Exception as error:  # cfdm 1.13.3 raises another error on the way out.
        if UNWRITABLE not in "".join(traceback.format_exception(error)):
            raise
        print(f"cf-python: {os.path.basename(os.getcwd())}: cf-python cannot write this as an aggregation")
        return False
    return True


def same(field, other):
    """Whether two fields are equal but for the epochs of their times: cf-python brings those that it reads to one."""
    if field.shape != other.shape:
        return False
    field = field.copy()
    field.coordinate("time").Units = other.coordinate("time").Units
    return field.equals(other, ignore_fill_value=True, ignore_properties=OF_FILES)


def apart(program, folder, dialect):
    """Files of several grids or forecasts: as many fields as cf-python makes of them, each equal to one of these."""
    for case, make in inputs.APART.items():
        place = os.path.join(folder, case)
        make(place)
        os.chdir(place)
        names = sorted(os.listdir("."))
        expected = list(cf.read(names))
        run(program, "create", "made.nc", *reversed(names), "--dialect", dialect, "--quiet")
        found = cf.read("made.nc")
        fine = len(found) == len(expected)
        for field in found:
            equal = [other for other in expected if same(field, other)]
            fine = fine and len(equal) == 1
            expected = [other for other in expected if other is not (equal or [None])[0]]
        report(f"{case}: {len(found)} fields of one name", fine and not expected, found, expected)


def main():
    program, folder, dialect = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3]
    print(f"cf-python: {cf.__version__} for {dialect}")
    for case, make in inputs.CASES.items():
        place = os.path.join(folder, case)
        make(place)
        # Relative names are found from the directory of the aggregation.
        os.chdir(place)
        names = sorted(os.listdir("."))
        joined, words = read_to_write(dialect, names)
        expected = by_name(joined)
        # In the opposite order: the arguments' does not matter.
        run(program, "create", "made.nc", *reversed(names), "--dialect", dialect, "--quiet")
        run(program, "extract", "made.nc", "plain.nc", "--quiet")
        run(program, "check", "made.nc", "--fragments", "--quiet")
        newer = dialect == "CF-1.13"
        if case != "groups" or newer:
            compare(f"{case}: created", "made.nc", expected)
        # What is extracted does not depend on the dialect; the older cf-python takes less time for it.
        if not newer or case == "ensemble":
            compare(f"{case}: extracted", "plain.nc", expected)
        if case == "groups":
            print("cf-python: groups: neither writes aggregations with dimensions of groups, and 3.16 reads none in groups")
            continue
        if write(joined, "theirs.nc", words):
            read_back(program, f"{case}: written by cf-python", "theirs.nc", expected)
    apart(program, folder, dialect)
    if failures:
        sys.exit(f"cf-python: {len(failures)} comparisons failed: {', '.join(failures)}")


main()
