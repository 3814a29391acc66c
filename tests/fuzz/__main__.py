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

from fuzz.session import Session

#: How many requests make a session.
REQUESTS = 400
#: A request that takes longer is stuck: its stack is shown, and its process ends.
_STUCK_S = 120


def run(seed):
    faulthandler.dump_traceback_later(_STUCK_S, exit=True)
    try:
        return Session(seed).run(REQUESTS)
    finally:
        faulthandler.cancel_dump_traceback_later()


def main():
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--session", help="run one session again, as a finding names it")
    arguments = parser.parse_args()
    if arguments.session:
        return tell([run(arguments.session)], 0.0)
    started, reports, cores = time.monotonic(), [], os.cpu_count() or 1
    with ProcessPoolExecutor(cores) as pool:
        while time.monotonic() - started < arguments.seconds and not any(report.findings for report in reports):
            reports += pool.map(run, [f"1/{len(reports) + index}" for index in range(cores * 4)])
    return tell(reports, time.monotonic() - started)


def tell(reports, seconds):
    """Print what was found. Return the status to end with."""
    findings = [finding for report in reports for finding in report.findings]
    for finding in findings:
        print(f"FOUND {finding}\n", file=sys.stderr)
    statuses = sum((Counter(report.statuses) for report in reports), Counter())
    slowest = max(reports, key=lambda report: report.slowest_s)
    print(f"{sum(report.requests for report in reports):,} requests in {seconds:.0f} s, {len(reports)} sessions")
    print("statuses:", ", ".join(f"{status}: {number:,}" for status, number in sorted(statuses.items())))
    print(f"the slowest took {slowest.slowest_s * 1000:.0f} ms: {str(slowest.slowest)[:300]}")
    print(f"{len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
