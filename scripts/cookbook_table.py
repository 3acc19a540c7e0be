#!/usr/bin/python3
"""Compares what three tools make of the archives of docs/cookbook.md with the contents of the archives, and with the page.

    cookbook_table.py FOLDER

FOLDER is where the commands of the document ran. Each recipe has a table, whose rows begin with a call: `cfa create OUT
...`, which already ran, or a call of xarray or cf-python, which is evaluated here. The last column has what came of it,
and has to be what this program finds. With UPDATE=1 in the environment it is written into the document. Rows of a
package that this Python does not have are left out; what `cfa` made is always compared.
"""

import importlib
import json
import os
import re
import subprocess
import sys
import warnings
from glob import glob

import cookbook_archives as archives
import numpy as np

DOCUMENT = "docs/cookbook.md"
ROW = re.compile(r"\| `(?P<call>.+?)` \| (?P<result>.*) \|")
PACKAGES = {"xarray": "xarray", "cf": "cf"}
program = os.path.realpath(os.environ.get("CFA", "build/bin/cfa"))


class Found:
    """What a tool made: variables by name, each the names of its dimensions and its values."""

    def __init__(self):
        self.variables = {}
        self.several = []

    def add(self, name, dims, values):
        self.variables[name] = (tuple(dims), np.ma.asanyarray(values))


def of_cfa(call, whole):
    """What the file holds that `cfa create` made."""
    out = call.split()[2]
    found = Found()
    described = json.loads(cfa("info", out, "--json"))
    for variable in described["variables"]:
        name = variable["path"].lstrip("/")
        if name not in whole.data and name not in whole.coordinates:
            continue
        answer = json.loads(cfa("read", out, name, "--json", "--unpacked"))
        missing = [value is None for value in answer["values"]]
        values = [0 if gone else value for value, gone in zip(answer["values"], missing)]
        values = np.ma.array(values, mask=missing).reshape(answer["shape"])
        attributes = variable["attributes"]
        if " since " in str(attributes.get("units")):
            values = archives.dates(values, attributes["units"], attributes.get("calendar", "standard"))
        found.add(name, answer["dims"], values)
    return found


