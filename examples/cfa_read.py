#!/usr/bin/env python3
"""Lists the variables of a file, or reads a part of one, over cfa.h alone: the standard library, ctypes and libcfa.

    CFA_LIBRARY=build/lib/libcfa.so examples/cfa_read.py tas.nc
    CFA_LIBRARY=build/lib/libcfa.so examples/cfa_read.py tas.nc tas time=2024-06-29..2024-07-02 lat=45

A model for bindings: every function is declared once with its types, a status that is not CFA_OK becomes an exception
with the details of the error, and what is borrowed from a dataset keeps the dataset alive.
"""

import ctypes
import os
import sys
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_size_t, c_ssize_t, c_uint8, c_uint64, c_void_p

TYPE_FLOAT64, TYPE_STRING = 10, 12
# What an element of each type is, CFA_TYPE_INT8 (1) to CFA_TYPE_STRING (12).
ELEMENTS = dict(enumerate((ctypes.c_int8, ctypes.c_uint8, ctypes.c_int16, ctypes.c_uint16, ctypes.c_int32, ctypes.c_uint32,
                           ctypes.c_int64, ctypes.c_uint64, ctypes.c_float, ctypes.c_double, ctypes.c_char, c_void_p), 1))


class OpenOptions(ctypes.Structure):
    """cfa_open_options. A structure may end early: the library takes what is beyond its size for the defaults."""

    _fields_ = [("size", c_size_t), ("missing_fragments", c_int32), ("lossy_casts", c_int32), ("raw_view", c_int32),
                ("num_threads", c_int32)]


class ReadOptions(ctypes.Structure):
    """cfa_read_options."""

    _fields_ = [("size", c_size_t), ("mask", POINTER(c_uint8)), ("mask_bytes", c_size_t), ("progress", c_void_p),
                ("user_data", c_void_p), ("buffer_start", c_void_p), ("lossy", c_int32), ("reserved", c_int32),
                ("missing_as_nan", c_int32), ("unpacked", c_int32)]


class CfaError(Exception):
    """What a call reported; `file`, `variable` and `fragment` are None where the error concerns none."""

    def __init__(self, status):
        self.status = status
        self.category = lib.cfa_status_category(status).decode()
        # The details are those of the last call that failed: taken before any other call.
        self.file = decoded(lib.cfa_last_error_file())
        self.variable = decoded(lib.cfa_last_error_variable())
        super().__init__(decoded(lib.cfa_last_error()))
        index, rank = (c_uint64 * 64)(), c_size_t()
        found = lib.cfa_last_error_fragment(len(index), index, byref(rank)) == 0
        self.fragment = tuple(index[:rank.value]) if found and rank.value else None


class CfaNotFound(CfaError, FileNotFoundError):
    """A file does not exist."""


def decoded(text):
    return None if text is None else text.decode("utf-8", "surrogateescape")


def check(status, function, arguments):
    """What ctypes calls after every function that returns a status."""
    if status != 0:
        raise CfaNotFound(status) if lib.cfa_last_error_is_absence() else CfaError(status)
    return status


def load(path):
    """The library with its functions declared: (result, arguments); "status" for those that are checked."""
    library = ctypes.CDLL(path)
    names = POINTER(c_char_p)
    declarations = {
        "cfa_last_error": (c_char_p, []),
        "cfa_last_error_file": (c_char_p, []),
        "cfa_last_error_variable": (c_char_p, []),
        "cfa_last_error_is_absence": (c_int32, []),
        "cfa_last_error_fragment": (c_int32, [c_size_t, POINTER(c_uint64), POINTER(c_size_t)]),
        "cfa_status_category": (c_char_p, [c_int32]),
        "cfa_open_options_init": (None, [POINTER(OpenOptions), c_size_t]),
        "cfa_read_options_init": (None, [POINTER(ReadOptions), c_size_t]),
        "cfa_dataset_open": ("status", [c_char_p, POINTER(OpenOptions), POINTER(c_void_p)]),
        "cfa_dataset_free": (None, [c_void_p]),
        "cfa_dataset_variable_count": (c_size_t, [c_void_p]),
        "cfa_dataset_variable": (c_void_p, [c_void_p, c_size_t]),
        "cfa_dataset_variable_find": ("status", [c_void_p, c_char_p, POINTER(c_void_p)]),
        "cfa_dimension_name": (c_char_p, [c_void_p]),
        "cfa_type_name": (c_char_p, [c_int32]),
        "cfa_variable_path": (c_char_p, [c_void_p]),
        "cfa_variable_type": (c_int32, [c_void_p]),
        "cfa_variable_units": (c_char_p, [c_void_p]),
        "cfa_variable_rank": ("status", [c_void_p, POINTER(c_size_t)]),
        "cfa_variable_shape": ("status", [c_void_p, c_size_t, POINTER(c_uint64)]),
        "cfa_variable_dimension": ("status", [c_void_p, c_size_t, POINTER(c_void_p)]),
        "cfa_variable_select": ("status", [c_void_p, names, c_size_t, POINTER(c_uint64), POINTER(c_size_t)]),
        "cfa_variable_read": ("status", [c_void_p, POINTER(c_uint64), POINTER(c_size_t), POINTER(c_int64),
                                         POINTER(c_ssize_t), c_int32, c_size_t, c_void_p, POINTER(ReadOptions)]),
        "cfa_strings_free": (None, [POINTER(c_void_p), c_size_t]),
    }
    for name, (result, arguments) in declarations.items():
        function = getattr(library, name)
        function.argtypes = arguments
        function.restype = c_int32 if result == "status" else result
        if result == "status":
            function.errcheck = check
    return library


