"""A Dask cluster of two worker processes, for a test: prints its address, and ends with its standard input."""

from __future__ import annotations

import json
import sys


def main() -> None:
    from distributed import LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(host="127.0.0.1", **options) as cluster:
        address = cluster.scheduler_address.removeprefix("tcp://")
        pids = [worker.process.pid for worker in cluster.workers.values()]
        print(json.dumps({"address": address, "pids": pids}), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
