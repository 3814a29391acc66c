"""`mockserver stubs from-openapi`: a scenario of stubs out of an OpenAPI document."""

from __future__ import annotations

import json

import pytest
import yaml

from mockserver.beyond.stubs.schema import MOST_STUBS
from mockserver.evidence.openapi import document as own_document
from mockserver.resources.registry import API_OPERATIONS

HEAD = "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\n"
EXAMPLES = "#/components/examples/"
DONE = {"204": {"description": "done"}}


@pytest.fixture
def convert(run, tmp_path):
    """Runs the command with a document, as a text or as data; gives the result and the stubs that it has written."""

    def converted(document, *options, name="api.yaml"):
        file = tmp_path / name
        file.write_text(document if isinstance(document, str) else json.dumps(document))
        result = run("stubs", "from-openapi", str(file), *options)
        return result, (yaml.safe_load(result.stdout) or {}).get("stubs", []) if result.exit_code == 0 else None

    return converted


def api(paths, **members):
    return {"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"}, "paths": paths, **members}


def answering(body=None, status="200", **response):
    content = {"content": {"application/json": body}} if body is not None else {}
    return {"get": {"responses": {status: {"description": "", **content, **response}}}}


def stubs_of(convert, paths, *options, **members):
    result, stubs = convert(api(paths, **members), *options)
    assert result.exit_code == 0, result.output
    return stubs


def left_out(convert, paths, **members):
    """Why the only operation beside a good one is left out."""
    result, stubs = convert(api({**paths, "/v3/good": {"get": {"responses": DONE}}}, **members))
    assert [stub["path"] for stub in stubs] == ["/v3/good"]
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("left out: ")]
    return line


def test_an_operation_becomes_a_stub_with_the_documented_status_and_body_of_success(convert):
    pet = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer", "minimum": 1}, "tag": {}}}
    made = {"description": "made", "content": {"application/json": {"schema": pet}}}
    paths = {
        "/v3/pets": {"post": {"responses": {"400": {"description": "bad"}, "201": made}}},
        "/v3/pets/{id}": {"delete": {"responses": DONE}},
    }

    assert stubs_of(convert, paths) == [
        {"method": "POST", "path": "/v3/pets", "answer": {"status": 201, "json": {"id": 1}}},
        {"method": "DELETE", "path": "/v3/pets/{id}", "answer": {"status": 204}},
    ]


def test_the_scenario_is_one_that_the_check_takes(convert, run, tmp_path):
    out = tmp_path / "pets.yaml"

    result, _ = convert(api({"/v3/pets": answering({"example": ["{{ a }}", {"b": "{% c"}]})}), "--output", str(out))

    assert (result.stdout, result.stderr) == ("", f"1 stub in {out}, 0 operations left out\n")
    assert run("scenarios", "check", str(out)).output == f"{out}: ok\n"
    assert yaml.safe_load(out.read_text())["description"] == "Stubs made of api.yaml."


def test_our_own_document_under_other_paths_gives_answers_that_fit_it(convert):
    document = json.loads(json.dumps(own_document()).replace('"/v3/', '"/v3/else/'))

    result, stubs = convert(document)

    count = len(API_OPERATIONS)
    assert (len(stubs), result.stderr) == (count, f"{count} stubs, 0 operations left out\n")


def test_every_operation_that_the_mock_has_is_left_out(convert):
    paths = {}
    for operation in API_OPERATIONS.values():
        paths.setdefault(operation.path, {})[operation.method.lower()] = {"responses": DONE}

    result, _ = convert(api(paths))

    assert result.stderr.count(", which the mock has\n") == len(API_OPERATIONS)
    assert "api.yaml: no operation of which a stub can be made" in result.stderr


def test_an_operation_whose_path_could_be_one_of_the_mock_is_left_out(convert):
    line = left_out(convert, {"/v3/{any}/{thing}": {"delete": {"responses": DONE}}})

    assert "left out: DELETE /v3/{any}/{thing} (" in line


def test_the_answer_follows_from_what_is_documented(convert):
    for response, answer in [
        ({"200": {"content": {"application/json": {"example": {"a": 1}, "schema": {}}}}},
         {"status": 200, "json": {"a": 1}}),
        ({"200": {"content": {"application/json": {"examples": {"one": {"externalValue": ""}, "2": {"value": 0}}}}}},
         {"status": 200, "json": 0}),
        ({"200": {"content": {"application/json": {"example": "{}", "schema": {"type": "object"}}}}},
         {"status": 200, "json": {}}),
        ({"200": {"content": {"application/json": {}}}}, {"status": 200, "json": {}}),
        ({"200": {"content": {"text/csv": {}, "application/hal+json": {"schema": {"const": 1}}}}},
         {"status": 200, "json": 1}),
        ({"200": {"content": {"text/csv": {"example": "a;b"}}}},
         {"status": 200, "text": "a;b", "headers": {"Content-Type": "text/csv"}}),
        ({"200": {"content": {"application/pdf": {"schema": {"type": "string", "format": "binary"}}}}},
         {"status": 200, "text": "", "headers": {"Content-Type": "application/pdf"}}),
        ({"200": {"content": {"text/*": {}}}}, {"status": 200, "text": ""}),
        ({"default": {"content": {"application/json": {"schema": {"const": 1}}}}}, {"status": 200, "json": 1}),
        ({"2XX": {}, "202": {}}, {"status": 200}),
        ({"404": {}, "202": {}, "default": {}}, {"status": 202}),
        ({"302": {}}, {"status": 302}),
        ({"204": {"content": {"application/json": {}}}}, {"status": 204}),
    ]:  # fmt: skip
        (stub,) = stubs_of(convert, {"/v3/pets": {"get": {"responses": response}}})
        assert stub["answer"] == answer


