"""Files that nobody should send: each is refused without a trace, or imported as far as its rows are good."""

from __future__ import annotations

import json
import random

import pytest
from examples import rounds

SCENARIO = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [
        {
            "name": "acme",
            "attributes": {"normal": ["FIRSTNAME", {"name": "AGE", "type": "float"}]},
            "contact_lists": [{"id": 1, "name": "Readers"}],
            "contacts": [{"email": "ada@acme.test", "attributes": {"FIRSTNAME": "Ada"}, "list_ids": [1]}],
        }
    ],
}
ROW = "zoe@acme.test;Zoe"
#: Files by what is wrong with them.
FILES = {
    "nothing": "",
    "a BOM only": "\ufeff",
    "line breaks only": "\n\n\r\n\r",
    "separators only": ";;;\n;;;\n",
    "no header": f"{ROW}\n",
    "a header only": "EMAIL;FIRSTNAME",
    "a header with a BOM": f"\ufeffEMAIL;FIRSTNAME\n{ROW}\n",
    "two BOMs": f"\ufeff\ufeffEMAIL;FIRSTNAME\n{ROW}\n",
    "a quoted header with a BOM": f'\ufeff"EMAIL";"FIRSTNAME"\n{ROW}\n',
    "a header twice": "EMAIL;FIRSTNAME;FIRSTNAME;EMAIL\nzoe@acme.test;Zoe;Zo;yan@acme.test\n",
    "headers that differ in case": "email;Email;EMAIL\na@acme.test;b@acme.test;c@acme.test\n",
    "empty headers": ";;EMAIL;;\na;b;zoe@acme.test;c;d\n",
    "both separators": "EMAIL;FIRSTNAME,AGE\nzoe@acme.test;Zoe,7\n",
    "tabs": "EMAIL\tFIRSTNAME\nzoe@acme.test\tZoe\n",
    "a quote that never ends": 'EMAIL;FIRSTNAME\nzoe@acme.test;"Zoe\nyan@acme.test;Yan\n',
    "quotes inside of a field": 'EMAIL;FIRSTNAME\nzoe@acme.test;Z"o"e\n',
    "text after a quote": 'EMAIL;FIRSTNAME\nzoe@acme.test;"Zo"e\n',
    "a line break in quotes": 'EMAIL;FIRSTNAME\nzoe@acme.test;"Zo\ne"\n',
    "quotes in quotes": 'EMAIL;FIRSTNAME\nzoe@acme.test;"Z ""o"" e"\n',
    "carriage returns": "EMAIL;FIRSTNAME\rzoe@acme.test;Zoe\r",
    "mixed line breaks": "EMAIL;FIRSTNAME\r\nzoe@acme.test;Zoe\nyan@acme.test;Yan\rxia@acme.test;Xia",
    "other line breaks": "EMAIL;FIRSTNAME\u2028zoe@acme.test;Zoe\u2029\x0b\x0c\x1c\x85yan@acme.test;Yan\n",
    "NUL": "EMAIL;FIRSTNAME\nzoe@acme.test;Z\x00oe\nyan\x00@acme.test;Yan\n\x00",
    "NUL in the header": f"EMAIL\x00;FIRSTNAME\n{ROW}\n",
    "control characters": "EMAIL;FIRSTNAME\nzoe@acme.test;\x01\x1b[31m\x7f\nyan@acme.test\x07;Yan\n",
    "half of a surrogate pair": "EMAIL;FIRSTNAME\nzoe@acme.test;\ud800\nyan\udfff@acme.test;Yan\n",
    "half of a surrogate pair in the header": f"EMAIL;\ud83d\n{ROW}\n",
    "formulas": "EMAIL;FIRSTNAME\nzoe@acme.test;=cmd|' /C calc'!A0\n=1+1@acme.test;+1\n@SUM(1);-1\n",
    "scripts": "EMAIL;FIRSTNAME\nzoe@acme.test;<script>alert(1)</script>\n{{ 7*7 }}@acme.test;{{ contact }}\n",
    "rows that are too short and too long": "EMAIL;FIRSTNAME\nzoe@acme.test\n;\n;;;;\nyan@acme.test;Yan;1;2;3\n",
    "addresses that are none": "EMAIL\nnobody\n@\na@\n@b.test\na b@c.test\na@b..test\n\u202eeve@acme.test\n",
    "an address of 10,000 characters": f"EMAIL\n{'a' * 10_000}@acme.test\n",
    "numbers that are none": "EMAIL;AGE;SMS\nzoe@acme.test;NaN;0\nyan@acme.test;1e999;+\nxia@a.test;-0;\u0663\u0663\n",
    "an own id for all": "EMAIL;EXT_ID\nzoe@acme.test;1\nyan@acme.test;1\nada@acme.test;1\n",
    "a row again and again": "EMAIL;FIRSTNAME\n" + f"{ROW}\n" * 1_000,
    "100,000 columns": ";".join(["EMAIL", *(f"C{number}" for number in range(100_000))]) + f"\n{ROW}\n",
    "100,000 fields in a row": "EMAIL;FIRSTNAME\nzoe@acme.test" + ";x" * 100_000 + "\n",
    "100,000 quotes": "EMAIL;FIRSTNAME\nzoe@acme.test;" + '"' * 100_000 + "\n",
    "100,000 separators": ";" * 100_000,
    "100,000 line breaks": "EMAIL" + "\n" * 100_000 + "zoe@acme.test",
    "a line of 7 MB": "EMAIL;FIRSTNAME\nzoe@acme.test;" + "a" * 7_000_000,
    "a line of 10 MB": "EMAIL;FIRSTNAME\nzoe@acme.test;" + "a" * 10_000_000,
    "a header of 10 MB": "EMAIL" * 2_000_000,
    "a quoted field of 10 MB": 'EMAIL;FIRSTNAME\nzoe@acme.test;"' + "a\n" * 5_000_000,
}
OPTIONS = {
    "plain": {"listIds": [1]},
    "a new list": {"newList": {"listName": "New", "folderId": 1}},
    "emptied and blacklisted": {"listIds": [1], "emptyContactsAttributes": True, "emailBlacklist": True},
}
#: The process of an import that ended.
ENDED = ("completed", "failed")


