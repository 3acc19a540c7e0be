"""HDF4 files that GDAL does not write, by the library itself: arrays of any rank, images, grids of HDF-EOS."""
import ctypes
import ctypes.util

import numpy as np

# Numbers of the library's headers.
CREATE, WRITE = 4, 3
CHAR, BYTE, FLOAT = 4, 21, 5
ARRAY, GROUP = 720, 1965

# The structure of a grid as its library writes it; the tabs count.
GRID = """GROUP=SwathStructure
END_GROUP=SwathStructure
GROUP=GridStructure
\tGROUP=GRID_1
\t\tGridName="{name}"
\t\tXDim={columns}
\t\tYDim={rows}
\t\tUpperLeftPointMtrs=(0.000000,4000000.000000)
\t\tLowerRightMtrs=(6000000.000000,0.000000)
\t\tProjection=GCTP_GEO
\t\tGROUP=Dimension
\t\t\tOBJECT=Dimension_1
\t\t\t\tDimensionName="time"
\t\t\t\tSize={steps}
\t\t\tEND_OBJECT=Dimension_1
\t\tEND_GROUP=Dimension
\t\tGROUP=DataField
{fields}\t\tEND_GROUP=DataField
\t\tGROUP=MergedFields
\t\tEND_GROUP=MergedFields
\tEND_GROUP=GRID_1
END_GROUP=GridStructure
GROUP=PointStructure
END_GROUP=PointStructure
END
"""
FIELD = """\t\t\tOBJECT=DataField_{number}
\t\t\t\tDataFieldName="{name}"
\t\t\t\tDataType=DFNT_FLOAT32
\t\t\t\tDimList=({dimensions})
\t\t\tEND_OBJECT=DataField_{number}
"""


def library(name):
    return ctypes.util.find_library(f"{name}alt") or ctypes.util.find_library(name)


IS_THERE = library("mfhdf") is not None and library("df") is not None


def call(name, function, *words):
    """The result of a function, which says -1 when it fails."""
    result = getattr(ctypes.CDLL(library(name)), function)(*words)
    assert result != -1, function
    return result


def integers(*values):
    return (ctypes.c_int32 * len(values))(*values)


def arrays(path, sets, attributes=None):
    """Writes named arrays of float numbers and returns their references."""
    references = []
    file = call("mfhdf", "SDstart", path.encode(), CREATE)
    for name, values in sets.items():
        values = np.ascontiguousarray(values, "f4")
        shape = integers(*values.shape)
        array = call("mfhdf", "SDcreate", file, name.encode(), FLOAT, values.ndim, shape)
        start = integers(*[0] * values.ndim)
        call("mfhdf", "SDwritedata", array, start, None, shape, ctypes.c_void_p(values.ctypes.data))
        references.append(call("mfhdf", "SDidtoref", array))
        call("mfhdf", "SDendaccess", array)
    for name, text in (attributes or {}).items():
        call("mfhdf", "SDsetattr", file, name.encode(), CHAR, len(text), text)
    call("mfhdf", "SDend", file)
    return references


def images(path, values):
    """Images of bytes, each (row, column, component)."""
    file = call("df", "Hopen", path.encode(), CREATE, 0)
    interface = call("df", "GRstart", file)
    for pixels in values:
        pixels = np.ascontiguousarray(pixels, "u1")
        rows, columns, components = pixels.shape
        size = integers(columns, rows)
        image = call("df", "GRcreate", interface, b"image", components, BYTE, 0, size)
        call("df", "GRwriteimage", image, integers(0, 0), None, size, ctypes.c_void_p(pixels.ctypes.data))
        call("df", "GRendaccess", image)
    call("df", "GRend", interface)
    call("df", "Hclose", file)


def grid(path, name, fields):
    """A grid of HDF-EOS 2 with fields (time, y, x) or (y, x)."""
    steps, rows, columns = next(field.shape for field in fields.values() if field.ndim == 3)
    described = ""
    for number, (field, values) in enumerate(fields.items(), 1):
        dimensions = ",".join(f'"{dimension}"' for dimension in ("time", "YDim", "XDim")[3 - values.ndim:])
        described += FIELD.format(number=number, name=field, dimensions=dimensions)
    structure = GRID.format(name=name, columns=columns, rows=rows, steps=steps, fields=described)
    attributes = {"HDFEOSVersion": b"HDFEOS_V2.19", "StructMetadata.0": structure.encode().ljust(32000, b"\0")}
    references = arrays(path, fields, attributes)
    file = call("df", "Hopen", path.encode(), WRITE, 0)
    call("df", "Vinitialize", file)

    def group(name, sort, tag, members):
        opened = call("df", "Vattach", file, -1, b"w")
        call("df", "Vsetname", opened, name)
        call("df", "Vsetclass", opened, sort)
        for member in members:
            call("df", "Vaddtagref", opened, tag, member)
        reference = call("df", "VQueryref", opened)
        call("df", "Vdetach", opened)
        return reference

    inner = [group(b"Data Fields", b"GRID Vgroup", ARRAY, references), group(b"Grid Attributes", b"GRID Vgroup", ARRAY, [])]
    group(name.encode(), b"GRID", GROUP, inner)
    call("df", "Vfinish", file)
    call("df", "Hclose", file)
