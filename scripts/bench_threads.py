#!/usr/bin/python3
"""Times whole reads with 1, 2 and 4 threads; one JSON object a line.

    bench_threads.py CONTEST DATA ROUNDS
"""
import json
import os
import subprocess
import sys

READS = [("w1", "e_all"), ("w2", "c_series"), ("w3", "c_all"), ("w4", "b_all")]
THREADS = [1, 2, 4]


def main(contest, data, rounds):
    for _ in range(rounds):
        for workload, task in READS:
            with open(os.path.join(data, workload, "spec.json")) as file:
                spec = json.load(file)
            selection = ",".join(":".join(map(str, part)) for part in spec["tasks"][task])
            command = [contest, os.path.join(data, workload, "agg.nc"), spec["var"], selection]
            # The first to touch so much memory may pay for what the machine has taken back.
            subprocess.check_output(command)
            for threads in THREADS:
                environment = dict(os.environ, CFA_NUM_THREADS=str(threads))
                line = json.loads(subprocess.check_output(command, env=environment))
                print(json.dumps(dict(line, workload=workload, task=task, threads=threads)), flush=True)


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