def cfa(*words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def of_xarray(dataset, whole):
    found = Found()
    for name, variable in dataset.variables.items():
        found.add(name, variable.dims, texts(variable.values))
    return found


def of_cf(fields, whole):
    found = Found()
    for one in fields:
        name = one.nc_get_variable()
        if name in found.variables:
            found.several.append(name)
        constructs = one.constructs.filter_by_data()
        for key, construct in constructs.items():
            axes = one.get_data_axes(key)
            dims = [one.domain_axis(axis).nc_get_dimension(axis) for axis in axes]
            is_time = construct.Units.isreftime
            found.add(construct.nc_get_variable(key), dims, texts(construct.datetime_array if is_time else construct.array))
        dims = [one.domain_axis(axis).nc_get_dimension(axis) for axis in one.get_data_axes()]
        found.add(name, dims, one.array)
    return found


def texts(values):
    """Dates as texts, strings as they are, and numbers with a mask for NaN."""
    values = np.ma.asanyarray(values)
    if values.dtype.kind == "M":
        return np.array([str(v)[:16] for v in values.ravel()]).reshape(values.shape)
    if values.dtype.kind == "O":
        as_text = [v.isoformat()[:16] if hasattr(v, "isoformat") else str(v) for v in values.ravel()]
        return np.array(as_text).reshape(values.shape)
    return np.ma.masked_invalid(values) if values.dtype.kind == "f" else values


def differing(values, expected):
    """Where values of one shape differ from those expected."""
    expected = np.ma.asanyarray(expected)
    if "U" in (expected.dtype.kind, values.dtype.kind):
        return np.asarray(values).astype(str) != np.asarray(expected).astype(str)
    gone = np.ma.getmaskarray(values) != np.ma.getmaskarray(expected)
    numbers = [np.ma.filled(array, 0).astype("f8") for array in (values, expected)]
    return gone | ~np.isclose(*numbers, rtol=1e-6, atol=1e-9) & ~np.ma.getmaskarray(expected)


def equal(values, expected):
    return values.shape == np.shape(expected) and not differing(values, expected).any()


def places(found, expected):
    """Where each coordinate along a dimension is among those expected, or None if one is not among them."""
    if found.dtype.kind == "U" or np.ma.asanyarray(expected).dtype.kind == "U":
        same = found.astype(str)[:, None] == np.asarray(expected).astype(str)[None, :]
    else:
        same = np.isclose(found.astype("f8")[:, None], np.asarray(expected, "f8")[None, :])
    return same.argmax(axis=1) if same.sum(axis=1).all() else None


def described(found, whole):
    """What came of an archive, in words: the variable with its dimensions, and what is not as in the files."""
    name = next(iter(whole.data))
    if name not in found.variables:
        return f"no {name}"
    if name in found.several:
        return f"{found.several.count(name) + 1} separate fields"
    dims, values = found.variables[name]
    sizes = ", ".join(f"{d}={n}" for d, n in zip(dims, values.shape))
    result, faults = f"{name}({sizes})", []
    expected = np.ma.asanyarray(whole.data[name])
    lost = [d for d, size in zip(whole.dims, expected.shape) if size > 1 and values.ndim < expected.ndim and d not in dims]
    if lost:
        return f"{result}: {only(values, expected, whole, lost)}"
    aligned = {name}
    for axis, dim in enumerate(whole.dims):
        if axis >= len(dims) or dim not in whole.coordinates:
            continue
        labels = [v for n, (d, v) in found.variables.items() if n == dim or d == dims[axis : axis + 1]]
        which = next((w for w in (places(v, whole.coordinates[dim]) for v in labels if v.ndim == 1) if w is not None), None)
        if which is None:
            continue
        aligned.add(dim)
        expected = expected.take(which, axis=axis)
        absent = len(whole.coordinates[dim]) - len(which)
        faults += [f"{absent} of {len(whole.coordinates[dim])} values of {dim} absent"] if absent else []
        steps = set(np.sign(np.diff(which)))
        faults += [f"{dim} in another order"] if len(steps) > 1 else []
    faults += fault(found, name, expected)
    others = {**whole.data, **whole.coordinates}
    for other, meant in others.items():
        if other in found.variables and other not in aligned:
            faults += fault(found, other, meant)
    kept = [variable for _, variable in found.variables.values()]
    absent = [c for c in others if c not in found.variables and c not in aligned]
    lost = [c for c in absent if not any(equal(v, np.ma.asanyarray(others[c])) for v in kept)]
    faults += [f"without {', '.join(lost)}"] if lost else []
    return f"{result}: {'; '.join(faults) or 'right'}"


def only(values, expected, whole, lost):
    """What is left where dimensions are lost: all values of one index along the first, or not even that."""
    axis, labels = whole.dims.index(lost[0]), whole.coordinates.get(lost[0], range(10**6))
    left = [str(labels[i]) for i in range(expected.shape[axis]) if equal(values, expected.take(i, axis=axis))]
    return f"only {lost[0]} {left[0]}" if len(left) == 1 else f"without the dimension {', '.join(lost)}"


def fault(found, name, expected):
    """What is wrong with a variable: nothing, or one thing."""
    dims, values = found.variables[name]
    expected = np.ma.asanyarray(expected)
    values = values.reshape(expected.shape) if values.size == expected.size else values
    if values.ndim > expected.ndim and equal(values, np.ma.array(np.broadcast_to(expected, values.shape))):
        return [f"{name} repeated along {', '.join(dims[: values.ndim - expected.ndim])}"]
    if values.shape != expected.shape:
        return [f"{name} has the shape {values.shape}"]
    wrong = differing(values, expected)
    gone = wrong & np.ma.getmaskarray(values)
    counts = {"missing": gone.sum(), "wrong": (wrong & ~gone).sum()}
    return [f"{count} of {wrong.size} values of {name} {what}" for what, count in counts.items() if count]


def files(*patterns):
    """The files that several patterns match; for calls in the document."""
    return sorted(name for pattern in patterns for name in glob(pattern))


def evaluated(call, whole):
    """What the table should say of a call, or None if its package is not here."""
    if call.startswith("cfa create "):
        return described(of_cfa(call, whole), whole)
    package = call.split(".")[0]
    try:
        names = {package: importlib.import_module(PACKAGES[package]), "files": files}
    except ImportError:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = eval(call, names)
            return described((of_xarray if package == "xarray" else of_cf)(made, whole), whole)
    except Exception as error:
        text = " ".join(str(error).split())
        sentence = re.split(r"(?<=[a-z0-9])[.;:] ", text)[0].replace(os.getcwd(), "").replace("|", "\\|")
        return f"{type(error).__name__}: {sentence if len(sentence) < 120 else sentence[:117] + '...'}"


def main():
    top = os.getcwd()
    with open(DOCUMENT, encoding="utf-8") as file:
        lines = file.read().splitlines()
    os.chdir(sys.argv[1])
    recipe, compared, differing, left = None, {}, 0, {}
    recipes = iter(archives.ARCHIVES)
    for number, line in enumerate(lines):
        if re.match(r"## \d+\. ", line):
            archive = next(recipes)
            recipe = archive(archives.Writer())
        row = ROW.fullmatch(line)
        if recipe is None or not row:
            continue
        tool = re.split(r"[ .]", row["call"])[0]
        result = evaluated(row["call"], recipe)
        if result is None:
            left[tool] = left.get(tool, 0) + 1
            continue
        compared[tool] = compared.get(tool, 0) + 1
        if os.environ.get("UPDATE") == "1":
            lines[number] = f"| `{row['call']}` | {result} |"
        elif result != row["result"]:
            differing += 1
            print(f"{DOCUMENT}:{number + 1}: {row['call']}\n- {row['result']}\n+ {result}")
        if tool == "cfa" and not result.endswith(": right"):
            differing += 1
            print(f"{DOCUMENT}:{number + 1}: what cfa made is not what is in the files: {result}")
    os.chdir(top)
    if os.environ.get("UPDATE") == "1":
        with open(DOCUMENT, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    shown = ", ".join(f"{tool} {n}" for tool, n in compared.items())
    print(f"{DOCUMENT}: rows of tables: {shown}; {differing} differ" + (f"; not here: {left}" if left else ""))
    if next(recipes, None) or compared.get("cfa", 0) < len(archives.ARCHIVES):
        sys.exit(f"{DOCUMENT}: a recipe has no row for cfa")
    sys.exit(bool(differing))


if __name__ == "__main__":
    main()
