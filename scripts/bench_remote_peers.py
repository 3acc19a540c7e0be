#!/usr/bin/env python3
"""Compares reads over http with a delay with icechunk and kerchunk, in turn, against LIMIT.

    scripts/bench_remote_peers.py YARDSTICK DATA PROGRAM [ROUNDS (2)] [--only W/TASK] [--at FOLDER]

Runs in a Python with numpy, xarray, zarr, fsspec, aiohttp, icechunk and kerchunk. The servers are those of the
yardstick's bed: nginx, and a proxy that adds 30 ms and lets through 1 Gbit/s. The peers read ready-made indexes, which
are made here, since they contain addresses: that of kerchunk is on the server as our aggregation file is, that of
icechunk on this machine, since it reads none by http. FOLDER, a folder in DATA, has aggregation files that are read
instead of those of the workloads. Prints a table of Markdown: seconds for opening and reading, the least of the rounds,
and their ratios to LIMIT. The values are checked.
"""
import argparse
import importlib
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

TASKS = [("w1", "b_slice"), ("w1", "d_region"), ("w1", "c_series"), ("w1", "e_all"), ("w2", "b_slice"), ("w2", "c_series"),
         ("w2", "d_all")]
PEERS = ["icechunk", "kerchunk"]
INDEXES = "indexes_of_peers"


