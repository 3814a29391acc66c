"""CSV of any kind: what can be read is imported, and nothing else is lost or refused with 5xx."""

import pytest

from mockserver.resources.contacts import files

ADA = "ada@acme.test"
FILES = {
    "semicolons": ("EMAIL;NAME\nbob@a.test;Bob\n", {"bob@a.test": "Bob"}, 0),
    "commas": ("EMAIL,NAME\nbob@a.test,Bob\n", {"bob@a.test": "Bob"}, 0),
    "columns in another order": ("NAME;EMAIL\nBob;bob@a.test", {"bob@a.test": "Bob"}, 0),
    "a header in any case": ("Email;name\nbob@a.test;Bob", {"bob@a.test": "Bob"}, 0),
    "a byte order mark": ("\ufeffEMAIL;NAME\nbob@a.test;Bob", {"bob@a.test": "Bob"}, 0),
    "CRLF": ("EMAIL;NAME\r\nbob@a.test;Bob\r\neve@a.test;Eve\r\n", {"bob@a.test": "Bob", "eve@a.test": "Eve"}, 0),
    "CR": ("EMAIL;NAME\rbob@a.test;Bob\reve@a.test;Eve", {"bob@a.test": "Bob", "eve@a.test": "Eve"}, 0),
    "literal line breaks": (
        r"EMAIL;NAME\nbob@a.test;Bob\neve@a.test;Eve",
        {"bob@a.test": "Bob", "eve@a.test": "Eve"},
        0,
    ),
    "empty lines": ("\n\nEMAIL;NAME\n\nbob@a.test;Bob\n\n;\n", {"bob@a.test": "Bob"}, 0),
    "a quoted separator": ('EMAIL;NAME\nbob@a.test;"Bob; Jr"', {"bob@a.test": "Bob; Jr"}, 0),
    "a doubled quote": ('EMAIL,NAME\nbob@a.test,"Bob ""B"" Ray"', {"bob@a.test": 'Bob "B" Ray'}, 0),
    "a quoted line break": (
        'EMAIL,NAME\nbob@a.test,"Bob\nRay"\neve@a.test,Eve',
        {"bob@a.test": "Bob\nRay", "eve@a.test": "Eve"},
        0,
    ),
    "a quoted header": ('"EMAIL";"NAME"\nbob@a.test;Bob', {"bob@a.test": "Bob"}, 0),
    "a row that is too short": ("EMAIL;NAME\nbob@a.test\neve@a.test;Eve", {"bob@a.test": None, "eve@a.test": "Eve"}, 0),
    "a row that is too long": ("EMAIL;NAME\nbob@a.test;Bob;x;y", {"bob@a.test": "Bob"}, 0),
    "an unknown column": ("EMAIL;HAT;NAME\nbob@a.test;red;Bob", {"bob@a.test": "Bob"}, 0),
    "a repeated column": ("EMAIL;NAME;NAME\nbob@a.test;Bob;Ray", {"bob@a.test": "Bob"}, 0),
    "invalid addresses": ("EMAIL;NAME\nbob;Bob\n@a.test;Eve\neve@a.test;Eve", {"eve@a.test": "Eve"}, 2),
    "a row without identifier": ("EMAIL;NAME\n;Bob\neve@a.test;Eve", {"eve@a.test": "Eve"}, 1),
    "a quote without an end": (
        'EMAIL;NAME\nbob@a.test;"Bob\neve@a.test;Eve\nsue@a.test;Sue',
        {"eve@a.test": "Eve", "sue@a.test": "Sue"},
        1,
    ),
    "two quotes without an end": (
        'EMAIL;NAME\nbob@a.test;"Bob\neve@a.test;Eve\nsue@a.test;"Sue\nzoe@a.test;Zoe',
        {"eve@a.test": "Eve", "zoe@a.test": "Zoe"},
        2,
    ),
    "text behind a quote": (
        'EMAIL;NAME\nbob@a.test;"Bob"B\neve@a.test;Eve',
        {"bob@a.test": "BobB", "eve@a.test": "Eve"},
        0,
    ),
    "text behind a quote, and a quote without an end": (
        'EMAIL;NAME\nbob@a.test;"Bob"B;"x\neve@a.test;Eve',
        {"eve@a.test": "Eve"},
        1,
    ),
    "a quote in a field": ('EMAIL;NAME\nbob@a.test;Bob "B', {"bob@a.test": 'Bob "B'}, 0),
    "NUL": ("EMAIL;NAME\nbob@a.test;B\0b\ne\0ve@a.test;Eve", {"bob@a.test": "B\0b"}, 1),
    "a field that is too large": (f"EMAIL;NAME\nbob@a.test;{'x' * 200_000}\neve@a.test;Eve", {"eve@a.test": "Eve"}, 1),
    "a quoted field that is too large": (
        f'EMAIL;NAME\nbob@a.test;"{"x" * 200_000}"\neve@a.test;Eve',
        {"eve@a.test": "Eve"},
        1,
    ),
    "a line that is too long": (f"EMAIL;NAME\n{'x;' * 300_000}\neve@a.test;Eve", {"eve@a.test": "Eve"}, 1),
    "capitals in an address": ("EMAIL;NAME\nBOB@A.test ;Bob", {"bob@a.test": "Bob"}, 0),
    "a header only": ("EMAIL;NAME", {}, 0),
    "formulas and markup": ("EMAIL;NAME\nbob@a.test;=1+1{{ x }}<b>", {"bob@a.test": "=1+1{{ x }}<b>"}, 0),
}