def test_a_path_stands_behind_that_of_its_server(convert):
    for servers, path, options, found in [
        (None, "/pets", (), "/v3/pets"),
        (None, "/v3/pets", (), "/v3/pets"),
        ([{"url": "https://api.example.com/v3"}], "/pets", (), "/v3/pets"),
        ([{"url": "https://api.example.com/v3/"}, {"url": "/other"}], "/pets", (), "/v3/pets"),
        ([{"url": "/v3"}], "/pets", (), "/v3/pets"),
        ([{"url": "v3"}], "/pets", (), "/v3/pets"),
        ([{"url": "https://{host}/{v}", "variables": {"v": {"default": "v3"}, "host": {"default": "x"}}}], "/pets", (),
         "/v3/pets"),
        ([{"url": "https://api.example.com"}], "/v3/pets", (), "/v3/pets"),
        ([{"url": "https://api.example.com/v1"}], "/pets", ("--base", "/v3/"), "/v3/pets"),
        ([{"url": "https://api.example.com/v1"}], "/v3/pets", ("--base", ""), "/v3/pets"),
    ]:  # fmt: skip
        members = {} if servers is None else {"servers": servers}
        (stub,) = stubs_of(convert, {path: answering()}, *options, **members)
        assert stub["path"] == found


def test_the_server_of_an_operation_goes_before_that_of_its_path_and_of_the_document(convert):
    paths = {
        "/a": {"get": {"servers": [{"url": "/v3/one"}], "responses": DONE}, "servers": [{"url": "/v3/two"}]},
        "/b": {"get": {"responses": DONE}, "servers": [{"url": "/v3/two"}]},
        "/c": {"get": {"responses": DONE}},
    }

    stubs = stubs_of(convert, paths, servers=[{"url": "/v3/three"}])

    assert [stub["path"] for stub in stubs] == ["/v3/one/a", "/v3/two/b", "/v3/three/c"]


def test_paths_and_answers_are_found_by_their_references(convert):
    components = {
        "pathItems": {"Pets": {"get": {"responses": {"200": {"$ref": "#/components/responses/~0a~1b%20c"}}}}},
        "responses": {"~a/b c": {"content": {"application/json": {"examples": {"x": {"$ref": f"{EXAMPLES}X"}}}}}},
        "examples": {"X": {"value": [1]}},
    }  # fmt: skip

    (stub,) = stubs_of(convert, {"/v3/pets": {"$ref": "#/components/pathItems/Pets"}}, components=components)

    assert stub["answer"]["json"] == [1]


def test_what_cannot_be_a_stub_is_left_out_with_the_reason(convert):
    for paths, reason in [
        ({"/v3/a": {"head": {"responses": DONE}}}, "no stub answers HEAD"),
        ({"/v3/a": {"get": {"responses": {"404": {}}}}}, "no success is documented"),
        ({"/v3/a": {"get": {}}}, "no success is documented"),
        ({"/v3/a/{id}.json": answering()}, "is not a segment of a path, expected text, or a whole parameter"),
        ({"/v3/a/{one}{two}": answering()}, "is not a segment of a path, expected text, or a whole parameter"),
        ({"/v3/a/{id}/{id}": answering()}, "duplicate parameter {id}"),
        ({"/v3/a?b=c": answering()}, "'a?b=c' is not a segment of a path"),
        ({"a": answering()}, "/v3a is not a path below /v3; --base sets another beginning"),
        ({"/v3/a//b": answering()}, "is not a segment of a path"),
        ({"/v3/a": {"get": {"servers": [{"url": "/v1"}], "responses": DONE}}}, "/v1/v3/a is not a path below /v3"),
        ({"/v3/a": {"get": {"servers": [{"url": "http://[/v3"}], "responses": DONE}}}, "has no address"),
        ({"/v3/a": answering({"schema": {"$ref": "other.yaml#/A"}})}, "nothing is fetched"),
        ({"/v3/a": answering({"example": "a" * 200_000})}, "expected at most 65,536"),
        ({"/v3/a": answering({"schema": {"$ref": "http://[/"}})}, "leads to another document"),
        ({"/v3/a": answering({"schema": {"$ref": "#/components/schemas/None"}})}, "leads nowhere"),
        ({"/v3/a": {"$ref": "other.yaml"}}, "'other.yaml' leads to another document, and nothing is fetched"),
        ({"/v3/a": {"$ref": "#/paths/~1v3~1a"}}, "leads nowhere"),
        ({"/v3/a": 7}, "/v3/a: expected a mapping, got 7"),
        ({"/v3/a": {"get": 7}}, "get: expected a mapping, got 7"),
        ({"/v3/a": {"get": {"responses": 7}}}, "responses: expected a mapping, got 7"),
        ({"/v3/a": {"get": {"servers": 7, "responses": DONE}}}, "servers: expected a list, got 7"),
        ({"/v3/a": answering({"schema": {"type": "string", "pattern": "^a$"}})}, "has pattern and no example"),
    ]:  # fmt: skip
        assert reason in left_out(convert, paths)


