"""Imports contacts in four threads, each of which puts a refused contact back in the queue."""

import os
import queue
import random
import threading

import requests


def main(url, seed):
    draw = random.Random(seed)
    waiting = queue.SimpleQueue()
    names = [f"{number}-{draw.randrange(1000)}@contact.test" for number in range(12)]
    draw.shuffle(names)
    for name in names:
        waiting.put(name)

    def work():
        with requests.Session() as session:
            session.headers["api-key"] = "any"
            while True:
                try:
                    email = waiting.get_nowait()
                except queue.Empty:
                    return
                answer = session.post(f"{url}/v3/contacts", json={"email": email}, timeout=5)
                if answer.status_code == 429:
                    waiting.put(email)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