@pytest.fixture
def imports(make_api):
    return Imports(make_api("empty"))


class Imports:
    """An application in which anything is imported."""

    def __init__(self, api):
        self.api = api
        assert api.post("/_mock/reset", json={"scenario": SCENARIO}).status_code == 200

    @property
    def state(self):
        return self.api.get("/_mock/state").json

    def send(self, body):
        """Import a body, and return the status; what is refused leaves nothing behind."""
        before = self.state
        answer = self.api.post("/v3/contacts/import", data=json.dumps(body), content_type="application/json")
        assert answer.status_code in (202, 400, 413), answer.text[:500]
        if answer.status_code != 202:
            assert self.state == before
            return answer.status_code
        self.end(answer.json["processId"])
        return 202

    def end(self, number):
        """Let an import end, and read all that it may have changed."""
        self.api.advance("PT10M")
        process = self.api.get(f"/v3/processes/{number}")
        assert process.status_code == 200
        assert process.json["status"] in ENDED
        for path in ("/v3/processes", "/v3/contacts?limit=1000", "/v3/contacts/lists", "/v3/contacts/lists/1"):
            assert self.api.get(path).status_code == 200, path
        state = self.state
        assert self.api.put("/_mock/state", json=state).status_code == 200
        assert self.state == state


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
def test_file_is_refused_without_a_trace_or_imported(imports, file, options):
    imports.send({"fileBody": file, **options})


@pytest.mark.parametrize("file", [FILES["a header with a BOM"], FILES["a quoted header with a BOM"]])
def test_contact_is_imported_behind_a_bom(imports, file):
    assert imports.send({"fileBody": file, "listIds": [1]}) == 202

    assert imports.api.get("/v3/contacts/zoe@acme.test").json["attributes"] == {"FIRSTNAME": "Zoe"}


