"""Send mutated requests to applications, on all cores, for a number of seconds. In the folder `tests`:

python -m fuzz --seconds 120            # ends with 1 if something was found
python -m fuzz --session 7/3            # the one session again that a finding names
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from fuzz.session import Report, Session

#: How many requests make a session.
REQUESTS = 400
#: A request that takes longer is stuck: its stack is shown, and its process ends.
_STUCK_S = 120


def run(seed: str, requests: int = REQUESTS) -> Report:
    """One session."""
    faulthandler.dump_traceback_later(_STUCK_S, exit=True)
    try:
        return Session(seed).run(requests)
    finally:
        faulthandler.cancel_dump_traceback_later()


def main() -> int:
    arguments = _arguments()
    if arguments.session:
        return _told([run(arguments.session)], 0.0)
    started = time.monotonic()
    reports: list[Report] = []
    with ProcessPoolExecutor(arguments.workers) as pool:
        number = 0
        while time.monotonic() - started < arguments.seconds:
            seeds = [f"{arguments.seed}/{number + index}" for index in range(arguments.workers * 4)]
            number += len(seeds)
            reports += pool.map(run, seeds)
            if any(report.findings for report in reports) and not arguments.go_on:
                break
    return _told(reports, time.monotonic() - started)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", type=int, default=1, help="another run of other requests")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--session", help="run one session again, as a finding names it")
    parser.add_argument("--go-on", action="store_true", help="do not stop at the first finding")
    return parser.parse_args()


def _told(reports: list[Report], seconds: float) -> int:
    """Say what came of it; the status to end with."""
    findings = [finding for report in reports for finding in report.findings]
    for finding in findings:
        print(f"FOUND {finding}\n", file=sys.stderr)
    statuses: Counter[int] = Counter()
    for report in reports:
        statuses.update(report.statuses)
    slowest = max(reports, key=lambda report: report.slowest_s)
    print(f"{sum(report.requests for report in reports):,} requests in {seconds:.0f} s, {len(reports)} sessions")
    print("statuses:", ", ".join(f"{status}: {number:,}" for status, number in sorted(statuses.items())))
    print(f"the slowest took {slowest.slowest_s * 1000:.0f} ms: {str(slowest.slowest)[:300]}")
    print(f"{len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
