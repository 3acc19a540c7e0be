#!/usr/bin/env python3
"""Writes src/canonical/units/table.rs from the XML database of udunits2.

Usage: scripts/make_unit_table.py [DIRECTORY OF udunits2.xml] > src/canonical/units/table.rs

Only facts are taken: names, plurals, symbols, definitions and prefix values, in the order of the database.
"""

import json
import pathlib
import sys
import xml.etree.ElementTree as ET


def plural_of(name):
    """The plural as udunits2 forms it (ut_form_plural)."""
    if len(name) == 1:
        return name + "s"
    if name.endswith("y"):
        return name + "s" if name[-2] in "aeiou" else name[:-1] + "ies"
    if name.endswith(("s", "x", "z", "ch", "sh")):
        return name + "es"
    return name + "s"


def names_of(element):
    """Singular and plural of each <name>; <noplural/> counts only inside the <name>."""
    for name in element.findall("name"):
        singular = name.find("singular").text
        yield singular
        if name.find("noplural") is None:
            plural = name.find("plural")
            yield plural.text if plural is not None else plural_of(singular)


def text(items):
    """A Rust string literal of the items, separated by blanks."""
    items = list(items)
    assert all(item and not any(c in item for c in " \t\n") for item in items), items
    return json.dumps(" ".join(items), ensure_ascii=False)


def files(directory):
    for entry in ET.parse(directory / "udunits2.xml").getroot().findall("import"):
        yield ET.parse(directory / entry.text).getroot()


def main():
    directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/xml/udunits")
    prefixes, units = [], []
    for root in files(directory):
        for prefix in root.findall("prefix"):
            names = text(e.text for e in prefix.findall("name"))
            symbols = text(e.text for e in prefix.findall("symbol"))
            prefixes.append(f"    ({json.dumps(prefix.find('value').text)}, {names}, {symbols}),")
        for unit in root.findall("unit"):
            if unit.find("base") is not None:
                definition = "Base"
            elif unit.find("dimensionless") is not None:
                definition = "Dimensionless"
            else:
                definition = f"Text({json.dumps(unit.find('def').text, ensure_ascii=False)})"
            aliases = unit.find("aliases")
            places = [unit] + ([aliases] if aliases is not None else [])
            names = text(n for place in places for n in names_of(place))
            symbols = text(e.text for place in places for e in place.findall("symbol"))
            units.append(f"    ({definition}, {names}, {symbols}),")
    print(
        """//! The facts of the udunits2 unit database: prefixes and units. Written by `scripts/make_unit_table.py`; do not edit.

use super::database::Definition::{self, Base, Dimensionless, Text};

/// Value, names and symbols of each prefix; several are separated by blanks.
#[rustfmt::skip]
pub(super) static PREFIXES: &[(&str, &str, &str)] = &["""
    )
    print("\n".join(prefixes))
    print(
        """];

/// Definition, names (with plurals) and symbols of each unit, in the order in which they build on each other.
#[rustfmt::skip]
pub(super) static UNITS: &[(Definition, &str, &str)] = &["""
    )
    print("\n".join(units))
    print("];")


if __name__ == "__main__":
    main()