lib = load(os.environ.get("CFA_LIBRARY", "libcfa.so.0"))


class Dataset:
    """An open file; to be closed, or used in a with statement."""

    def __init__(self, path, raw_view=False):
        self.handle = c_void_p()
        options = OpenOptions()
        lib.cfa_open_options_init(byref(options), ctypes.sizeof(options))
        options.raw_view = 1 if raw_view else 0
        lib.cfa_dataset_open(os.fsencode(path), byref(options), byref(self.handle))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        lib.cfa_dataset_free(self.handle)
        self.handle = c_void_p()

    def __iter__(self):
        count = lib.cfa_dataset_variable_count(self.handle)
        return (Variable(self, lib.cfa_dataset_variable(self.handle, i)) for i in range(count))

    def __getitem__(self, path):
        found = c_void_p()
        lib.cfa_dataset_variable_find(self.handle, path.encode(), byref(found))
        return Variable(self, found)


class Variable:
    """A variable of a dataset, which it keeps alive."""

    def __init__(self, dataset, handle):
        self.dataset, self.handle = dataset, handle

    @property
    def path(self):
        return lib.cfa_variable_path(self.handle).decode()

    @property
    def type_name(self):
        return lib.cfa_type_name(lib.cfa_variable_type(self.handle)).decode()

    @property
    def units(self):
        return decoded(lib.cfa_variable_units(self.handle))

    @property
    def shape(self):
        rank = c_size_t()
        lib.cfa_variable_rank(self.handle, byref(rank))
        shape = (c_uint64 * rank.value)()
        lib.cfa_variable_shape(self.handle, rank.value, shape)
        return tuple(shape)

    @property
    def dimensions(self):
        names = []
        for d in range(len(self.shape)):
            dimension = c_void_p()
            lib.cfa_variable_dimension(self.handle, d, byref(dimension))
            names.append(lib.cfa_dimension_name(dimension).decode())
        return tuple(names)

    def read(self, *select, unpacked=False):
        """The counts of a part and its values in C order; None where they are missing. Numbers come in their own type."""
        rank = len(self.shape)
        start, count = (c_uint64 * rank)(), (c_size_t * rank)()
        texts = (c_char_p * (len(select) + 1))(*(text.encode() for text in select), None)
        lib.cfa_variable_select(self.handle, texts, rank, start, count)
        size = 1
        for n in count:
            size *= n
        kind = TYPE_FLOAT64 if unpacked else lib.cfa_variable_type(self.handle)
        values, mask = (ELEMENTS[kind] * size)(), (c_uint8 * size)()
        options = ReadOptions()
        lib.cfa_read_options_init(byref(options), ctypes.sizeof(options))
        options.mask, options.mask_bytes = mask, size
        options.unpacked = 1 if unpacked else 0
        lib.cfa_variable_read(self.handle, start, count, None, None, kind, ctypes.sizeof(values), values, byref(options))
        if kind == TYPE_STRING:
            result = [decoded(ctypes.string_at(text)) if text else None for text in values]
            lib.cfa_strings_free(values, size)
        else:
            result = [value if valid else None for value, valid in zip(values, mask)]
        return tuple(count), result


def main(path, variable=None, *select):
    with Dataset(path) as dataset:
        if variable is not None:
            print(*dataset[variable].read(*select))
            return
        for each in dataset:
            try:
                axes = ", ".join(f"{name}={size}" for name, size in zip(each.dimensions, each.shape))
                print(each.type_name, each.path, f"({axes})", each.units or "")
            except CfaError as error:
                print(each.type_name, each.path, f"is not usable: {error.category}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except CfaNotFound as error:
        sys.exit(f"{error.file}: no such file")
    except CfaError as error:
        sys.exit(f"{error.category} (fragment {error.fragment}): {error}")
