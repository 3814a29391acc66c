"""Threads read through a gate, which every 429 closes for as long as its header says."""

import os
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from types import SimpleNamespace

import httpx
import requests
import urllib3
from requests.adapters import HTTPAdapter


def session(**pool):
    made = requests.Session()
    made.mount("http://", HTTPAdapter(**pool))
    return made


class Pool(urllib3.PoolManager):
    def get(self, url, headers, timeout):
        found = self.request("GET", url, headers=headers, timeout=timeout, retries=False)
        return SimpleNamespace(status_code=found.status, headers=found.headers)


class OfThread(threading.local):
    """A session of its own for each thread."""

    def __init__(self, made):
        self.get = requests.Session().get
        made.append(self.get.__self__)


class Sessions:
    def __enter__(self):
        self.made = []
        self.of_thread = OfThread(self.made)
        return self

    def __exit__(self, *_):
        for made in self.made:
            made.close()

    def get(self, *arguments, **options):
        return self.of_thread.get(*arguments, **options)


#: By way: the client, how many threads read how many addresses, and further arguments of `Reader`.
WAYS = {
    "requests, a small pool": lambda: (session(pool_maxsize=4, pool_block=True), 12, 60, {}),
    "requests, a pool that grows": lambda: (session(), 8, 40, {}),
    "requests, a pool of one": lambda: (session(pool_maxsize=1, pool_block=True), 6, 30, {}),
    "requests, no session": lambda: (nullcontext(requests), 6, 30, {}),
    "requests, a session for each thread": lambda: (Sessions(), 6, 40, {}),
    "urllib3": lambda: (Pool(maxsize=3, block=True), 9, 60, {}),
    "httpx": lambda: (httpx.Client(limits=httpx.Limits(max_connections=5, keepalive_expiry=None)), 10, 60, {}),
    "equal requests": lambda: (session(pool_maxsize=3, pool_block=True), 8, 40, {"is_equal": True}),
    "a semaphore": lambda: (session(), 12, 60, {"turns": threading.Semaphore(3)}),
    "a semaphore of one": lambda: (session(), 6, 30, {"turns": threading.Semaphore(1)}),
    "a pause between requests": lambda: (session(), 6, 30, {"pause": 0.02}),
    "it gives up": lambda: (session(pool_maxsize=4, pool_block=True), 12, 60, {"gives_up": True}),
    "it does not repeat what was refused": lambda: (session(), 8, 60, {"repeats": False}),
}


class Reader:
    def __init__(self, url, get, *, turns=None, pause=0.0, gives_up=False, repeats=True):
        self.url, self.get, self.turns, self.pause = url, get, turns or nullcontext(), pause
        self.gives_up, self.repeats = gives_up, repeats
        self.until, self.ended = 0.0, False

    def read(self, path):
        is_done = False
        while not (is_done or self.ended):
            with self.turns:
                time.sleep(max(0.0, self.until - time.monotonic()))
                time.sleep(self.pause)
                if self.until > time.monotonic():
                    continue
                answer = self.get(f"{self.url}/v3/{path}", headers={"api-key": "any"}, timeout=20)
                if answer.status_code == 429:
                    self.until = time.monotonic() + float(answer.headers["x-sib-ratelimit-reset"])
                    self.ended = self.gives_up
                is_done = answer.status_code != 429 or not self.repeats


def main(url, seed, way):
    client, threads, number, more = WAYS[way]()
    is_equal = more.pop("is_equal", False)
    contacts = [f"contacts/contact{found}@list.test" for found in random.Random(seed).sample(range(120), number)]
    with client as opened, ThreadPoolExecutor(threads) as pool:
        reader = Reader(url, opened.get, **more)
        list(pool.map(reader.read, ["account"] * number if is_equal else contacts))


if __name__ == "__main__":
    for name in WAYS:
        main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")), name)