@pytest.mark.parametrize("name", ["rows that are too short and too long", "addresses that are none", "NUL", "formulas"])
def test_bad_row_harms_no_other(imports, name):
    good = "\nbob@acme.test;Bob\n"

    assert imports.send({"fileBody": FILES[name].rstrip("\n") + good, "listIds": [1]}) == 202

    found = imports.api.get("/v3/contacts/bob@acme.test")
    assert (found.status_code, found.json["listIds"]) == (200, [1])
    assert imports.api.get("/v3/contacts/ada@acme.test").json["attributes"] == {"FIRSTNAME": "Ada"}


@pytest.mark.parametrize(
    "rows",
    [
        [], [{}], [None], [[]], ["a@b.test"], [7], [{"email": 7}], [{"email": None}], [{"email": "\ud800@a.test"}],
        [{"email": "a\x00@a.test"}], [{"email": "zoe@acme.test", "attributes": []}],
        [{"email": "zoe@acme.test", "attributes": {"FIRSTNAME": {"a": [1]}}}],
        [{"email": "zoe@acme.test", "attributes": {"FIRSTNAME": None, "AGE": "x", "EMAIL": "y", "SMS": [1]}}],
        [{"email": "zoe@acme.test", "attributes": {"\ud800": "\udfff"}}], [{"EMAIL": "zoe@acme.test"}],
        [{"email": "zoe@acme.test", "listIds": [9], "id": 1}], {}, "x", 7, [{"email": "zoe@acme.test"}] * 1_000,
    ],
)  # fmt: skip
def test_rows_of_json_are_refused_without_a_trace_or_imported(imports, rows):
    imports.send({"jsonBody": rows, "listIds": [1]})


@pytest.mark.parametrize(
    "members",
    [
        {}, {"listIds": [1]}, {"fileBody": None}, {"fileBody": 7}, {"fileBody": ["EMAIL"]}, {"fileBody": {"a": 1}},
        {"fileBody": f"EMAIL\n{ROW}\n"}, {"fileBody": f"EMAIL\n{ROW}\n", "listIds": [1, 9]},
        {"fileBody": f"EMAIL\n{ROW}\n", "newList": {}}, {"fileBody": f"EMAIL\n{ROW}\n", "newList": {"listName": ""}},
        {"fileBody": f"EMAIL\n{ROW}\n", "newList": {"listName": "N", "folderId": 9}},
        {"fileBody": f"EMAIL\n{ROW}\n", "newList": {"listName": "N", "folderId": 1}, "listIds": [9]},
        {"fileBody": f"EMAIL\n{ROW}\n", "jsonBody": [{"email": "zoe@acme.test"}], "listIds": [1]},
        {"fileBody": f"EMAIL\n{ROW}\n", "listIds": [1], "notifyUrl": "ftp://x/"},
        {"fileBody": f"EMAIL\n{ROW}\n", "listIds": [1], "notifyUrl": 7},
        {"fileBody": f"EMAIL\n{ROW}\n", "listIds": [10**30]}, {"fileBody": f"EMAIL\n{ROW}\n", "listIds": [[1]]},
        {"fileUrl": "file:///etc/passwd", "listIds": [1]}, {"fileUrl": "http://169.254.169.254/", "listIds": [1]},
        {"fileUrl": "http://\ud800/", "listIds": [1]}, {"fileUrl": "", "listIds": [1]},
    ],
)  # fmt: skip
def test_request_is_refused_without_a_trace_or_imported(imports, members):
    imports.send(members)


@pytest.mark.parametrize("seed", range(4))
def test_random_characters_are_refused_without_a_trace_or_imported(imports, seed):
    chance = random.Random(seed)
    words = ["EMAIL", "FIRSTNAME", "zoe@acme.test", "ada@acme.test", *';,\n\r"\t\x00\ufeff=', "\ud800", "é", " ", "😀"]
    for _ in range(rounds(60)):
        imports.send({"fileBody": "".join(chance.choices(words, k=chance.randint(1, 40))), "listIds": [1]})


@pytest.mark.slow
def test_random_bytes_are_refused_without_a_trace_or_imported(imports):
    chance = random.Random(41)
    for size in (10, 1_000, 100_000):
        imports.send({"fileBody": chance.randbytes(size).decode("latin-1"), "listIds": [1]})
