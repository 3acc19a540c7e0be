#!/usr/bin/env python3
"""Compares what programs do with rasters: on an aggregation, on a plain netCDF-4 file of the same data, on a VRT of the fragments.

    scripts/bench_rasters.py FOLDER [ROUNDS (3)]

Writes the data to the folder if they are not there. Every result must have the same values for all three; minima over
the rounds are printed as a table. Needs build/bin/cfa, build/gdalplugins/gdal_CFA.so (make build) and a Python with
numpy, netCDF4 and osgeo.
"""
import hashlib
import multiprocessing
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

BUILD = Path(__file__).resolve().parents[1] / "build"
os.environ["GDAL_DRIVER_PATH"] = str(BUILD / "gdalplugins")

import numpy as np  # noqa: E402
from netCDF4 import Dataset  # noqa: E402
from osgeo import gdal  # noqa: E402

gdal.UseExceptions()
FRAGMENTS, STEPS, ROWS, COLUMNS, TILE = 6, 5, 1024, 1536, 256
BANDS = FRAGMENTS * STEPS
PROCESSES, TILES = 8, 100


def make(folder):
    random = np.random.default_rng(1)
    wave = np.cumsum(random.normal(0, 0.1, (ROWS, COLUMNS)), axis=1)
    for part in range(FRAGMENTS):
        with Dataset(folder / f"part_{part}.nc", "w") as file:
            for name, units, values in (
                ("time", "days since 2001-01-01", np.arange(float(STEPS)) + STEPS * part),
                ("lat", "degrees_north", 60 - np.arange(ROWS) * 0.02),
                ("lon", "degrees_east", np.arange(COLUMNS) * 0.02),
            ):
                file.createDimension(name, len(values))
                file.createVariable(name, "f8", (name,)).setncatts(
                    {"units": units, "standard_name": {"lat": "latitude", "lon": "longitude"}.get(name, name)})
                file[name][:] = values
            tas = file.createVariable("tas", "f4", ("time", "lat", "lon"), fill_value=1e20, zlib=True, complevel=1,
                                      shuffle=True, chunksizes=(1, TILE, TILE))
            for step in range(STEPS):
                tas[step] = np.round(280 + wave + random.normal(0, 1, wave.shape), 2)
    cfa = str(BUILD / "bin/cfa")
    subprocess.run([cfa, "create", "tas.nc", *(f"part_{part}.nc" for part in range(FRAGMENTS))], cwd=folder, check=True)
    subprocess.run([cfa, "extract", "tas.nc", "plain.nc"], cwd=folder, check=True)
    target = gdal.GetDriverByName("VRT").Create(str(folder / "fragments.vrt"), COLUMNS, ROWS, 0)
    first = gdal.OpenEx(str(folder / "plain.nc"), allowed_drivers=["netCDF"])
    target.SetGeoTransform(first.GetGeoTransform())
    target.SetProjection(first.GetProjection())
    for band in range(BANDS):
        target.AddBand(gdal.GDT_Float32)
        added = target.GetRasterBand(band + 1)
        added.SetNoDataValue(first.GetRasterBand(1).GetNoDataValue())
        added.SetMetadata({"source_0": f"<SimpleSource><SourceFilename relativeToVRT=\"1\">part_{band // STEPS}.nc</SourceFilename>"
                                       f"<SourceBand>{band % STEPS + 1}</SourceBand></SimpleSource>"}, "new_vrt_sources")


def run(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def warp(source, out):
    run("gdalwarp", "-q", "-r", "bilinear", "-t_srs", "EPSG:3857", source, out)


def cog(source, out):
    run("gdal_translate", "-q", "-of", "COG", "-co", "COMPRESS=DEFLATE", "-b", "1", "-b", "12", "-b", "25", source, out)


def translate(source, out):
    run("gdal_translate", "-q", source, out)


def build_vrt(source, out):
    run("gdalbuildvrt", "-q", out + ".vrt", source)
    run("gdal_translate", "-q", out + ".vrt", out)


def calc(source, out):
    run("gdal_calc.py", "--quiet", "-A", source, "--A_band=7", "-B", source, "--B_band=20", "--calc=A-B", f"--outfile={out}")


def draw(job):
    """One process of a tile server: windows of any place and band."""
    source, seed, reopens = job
    random, digest = np.random.default_rng(seed), hashlib.sha256()
    dataset = gdal.Open(source)
    for _ in range(TILES):
        if reopens:
            dataset = gdal.Open(source)
        band, x, y = (int(random.integers(n)) for n in (BANDS, COLUMNS - TILE, ROWS - TILE))
        digest.update(dataset.GetRasterBand(band + 1).ReadAsArray(x, y, TILE, TILE).tobytes())
    return digest.hexdigest()


def tiles(source, _, reopens=False):
    with multiprocessing.Pool(PROCESSES) as pool:
        return pool.map(draw, [(source, seed, reopens) for seed in range(PROCESSES)], chunksize=1)


def tiles_of_new_datasets(source, out):
    return tiles(source, out, True)


def cost(work, *words):
    """CPU seconds of all processes, seconds of the clock, and what the work returned."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    result = work(*words)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall, result


def main(folder, rounds=3):
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "fragments.vrt").exists():
        make(folder)
    sources = [str(folder / name) for name in ("tas.nc", "plain.nc", "fragments.vrt")]
    print("| CPU, wall | aggregation | plain netCDF-4 | VRT |\n|---|---:|---:|---:|")
    for name, work in (
        ("gdalwarp to Web Mercator, bilinear, 30 bands", warp),
        ("gdal_translate, 30 bands", translate),
        ("gdal_translate -of COG, 3 bands", cog),
        ("gdalbuildvrt and gdal_translate, 30 bands", build_vrt),
        ("gdal_calc, 2 bands", calc),
        ("800 tiles by 8 processes", tiles),
        ("800 tiles by 8 processes, opened for each", tiles_of_new_datasets),
    ):
        costs = {source: [] for source in sources}
        results = set()
        for _ in range(int(rounds)):
            for source in sources:
                out = str(folder / "out.tif")
                cpu, wall, found = cost(work, source, out)
                if found is None:
                    made = gdal.Open(out)
                    found = [made.GetRasterBand(band + 1).Checksum() for band in range(made.RasterCount)]
                    made = None
                    os.remove(out)
                results.add(tuple(found))
                costs[source].append((cpu, wall))
        if len(results) != 1:
            sys.exit(f"bench_rasters: the values differ: {name}")
        least = [[min(column) for column in zip(*costs[source])] for source in sources]
        print(f"| {name} | " + " | ".join(f"{cpu:.2f} s, {wall:.2f} s" for cpu, wall in least) + " |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