def test_an_operation_at_the_address_of_another_is_left_out(convert):
    line = left_out(convert, {"/v3/good": {"get": {"responses": DONE}}, "/good": {"get": {"responses": DONE}}})

    assert "another operation has this address" in line


def test_what_is_left_out_is_told_with_file_and_line(convert, tmp_path):
    result, _ = convert(
        f"{HEAD}paths:\n  /v3/a: {{get: {{responses: {{'204': {{}}}}}}}}\n  /v3/b:\n    get: {{}}\n  x-more: 1\n"
    )

    assert result.stderr.splitlines()[0] == (
        f"left out: GET /v3/b ({tmp_path / 'api.yaml'}:6: /paths/~1v3~1b/get): no success is documented"
    )


@pytest.mark.slow
def test_import_stops_at_the_limit_of_stubs(convert):
    result, stubs = convert(api({f"/v3/a{number}": answering() for number in range(MOST_STUBS + 1)}))

    assert len(stubs) == MOST_STUBS
    assert "a workspace may have 1,000 stubs" in result.stderr


def test_a_document_that_is_none_is_told_with_file_and_place_and_gives_nothing(convert, tmp_path):
    for text, told in [
        (
            "openapi: 3.0.3\npaths: []\n",
            ":2: /paths: expected a mapping of at most 10,000 paths, got a list of 0 items",
        ),
        ("openapi: 3.0.3\n", ": /paths: expected a mapping of at most 10,000 paths, got null"),
        ("swagger: '2.0'\n", ": /openapi: expected an OpenAPI document, 3.0 or 3.1, got '2.0'"),
        ("paths: {}\n", ": /openapi: expected an OpenAPI document, 3.0 or 3.1, got null"),
        ("openapi: 3.2.0\n", ":1: /openapi: expected an OpenAPI document, 3.0 or 3.1, got '3.2.0'"),
        ("openapi: 3.0.3\npaths: {}\n", ": no operation of which a stub can be made"),
        ("- a\n", ":1: an OpenAPI document must be a mapping"),
        ("a: b: c\n", ":1: not YAML: mapping values are not allowed in this context"),
        ("a: !!python/object:os.system {}\n", "unsupported YAML tag"),
        ("a: 1\na: 2\n", ":2: a: duplicate key, first on line 1"),
        ("{", "not YAML"),
    ]:
        out = tmp_path / "out.yaml"
        result, _ = convert(text, "--output", str(out))
        assert (result.exit_code, out.exists(), result.stdout) == (1, False, "")
        assert str(tmp_path / "api.yaml") in result.stderr
        assert told in result.stderr


def test_json_is_told_with_its_lines_or_only_its_paths_when_it_is_no_yaml(convert):
    for before, place in [("\n ", "api.json:2: "), (' "a": "\x7f", ', "api.json: ")]:
        result, _ = convert(f'{{"openapi": "3.0.3",{before}"paths": {{"/v3/a": {{"get": {{}}}}}}}}', name="api.json")
        assert f"{place}/paths/~1v3~1a/get): no success is documented" in result.stderr


def test_json_has_numbers_and_letters_that_yaml_has_not(convert):
    text = json.dumps(api({"/v3/a": answering({"example": ["\U0001f600", 5]})})).replace("5]", "1e5]")

    (stub,) = convert(text, name="api.json")[1]

    assert stub["answer"]["json"] == ["\U0001f600", 100000.0]


def test_dates_of_yaml_are_texts(convert):
    example = "{content: {application/json: {example: [2026-01-02, 2026-01-02T03:04:05Z]}}}"
    text = f"{HEAD}paths: {{/v3/a: {{get: {{responses: {{200: {example}}}}}}}}}\n"

    (stub,) = convert(text)[1]

    assert stub["answer"]["json"] == ["2026-01-02", "2026-01-02T03:04:05Z"]


def test_a_file_that_is_too_large_or_no_text_is_refused(convert, run, tmp_path):
    file = tmp_path / "large.yaml"
    file.write_bytes(b"\xff")
    assert run("stubs", "from-openapi", str(file)).stderr == f"{file} is not UTF-8 at byte 0\n"

    with file.open("wb") as large:
        large.truncate(33 * 1024 * 1024)
    assert "it has more than 33,554,432 bytes" in run("stubs", "from-openapi", str(file)).stderr


def test_base_option_needs_a_path_with_a_leading_slash(convert):
    result, _ = convert(api({}), "--base", "v3")

    assert (result.exit_code, "--base is a path such as /v3, not 'v3'" in result.stderr) == (2, True)