@pytest.mark.parametrize(("text", "expected", "invalid"), FILES.values(), ids=FILES)
def test_a_file_is_read_row_by_row_whatever_its_form(imports, text, expected, invalid):
    found = imports.done(text)

    assert (found["status"], found["info"]["import"]["invalid_emails"]) == ("completed", invalid)
    contacts = imports.contacts()
    del contacts[ADA]
    assert {email: attributes.get("NAME") for email, attributes in contacts.items()} == expected
    assert imports.members(1) == list(expected)


REFUSED = {
    "blanks": (" \n\t", "fileBody: Must not be blank"),
    "no identifier": ("NAME;CITY\nBob;Rome", "The file needs a header with EMAIL, SMS or EXT_ID"),
    "no header": ("bob@a.test;Bob", "The file needs a header with EMAIL, SMS or EXT_ID"),
    "one line of 1 MB": ("x" * 1_000_000, "The file needs a header with EMAIL, SMS or EXT_ID"),
    "separators only": (";" * 1_000_000, "The file needs a header with EMAIL, SMS or EXT_ID"),
    "quotes only": ('"' * 300_001, "The file needs a header with EMAIL, SMS or EXT_ID"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_a_file_without_a_header_of_identifiers_is_refused(imports, text, message):
    assert imports.ask({"fileBody": text, "listIds": [1]}) == (400, ("invalid_parameter", message))
    assert imports.get("/processes") == {"processes": [], "count": 0}


@pytest.mark.parametrize(
    "line", ['"a\n', '"a\nb","', '""', '"""', '"a""\n', ",", "\r", '"\n,', '";"\n', '"""x\n', '"x\n""\n'], ids=repr
)
def test_a_file_of_quotes_and_separators_is_read_in_linear_time(imports, line):
    number = imports.begin("EMAIL,NAME\n" + line * (300_000 // len(line)) + "\nbob@a.test,Bob")

    answer = imports.api.post(f"/_mock/machines/process/{number}/start")
    assert answer.status_code == 200
    answer = imports.api.post(f"/_mock/machines/process/{number}/complete")

    assert answer.status_code == 200
    assert imports.process(number)["status"] == "completed"


def test_a_second_failure_at_a_place_skips_all_up_to_there():
    text = '"a\nb",' * 15_000 + '"' + "x" * 140_000
    assert [cells for cells, _ in files.records(text, 0, ",")] == [None, None]


def test_a_record_of_many_lines_is_given_up_at_the_longest():
    cells, end = next(files.records('"a\nb",' * 60_000, 0, ","))
    assert (cells, end - files.LONGEST_RECORD <= 10) == (None, True)


OBJECTS = {
    "an address": ({"email": "bob@a.test", "attributes": {"NAME": "Bob"}}, {"NAME": "Bob"}),
    "an address among the attributes": ({"attributes": {"EMAIL": "bob@a.test", "NAME": "Bob"}}, {"NAME": "Bob"}),
    "identifiers in any case": ({"email": "bob@a.test", "attributes": {"sms": "+33612345678"}}, {"SMS": "33612345678"}),
    "no attributes": ({"email": "bob@a.test"}, {}),
    "null": ({"email": "bob@a.test", "attributes": {"NAME": None, "CITY": "Rome"}}, {"CITY": "Rome"}),
    "a nested value": ({"email": "bob@a.test", "attributes": {"NAME": {"a": [1]}, "CITY": "Rome"}}, {"CITY": "Rome"}),
    "a value that does not fit": (
        {"email": "bob@a.test", "attributes": {"BIRTHDAY": "soon", "NAME": "Bob"}},
        {"NAME": "Bob"},
    ),
    "an unknown attribute": ({"email": "bob@a.test", "attributes": {"HAT": "red"}}, {}),
    "options": ({"email": "bob@a.test", "attributes": {"TAGS": ["a", "b"]}}, {"TAGS": ["a", "b"]}),
    "a phone number that is none": ({"email": "bob@a.test", "attributes": {"SMS": "home"}}, {}),
    "an EXT_ID that is a list": ({"email": "bob@a.test", "attributes": {"EXT_ID": ["a"]}}, {}),
}


@pytest.mark.parametrize(("item", "expected"), OBJECTS.values(), ids=OBJECTS)
def test_an_object_of_a_json_body_becomes_a_contact(imports, item, expected):
    found = imports.done([item])

    assert found["status"] == "completed"
    assert imports.contacts()["bob@a.test"] == expected


@pytest.mark.parametrize(
    "item", [None, 7, "bob@a.test", [], {}, {"email": 7}, {"email": ["bob@a.test"]}, {"email": True},
             {"email": "bob@a.test", "attributes": [1]}, {"attributes": {"NAME": "Bob"}}], ids=repr
)  # fmt: skip
def test_a_bad_object_is_counted_and_harms_no_other(imports, item):
    found = imports.done([item, {"email": "eve@a.test"}])

    assert (found["status"], found["info"]["import"]["invalid_emails"]) == ("completed", 1)
    assert list(imports.contacts()) == [ADA, "eve@a.test"]


def test_cells_of_a_multiple_choice_attribute_are_split_at_commas(imports):
    imports.done("EMAIL;TAGS\nbob@a.test;a, b\neve@a.test;")
    found = imports.contacts()
    assert (found["bob@a.test"], found["eve@a.test"]) == ({"TAGS": ["a", "b"]}, {})


def test_columns_that_are_not_imported_are_named_in_the_journal(imports):
    imports.begin("EMAIL;HAT\nbob@a.test;red")
    warnings = imports.api.get("/_mock/requests").json["items"][0]["warnings"]
    assert warnings == ["columns without an attribute of the account, or given twice, are not imported: HAT"]
