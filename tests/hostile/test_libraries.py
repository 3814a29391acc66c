"""The shipped libraries of stubs meet what no product sends: nothing breaks, is reached or is rendered."""

from __future__ import annotations

import sys
from pathlib import Path
from zoneinfo import TZPATH

import pytest
from audit import audited
from examples import rounds
from fuzz.corpus import SCENARIO, of_libraries
from fuzz.session import Session
from hostile.refusals import refused

import mockserver
from mockserver.settings import data_folder

#: How many requests there are in all, in how many parts; the parts are for workers. All that has to hold of a workspace
#: is looked at five times in each, as one look takes as long as some hundred requests.
#: Chosen: with stubs, templates and paths some 50,000 in all with those of the fuzzer.
REQUESTS, PARTS = rounds(18_000), 6
LOOKS = 5
#: The seconds that the slowest of them may take, on a busy machine; chosen: a hundred times the longest that was seen.
SLOWEST_S = 2.0
#: What the interpreter tells of files and addresses.
REACHES = (
    "open", "os.", "shutil.", "socket.bind", "socket.connect", "socket.getaddrinfo", "socket.gethostby", "socket.send",
    "subprocess.", "urllib.",
)  # fmt: skip
#: Where the program and its libraries read their own modules and data, when they are first needed.
_PLACES = (mockserver.__path__[0], data_folder("scenarios"), sys.prefix, sys.base_prefix, *TZPATH)
OWN = tuple({str(Path(path).resolve()) for path in _PLACES})


def reaches(event, arguments):
    return event.startswith(REACHES) and not is_own(event, arguments)


def is_own(event, arguments):
    """Whether the program reads what belongs to it, or the interpreter keeps what it has compiled of it."""
    path, mode = (*arguments, None)[:2]
    if not str(path).startswith(OWN):
        return False
    is_read = event in ("open", "os.listdir", "os.scandir") and mode in ("r", "rb", None)
    return is_read or "__pycache__" in Path(path).parts


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_mutated_requests_break_nothing_and_reach_nothing(part):
    session = Session(f"libraries/{part}", list(of_libraries()), SCENARIO)

    with audited(reaches) as reached:
        report = session.run(REQUESTS // PARTS, between=REQUESTS // PARTS // LOOKS)

    assert [str(finding) for finding in report.findings] == []
    assert reached == []
    assert report.slowest_s < SLOWEST_S, report.slowest
    assert report.statuses.keys() >= {200, 201, 202, 204, 400, 404}


@pytest.fixture
def library(make_api):
    """An application with the libraries, at a standstill."""
    return make_api({**SCENARIO, "clock": {"start": "2026-11-30T09:00:00Z", "frozen": True}})


#: What a template would do, in whatever member of a request.
TEMPLATES = [
    "{{ 7 * 7 }}", "{{ ''.__class__.__mro__[1].__subclasses__() }}", "{% for one in range(10 ** 9) %}{% endfor %}",
    "{{ account.api_keys }}", "{{ request.environ }}", "{{", "{% raw %}", "{#",
]  # fmt: skip


def test_templates_in_what_a_caller_sends_and_keeps_are_text(library):
    assert library.post("/v3/contacts/attributes/normal/NOTE", json={"type": "text"}).status_code == 201
    for number, text in enumerate(TEMPLATES):
        sender, to = {"email": "news@acme.test", "name": text}, {"email": f"{number}@example.test", "name": text}
        mail = {"sender": sender, "subject": text, "textContent": text, "tags": [text], "to": [to]}
        assert library.post("/v3/smtp/email", json=mail).status_code == 201
        found = library.get("/_mock/mailbox").json["items"][0]
        assert (found["subject"], found["text"]) == (text, text)

        contact = {"email": f"{number}@example.test", "attributes": {"NOTE": text}}
        assert library.post("/v3/contacts", json=contact).status_code == 201
        assert library.get(f"/v3/contacts/{number}@example.test").json["attributes"]["NOTE"] == text


def test_line_breaks_make_no_headers(library):
    """A refused mail is not kept; of a mail that is kept the message has the headers of a mail, and no others."""
    for line in ("a\r\nBcc: eve@example.test", "a\nX-Evil: 1", "a\r", "\x00"):
        for member in ("subject", "name", "tag", "header"):
            mail = {
                "sender": {"email": "news@acme.test", "name": line if member == "name" else "News"},
                "to": [{"email": "bob@example.test"}], "textContent": "Hello.",
                "subject": line if member == "subject" else "Hello", "tags": [line if member == "tag" else "a"],
                "headers": {"X-Own": line if member == "header" else "1"},
            }  # fmt: skip
            before = library.get("/_mock/mailbox").json["count"]
            answer = library.post("/v3/smtp/email", json=mail)
            kept = library.get("/_mock/mailbox").json
            assert kept["count"] - before == (answer.status_code == 201)
            if answer.status_code != 201:
                refused(answer, 400)
                continue
            head = library.get(f"/_mock/mailbox/{kept['items'][0]['id']}.eml").text.partition("\n\n")[0]
            names = {row.partition(":")[0].lower() for row in head.splitlines() if row[:1].strip()}
            assert not {"bcc", "x-evil"} & names, (member, line)
