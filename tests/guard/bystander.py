"""Asks a server's `livez` again and again; for each line on stdin it tells the longest wait since the last one.

In seconds, and in a process of its own, so that nothing but the server makes it wait.
"""

import http.client
import select
import sys
import time
from urllib.parse import urlsplit


def main() -> None:
    connection = http.client.HTTPConnection(urlsplit(sys.argv[1]).netloc, timeout=120)
    longest = 0.0
    while True:
        started = time.perf_counter()
        connection.request("GET", "/_mock/livez")
        connection.getresponse().read()
        longest = max(longest, time.perf_counter() - started)
        if select.select([sys.stdin], [], [], 0.003)[0]:
            if not sys.stdin.readline():
                return
            print(longest, flush=True)
            longest = 0.0


main()
