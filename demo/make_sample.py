#!/usr/bin/env python3
"""Write a year of daily near-surface temperature as monthly files, and one aggregation file over them.

    make_sample.py DIRECTORY

The months differ as those of real archives: from April on the values are packed into 16-bit integers, from July on they
are in degrees Celsius, October is a classic netCDF file, and each month counts time from its own first day. The
aggregation file `tas.nc` (CF-1.13 section 2.8) presents them as one float variable in kelvin.
"""
import sys
from pathlib import Path

import numpy as np
from netCDF4 import Dataset

DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]  # of 2024
LATITUDES = np.arange(-87.5, 90.0, 5.0)
LONGITUDES = np.arange(2.5, 360.0, 5.0)


def temperature(first_day, days):
    """Kelvin, by day, latitude and longitude: warm tropics, seasons, colder in a wavy pattern, passing weather."""
    day = np.arange(first_day, first_day + days)[:, None, None] + 0.5
    lat = np.radians(LATITUDES)[None, :, None]
    lon = np.radians(LONGITUDES)[None, None, :]
    mean = 300.0 - 45.0 * np.sin(lat) ** 2
    season = -14.0 * np.sin(lat) * np.cos(2 * np.pi * (day - 20.0) / 366.0)
    land = 5.0 * np.cos(2 * lon + 0.6) * np.cos(lat)
    weather = 4.0 * np.sin(5 * lon - 2 * np.pi * day / 6.0 + 3 * lat) * np.sin(2 * lat) ** 2
    return mean + season + land + weather


def add_grid(file):
    """Latitude and longitude, as dimensions and coordinate variables."""
    for name, long_name, units, values in (
        ("lat", "latitude", "degrees_north", LATITUDES),
        ("lon", "longitude", "degrees_east", LONGITUDES),
    ):
        file.createDimension(name, len(values))
        variable = file.createVariable(name, "f8", (name,))
        variable.standard_name, variable.units = long_name, units
        variable[:] = values


def add_reference_system(file):
    """The ellipsoid to which latitudes and longitudes refer, so that no program has to ask."""
    crs = file.createVariable("crs", "i4", ())
    crs.grid_mapping_name = "latitude_longitude"
    crs.geographic_crs_name, crs.horizontal_datum_name = "WGS 84", "WGS_1984"
    crs.reference_ellipsoid_name, crs.prime_meridian_name = "WGS 84", "Greenwich"
    crs.semi_major_axis, crs.inverse_flattening, crs.longitude_of_prime_meridian = 6378137.0, 298.257223563, 0.0


def write_month(path, month, first_day):
    """One fragment."""
    packed, celsius, classic = month >= 4, month >= 7, month == 10
    with Dataset(path, "w", format="NETCDF3_CLASSIC" if classic else "NETCDF4") as file:
        file.Conventions = "CF-1.8"
        file.createDimension("time", DAYS[month - 1])
        add_grid(file)
        time = file.createVariable("time", "f8", ("time",))
        time.standard_name, time.calendar = "time", "standard"
        time.units = f"days since 2024-{month:02}-01"
        time[:] = np.arange(DAYS[month - 1]) + 0.5

        compression = {} if classic else {"zlib": True, "shuffle": True}
        tas = file.createVariable(
            "tas", "i2" if packed else "f4", ("time", "lat", "lon"),
            fill_value=-32768 if packed else 1e20, **compression)
        tas.standard_name, tas.units = "air_temperature", "degC" if celsius else "K"
        add_reference_system(file)
        tas.grid_mapping = "crs"
        if packed:
            tas.scale_factor, tas.add_offset = 0.01, 0.0 if celsius else 273.15
        tas[:] = temperature(first_day, DAYS[month - 1]) - (273.15 if celsius else 0.0)


def write_aggregation(path, names):
    """The aggregation file: `tas` and its `time` are made of the twelve fragments."""
    with Dataset(path, "w") as file:
        file.Conventions = "CF-1.13"
        file.title = "Daily near-surface air temperature of 2024, made up for demonstration"
        file.createDimension("time", sum(DAYS))
        add_grid(file)
        for name, size in (("f_time", 12), ("f_lat", 1), ("f_lon", 1), ("j", 3), ("j_time", 1), ("i", 12)):
            file.createDimension(name, size)

        tas = file.createVariable("tas", "f4", (), fill_value=1e20)
        tas.standard_name, tas.units, tas.cell_methods = "air_temperature", "K", "time: mean"
        add_reference_system(file)
        tas.grid_mapping = "crs"
        tas.aggregated_dimensions = "time lat lon"
        tas.aggregated_data = "map: tas_map uris: tas_uris identifiers: tas_identifier"
        tas_map = file.createVariable("tas_map", "i4", ("j", "i"), fill_value=-1)
        tas_map[0, :] = DAYS
        tas_map[1:, 0] = [len(LATITUDES), len(LONGITUDES)]  # the rest of these rows is padding
        file.createVariable("tas_uris", str, ("f_time", "f_lat", "f_lon"))[:] = names.reshape(12, 1, 1)
        file.createVariable("tas_identifier", str, ())[...] = "tas"

        time = file.createVariable("time", "f8", ())
        time.standard_name, time.calendar, time.units = "time", "standard", "days since 2024-01-01"
        time.aggregated_dimensions = "time"
        time.aggregated_data = "map: time_map uris: time_uris identifiers: time_identifier"
        file.createVariable("time_map", "i4", ("j_time", "i"))[:] = [DAYS]
        file.createVariable("time_uris", str, ("f_time",))[:] = names
        file.createVariable("time_identifier", str, ())[...] = "time"


def main(directory):
    directory.mkdir(parents=True, exist_ok=True)
    names = [f"tas_2024-{month:02}.nc" for month in range(1, 13)]
    for month, name in enumerate(names, start=1):
        write_month(directory / name, month, first_day=sum(DAYS[: month - 1]))
    write_aggregation(directory / "tas.nc", np.array(names, dtype=object))
    print(f"wrote {directory}/tas.nc, an aggregation of {len(names)} monthly files")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
