"""Record the corpus again: `python -m raw --record` in `tests`; words after it select files.

It is for a change that is meant to change answers; without `--record` it tells which conversations are other ones.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from raw.conversation import FOLDER, Conversation, corpus, put
from raw.playback import SERVERS, Target, played, scenario

from mockserver import MockServer

#: How many servers of a kind are asked at once, as it takes time to see that nothing more comes.
ABREAST = 6


def recorded(rows: list[Conversation]) -> list[Conversation]:
    """The conversations with what comes back now."""
    by_kind = defaultdict(list)
    for number, row in enumerate(rows):
        by_kind[row.server, number % ABREAST].append(row)
    with ThreadPoolExecutor(len(by_kind) or 1) as pool:
        found = [row for part in pool.map(_recorded_by, by_kind.values()) for row in part]
    return sorted(found, key=lambda row: [one.name for one in rows].index(row.name))


def _recorded_by(rows: list[Conversation]) -> list[Conversation]:
    kind = rows[0].server
    with MockServer(scenario(kind), port=0, **SERVERS[kind][1]) as server:
        target = Target(server.url, kind)
        found = [_recorded(target, row) for row in rows]
        target.close()
    return found


def _recorded(target: Target, row: Conversation) -> Conversation:
    try:
        back, end = played(target, row, anew=True)
    except Exception as error:
        raise RuntimeError(f"{row.name}: {error}") from error
    return replace(row, back=back, end=end)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m raw", description=__doc__)
    parser.add_argument("words", nargs="*", metavar="WORD", help="a part of the names of files; all without")
    parser.add_argument("--record", action="store_true", help="write what comes back into the corpus")
    options = parser.parse_args()
    differ = 0
    for name, rows in corpus().items():
        if options.words and not any(word in name for word in options.words):
            continue
        found = recorded(rows)
        if options.record:
            put(FOLDER / f"{name}.yaml", found)
        for old, new in zip(rows, found, strict=True):
            if old != new:
                differ += 1
                print(f"{name}: {new.name}: {new.end}")
    sys.exit(bool(differ) and not options.record)


if __name__ == "__main__":
    main()