class Limit:
    """The index of chunks that LIMIT reads: for each chunk its place in the array, file, offset and size."""

    def __init__(self, path):
        self.bytes, self.at = path.read_bytes(), 4
        (rank,) = self.take("I")
        self.shape = self.take(f"{rank}q")
        count, _ = self.take("If")
        self.chunks = []
        for _ in range(count):
            self.take("4I3d")
            start, _, chunk = (self.take(f"{rank}q") for _ in range(3))
            (length,) = self.take("I")
            file = self.bytes[self.at:self.at + length].split(b"\0")[0].decode()
            self.at += length
            for _ in range(self.take("I")[0]):
                offset, size, *origin = self.take(f"QQ{rank}q")
                place = [(s + o) // c for s, o, c in zip(start, origin, chunk)]
                self.chunks.append((place, file, offset, size))
            self.chunk = chunk

    def take(self, form):
        form = "<" + form
        values = struct.unpack_from(form, self.bytes, self.at)
        self.at += struct.calcsize(form)
        return values


def index(data, workload, base):
    """Writes the indexes of the peers for a workload on this server."""
    spec = json.loads((data / workload / "spec.json").read_text())
    limit, folder = Limit(data / workload / "limit.idx"), data / INDEXES / workload
    folder.mkdir(parents=True)
    url = lambda file: f"{base}/{workload}/{file[file.index('/frag/') + 1:]}"  # noqa: E731
    refs = {".zgroup": '{"zarr_format":2}', ".zattrs": "{}", "tas/.zattrs": json.dumps({"_ARRAY_DIMENSIONS": spec["dims"]}),
            "tas/.zarray": json.dumps(dict(zarr_format=2, shape=limit.shape, chunks=limit.chunk, dtype="<f4", order="C",
                                           fill_value=None, compressor={"id": "zlib", "level": 1},
                                           filters=[{"id": "shuffle", "elementsize": 4}]))}
    refs |= {"tas/" + ".".join(map(str, place)): [url(file), offset, size] for place, file, offset, size in limit.chunks}
    (folder / "kerchunk.json").write_text(json.dumps(dict(version=1, refs=refs)))

    import icechunk
    import zarr
    from zarr.codecs.numcodecs import Shuffle, Zlib
    config = icechunk.RepositoryConfig.default()
    # It drops the port of an http address; by an anonymous request for an object in S3 the same server sends the same
    # bytes.
    store = icechunk.s3_store(region="us-east-1", endpoint_url=base, allow_http=True, anonymous=True, s3_compatible=True,
                              force_path_style=True)
    config.set_virtual_chunk_container(icechunk.VirtualChunkContainer(f"s3://{workload}/", store))
    repository = icechunk.Repository.create(icechunk.local_filesystem_storage(str(folder / "ice")), config)
    session = repository.writable_session("main")
    zarr.create_group(session.store, zarr_format=3).create_array(
        "tas", shape=limit.shape, chunks=limit.chunk, dtype="<f4", fill_value=0.0, dimension_names=spec["dims"], filters=None,
        compressors=[Shuffle(elementsize=4), Zlib(level=1)])
    specs = [icechunk.VirtualChunkSpec(place, url(file).replace(base, "s3:/"), offset, size) for place, file, offset, size in limit.chunks]
    session.store.set_virtual_refs("/tas", specs, validate_containers=False)
    session.commit("index")


def opened(peer, base, data, workload):
    import xarray
    index = f"{base}/{INDEXES}/{workload}"
    if peer == "kerchunk":
        options = {"remote_protocol": "http", "target_protocol": "http"}
        return lambda: xarray.open_dataset(f"{index}/kerchunk.json", engine="kerchunk", chunks=None, storage_options=options)
    import icechunk

    def open_icechunk():
        storage = icechunk.local_filesystem_storage(str(Path(data) / INDEXES / workload / "ice"))
        access = icechunk.containers_credentials({f"s3://{workload}/": icechunk.s3_anonymous_credentials()})
        repository = icechunk.Repository.open(storage, authorize_virtual_chunk_access=access)
        return xarray.open_zarr(repository.readonly_session("main").store, consolidated=False, chunks=None, zarr_format=3)
    return open_icechunk


def read(peer, base, data, workload, selection):
    """Reads once, in a process of its own, and prints times and check sum."""
    import numpy as np
    for name in ("xarray", "zarr", "aiohttp", "fsspec.implementations.http", "fsspec.implementations.reference", peer,
                 "kerchunk.xarray_backend"):
        importlib.import_module(name)  # imports do not count
    open_it = opened(peer, base, data, workload)
    parts = tuple(slice(*map(int, part.split(":"))) for part in selection.split(","))
    begin = time.perf_counter()
    dataset = open_it()
    between = time.perf_counter()
    values = np.ascontiguousarray(dataset["tas"][parts].values, dtype="<f4")
    end = time.perf_counter()
    print(json.dumps(dict(open=between - begin, read=end - between, crc=zlib.crc32(values))), flush=True)
    os._exit(0)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(port):
    for _ in range(100):
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
    sys.exit(f"bench: no server on port {port}")


NGINX = """worker_processes 1; daemon off; pid {work}/pid; error_log {work}/errors warn; user root; worker_rlimit_nofile 65536;
events {{ worker_connections 8192; }}
http {{ access_log off; sendfile on; tcp_nodelay on; keepalive_requests 1000000; types {{ }} default_type application/octet-stream;
{temporary} server {{ listen 127.0.0.1:{port} backlog=4096; root {data}; }} }}
"""


def serve(bed, data, work):
    """Starts the servers. Returns them and the port of the slow one."""
    for name in ("delay", "limit_http"):
        subprocess.run(["cc", "-O2", "-mavx2", "-w", "-o", work / name, bed / f"{name}.c", "-lpthread", "-ldeflate", "-lm", "-lz"],
                       check=True)
    fast, slow = free_port(), free_port()
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = " ".join(f"{kind}_temp_path {work}/{kind};" for kind in kinds)
    (work / "nginx.conf").write_text(NGINX.format(work=work, temporary=temporary, port=fast, data=data))
    servers = [subprocess.Popen([shutil.which("nginx") or "/usr/sbin/nginx", "-c", work / "nginx.conf"])]
    wait_for(fast)
    servers.append(subprocess.Popen([work / "delay", str(slow), str(fast), "30", "1000"]))
    wait_for(slow)
    return servers, slow


def measure(arguments, data, work, port):
    base = f"http://127.0.0.1:{port}"
    for workload in sorted({workload for workload, _ in TASKS}):
        index(data, workload, base)

    def run(command, **variables):
        done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=600)
        if done.returncode:
            print(f"bench: {command[:5]} ended with {done.stderr[-300:]}", file=sys.stderr)
            return dict(open=0, read=float("nan"), crc=None)
        return json.loads(done.stdout.strip().splitlines()[-1])

    print("| read | LIMIT, s | libcfa | " + " | ".join(PEERS) + " |\n|---|" + "---:|" * (2 + len(PEERS)))
    for workload, task in TASKS:
        if arguments.only not in f"{workload}/{task}":
            continue
        spec, truth = (json.loads((data / workload / name).read_text()) for name in ("spec.json", "truth.json"))
        selection = ",".join(":".join(map(str, part)) for part in spec["tasks"][task])
        times = {}

        def note(name, result):
            if result["crc"] is not None and result["crc"] != truth[task]["crc"]:
                sys.exit(f"bench: {name} read wrong values of {workload} {task}")
            times[name] = min(times.get(name, 9e9), result["open"] + result["read"])

        for _ in range(arguments.rounds):
            for threads in ("16", "32", "64", "128"):
                note("LIMIT", run([work / "limit_http", data / workload / "limit.idx", selection],
                                  BENCH_THREADS=threads, HPORT=str(port), HROOT=str(data)))
            note("libcfa", run([arguments.program, f"{base}/{arguments.at}{workload}/agg.nc", "tas", selection],
                               CFA_ALLOW_PRIVATE_NETWORK="YES"))
            for peer in PEERS:
                note(peer, run([sys.executable, __file__, "--peer", peer, base, data, workload, selection]))
        ratios = (f"{times[name]:.3f} ({times[name] / times['LIMIT']:.2f})" for name in ("libcfa", *PEERS))
        print(f"| {workload.upper()} {task} | {times['LIMIT']:.3f} | " + " | ".join(ratios) + " |", flush=True)


def main():
    if sys.argv[1:2] == ["--peer"]:
        return read(*sys.argv[2:])
    parser = argparse.ArgumentParser()
    parser.add_argument("yardstick", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("program", type=Path)
    parser.add_argument("rounds", type=int, nargs="?", default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--at", default="")
    arguments = parser.parse_args()
    data, work = arguments.data.resolve(), Path(tempfile.mkdtemp())
    arguments.program = arguments.program.resolve()
    servers = []
    try:
        shutil.rmtree(data / INDEXES, ignore_errors=True)
        servers, port = serve(arguments.yardstick / "remote", data, work)
        measure(arguments, data, work, port)
    finally:
        for server in reversed(servers):
            server.terminate()
            server.wait()
        shutil.rmtree(work, ignore_errors=True)
        shutil.rmtree(data / INDEXES, ignore_errors=True)


if __name__ == "__main__":
    main()
