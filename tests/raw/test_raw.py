"""Raw requests over sockets are answered byte for byte as the corpus has it, and their connections end as it has it.

`python -m raw --record` records the corpus anew, for a change that is meant to change answers.
"""

from __future__ import annotations

from contextlib import ExitStack, closing

import pytest
from raw.conversation import as_bytes, as_text, corpus, sample
from raw.playback import SERVERS, Target, played, scenario

from mockserver import MockServer

CORPUS = corpus()
ROWS = {f"{name}: {row.name}": row for name, rows in CORPUS.items() for row in rows}


@pytest.fixture(scope="module")
def target():
    """Gives the running server of a kind, which is started when it is first asked for."""
    with ExitStack() as stack:
        running = {}

        def found(kind):
            if kind not in running:
                server = stack.enter_context(MockServer(scenario(kind), **SERVERS[kind][1]))
                running[kind] = stack.enter_context(closing(Target(server.url, kind)))
            return running[kind]

        yield found


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_conversation_is_answered_as_recorded(target, row):
    assert played(target(row.server), row) == (row.back, row.end)


#: A sample without the server that makes a workspace for each unknown key, which then exists already.
AGAIN = sample({name: row for name, row in ROWS.items() if row.server != "isolate"})


@pytest.mark.slow
@pytest.mark.parametrize("row", AGAIN.values(), ids=AGAIN)
def test_conversation_with_cached_heads_is_answered_as_recorded(target, row):
    for _ in range(2):
        played(target(row.server), row)

    assert played(target(row.server), row) == (row.back, row.end)


def test_classes_have_a_dozen_conversations_with_unique_names():
    assert len(ROWS) == sum(map(len, CORPUS.values()))
    assert all(len(rows) >= 12 for rows in CORPUS.values())


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\n\n"),
        (b"\n", "\\n"),
        (b"\r", "\\r"),
        (b"a\tb\\n", "a\\tb\\\\n"),
        (b"\x00\xff", "\\x00\\xff"),
        (b"a \r\n b ", "a\\x20\n b\\x20"),
    ],
    ids=["lines", "a LF by itself", "a CR by itself", "what has a letter of its own", "bytes", "spaces at an end"],
)
def test_bytes_and_the_text_of_the_corpus_stand_for_each_other(data, text):
    assert (as_text(data), as_bytes(text)) == (text, data)
