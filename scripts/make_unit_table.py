#!/usr/bin/env python3
"""Writes src/canonical/units/table.rs from the XML database of udunits2.

Usage: scripts/make_unit_table.py [DIRECTORY OF udunits2.xml] > src/canonical/units/table.rs

Only facts are taken: names, plurals, symbols, definitions and prefix values, in the order of the database. Names and
symbols also get sorted tables of their own, in which they are searched.
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


def literal(text):
    """A Rust string literal."""
    return json.dumps(text, ensure_ascii=False)


def text(items):
    """A Rust string literal of the items, separated by blanks."""
    assert all(item and not any(c in item for c in " \t\n") for item in items), items
    return literal(" ".join(items))


def spellings(item):
    """The item, and the same with no-break spaces for underscores."""
    plain = item.replace("\u00a0", "_")
    return {plain, plain.replace("_", "\u00a0")}


def lower(name):
    return "".join(c.lower() if c.isascii() else c for c in name)


def table(title, kind, name, rows):
    print(f"\n/// {title}\n#[rustfmt::skip]\npub(super) static {name}: &[(&str, {kind})] = &[")
    for key, value in rows:
        print(f"    ({literal(key)}, {value}),")
    print("];")


def files(directory):
    for entry in ET.parse(directory / "udunits2.xml").getroot().findall("import"):
        yield ET.parse(directory / entry.text).getroot()


def main():
    directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/xml/udunits")
    prefix_names, prefix_symbols, units = [], [], []
    places_of_names, places_of_symbols = {}, {}
    for root in files(directory):
        for prefix in root.findall("prefix"):
            value = repr(float(prefix.find("value").text))
            prefix_names += [(e.text, value) for e in prefix.findall("name")]
            prefix_symbols += [(e.text, value) for e in prefix.findall("symbol")]
        for unit in root.findall("unit"):
            if unit.find("base") is not None:
                definition = "Base"
            elif unit.find("dimensionless") is not None:
                definition = "Dimensionless"
            else:
                definition = f"Text({literal(unit.find('def').text)})"
            aliases = unit.find("aliases")
            parts = [unit] + ([aliases] if aliases is not None else [])
            names = [n for part in parts for n in names_of(part)]
            symbols = [e.text for part in parts for e in part.findall("symbol")]
            for places, ids in (places_of_names, map(lower, names)), (places_of_symbols, symbols):
                for spelling in (s for i in ids for s in spellings(i)):
                    places.setdefault(spelling, len(units))
            units.append(f"    ({definition}, {text(names)}, {text(symbols)}),")
    print(
        """//! The facts of the udunits2 unit database: prefixes and units. Written by `scripts/make_unit_table.py`; do not edit.

use super::database::Definition::{self, Base, Dimensionless, Text};

/// Definition, names (with plurals) and symbols of each unit, in the order in which they build on each other.
#[rustfmt::skip]
pub(super) static UNITS: &[(Definition, &str, &str)] = &["""
    )
    print("\n".join(units))
    print("];")
    in_bytes = lambda row: row[0].encode()
    table("Names in lower case with the place of their unit, in the order of their bytes.", "u16", "NAMES",
          sorted(places_of_names.items(), key=in_bytes))
    table("Symbols with the place of their unit, in the order of their bytes.", "u16", "SYMBOLS",
          sorted(places_of_symbols.items(), key=in_bytes))
    table("Lower-case names of prefixes with their values.", "f64", "PREFIX_NAMES", prefix_names)
    table("Symbols of prefixes with their values, longest first.", "f64", "PREFIX_SYMBOLS",
          sorted(prefix_symbols, key=lambda row: -len(row[0].encode())))


if __name__ == "__main__":
    main()
