"""The page Timeline: the list of requests and its filters, one request, and requests as code."""

from __future__ import annotations

import gzip
import re
from contextlib import suppress
from urllib.parse import urlencode, urljoin

import pytest
import web_page

from mockserver.views import redaction


class Page:
    """A page with its list of requests, its links and its text."""

    def __init__(self, answer, path):
        self.status, self.html = answer.status_code, answer.text
        self.tree = web_page.read(answer.text)
        self.rows = [row.text for row in self.tree.all("li") if row.attributes.get("id", "").startswith("r-")]
        self.links = [urljoin(path, each.attributes["href"]) for each in self.tree.all("a")]
        self.text = web_page.plain(answer.text)


@pytest.fixture
def opened(api):
    """A function that opens an address below the page."""

    def read(path=""):
        address = f"/_mock/ui/requests{path}"
        return Page(api.get(address), address)

    return read


@pytest.fixture
def last(api):
    """A function that gives the newest request of the journal."""
    return lambda: api.get("/_mock/requests?limit=1").json["items"][0]


# ---------------------------------------------------------------------- the list


def test_each_request_is_a_line_newest_first(api, opened):
    api.get("/v3/account")
    api.post("/v3/senders", json={"name": "A"})
    api.get("/v3/sendrs")

    rows = opened().rows

    assert [re.sub(r" [\d.,]+ ms ", " T ms ", row.split(" ", 1)[1]) for row in rows] == [
        (
            "404 GET /v3/sendrs unknown route: no operation has the path /v3/sendrs; "
            "did you mean GET /v3/senders (getSenders)? T ms acme"
        ),
        "400 createSender missing field `email` in the body (it has `name`) T ms acme",
        "200 getAccount GET /v3/account T ms acme",
    ]


def test_a_request_that_a_fault_has_hit_is_marked(api, opened):
    api.get("/v3/account", headers={"X-Mock-Fault": "server_error"})
    assert "500 getAccount injected by fault header (server_error) fault server_error " in opened().rows[0]


def older(page):
    """Return the address of the link "Load older", below the page."""
    (found,) = [link for link in page.links if "before=" in link and "#" not in link]
    return found.removeprefix("/_mock/ui/requests")


def test_older_requests_are_listed_by_load_older(api, opened):
    for number in range(403):
        api.get(f"/v3/senders/{number}")

    pages = [opened()]
    for _ in range(2):
        pages.append(opened(older(pages[-1])))

    numbers = [int(re.search(r"/v3/senders/(\d+) ", row)[1]) for page in pages for row in page.rows]
    assert numbers == [*reversed(range(403))]
    assert [re.findall(r"Load older : (\d+) more", page.text) for page in pages] == [["203"], ["3"], []]


def test_load_older_keeps_the_filter(api, opened):
    for _ in range(201):
        api.get("/v3/account")
        api.get("/v3/nowhere")

    way = older(opened("?status=404"))

    assert len(opened(way).rows) == 1
    assert "status=404" in way


@pytest.mark.parametrize(
    ("settings", "option"),
    [
        ({"journal_limit": 2}, "--journal-limit 2"),
        ({"journal_bytes_limit": 20_000}, "--journal-bytes-limit 20000"),
    ],
)
def test_the_limit_that_removed_requests_is_named(make_api, settings, option):
    api = make_api(**settings)
    for _ in range(12):
        api.get("/v3/account")

    text = Page(api.get("/_mock/ui/requests"), "/").text

    assert re.search(rf"\d+ older ones were removed to make room \({option}\)", text)


def test_matching_requests_are_counted(api, opened):
    for path in ("/v3/account", "/v3/nowhere", "/v3/account"):
        api.get(path)
    assert "2 of 3 match." in opened("?operation=getaccount").text
    assert "1 of 3 matches." in opened("?status=4xx").text
    assert " match" not in opened().text


def test_an_address_with_empty_conditions_leads_to_one_without(api):
    answer = api.get("/_mock/ui/requests?operation=&status=404&account=&text=")
    assert (answer.status_code, urljoin("/_mock/ui/requests", answer.location)) == (
        302,
        "/_mock/ui/requests?status=404",
    )


def test_a_part_of_a_name_in_any_case_finds_operations_and_accounts(api, opened):
    api.get("/v3/account")
    api.get("/v3/senders")
    found = {query: len(opened(f"?{query}").rows) for query in ("operation=ACC", "operation=get", "account=CM")}
    assert found == {"operation=ACC": 1, "operation=get": 2, "account=CM": 2}


def test_the_whole_name_of_an_operation_finds_this_operation_only(api, opened):
    api.get("/v3/senders")
    api.get("/v3/senders/domains")
    api.get("/v3/senders/1/ips")
    assert len(opened("?operation=getIps").rows) == 0
    assert [" getSenders " in row for row in opened("?operation=getSenders").rows] == [True]


def test_a_filter_stays_on_the_page_of_a_request(api, opened):
    for path in ("/v3/nowhere", "/v3/account", "/v3/nowhere", "/v3/account", "/v3/nowhere"):
        api.get(path)
    newest, _, middle, _, oldest = [row["id"] for row in api.get("/_mock/requests").json["items"]]

    page = opened(f"/{middle}?status=404")

    assert [link.removeprefix("/_mock/ui/requests") for link in page.links if link.endswith("?status=404")] == [
        "?status=404", f"/{oldest}?status=404", f"/{newest}?status=404",
    ]  # fmt: skip
    assert f"/_mock/ui/requests/{middle}?status=404&collapse=no" in opened("?status=404&collapse=no").links


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("status:4xx op:createSender", 1), ("op:getAccount account:acme", 1), ("missing field", 1), ("held", 0),
        ("faulted", 1), ("SENDRS status:404", 1), ("code:missing_parameter", 1),
    ],
)  # fmt: skip
def test_the_text_field_chooses_and_keeps_its_text(api, opened, text, count):
    api.get("/v3/account")
    api.get("/v3/senders", headers={"X-Mock-Fault": "server_error"})
    api.post("/v3/senders", json={"name": "A"})
    api.get("/v3/sendrs")
    page = opened(f"?{urlencode({'q': text})}")
    assert len(page.rows) == count
    (field,) = [each for each in page.tree.all("input") if each.attributes.get("list") == "conditions"]
    assert sorted(field.attributes["value"].split()) == sorted(text.split())


def test_parameters_of_links_are_shown_as_text(opened):
    page = opened("?operation=getAccount&status=4xx&held=true&text=op:x")
    (field,) = [each for each in page.tree.all("input") if each.attributes.get("list") == "conditions"]
    assert field.attributes["value"] == 'status:4xx op:getAccount held "op:x"'


def test_consecutive_equal_refusals_are_one_row(api, opened):
    for path in ("/v3/nowhere", "/v3/nowhere", "/v3/account", "/v3/nowhere"):
        api.get(path)
    assert [" \N{MULTIPLICATION SIGN} 2 " in row for row in opened().rows] == [False, False, True]
    assert len(opened("?collapse=no").rows) == 4
    assert "/_mock/ui/requests?collapse=no" in opened().links


def test_a_missing_request_leads_to_the_timeline(opened):
    page = opened("/gone")
    assert page.status == 404
    assert "Timeline of default" in page.text


@pytest.mark.parametrize(
    ("chip", "count"), [("All", 4), ("2xx", 1), ("4xx", 1), ("5xx", 1), ("No answer", 1), ("Fault", 2)]
)
def test_a_chip_lists_the_requests_of_its_kind(api, opened, chip, count):
    api.get("/v3/account")
    api.get("/v3/nowhere")
    api.get("/v3/account", headers={"X-Mock-Fault": "server_error"})
    with suppress(ConnectionResetError):
        api.get("/v3/account", headers={"X-Mock-Fault": "empty_response"})
    (way,) = re.findall(rf'<a href="[./]*/_mock/ui/requests([^"]*)"[^>]*>{chip}</a>', opened().html)

    page = opened(way)

    assert len(page.rows) == count
    assert re.search(rf'aria-current="true">{chip}</a>', page.html)


# ---------------------------------------------------------------------- days, moves of the clock, durations

FROZEN = {"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}, "accounts": [{"name": "acme"}]}


def entries(page):
    """Return the days, moves and requests of a list in order."""
    rows = [row for row in page.tree.all("li") if row.attributes.get("id", "")[:2] in ("da", "c-", "r-")]
    return [re.sub(r" [\d.,]+ ms.*", "", row.text) for row in rows]


def test_days_and_moves_of_the_clock_divide_the_list(make_api):
    api = make_api(FROZEN)
    api.get("/v3/account")
    api.advance("P3D")
    api.get("/v3/account")
    api.put("/_mock/clock", json={"now": "2027-02-22T10:00:00Z"})
    api.get("/v3/account")
    api.get("/v3/account")

    assert entries(Page(api.get("/_mock/ui/requests"), "/")) == [
        "Monday 22 February 2027 UTC",
        "10:00:00 200 getAccount GET /v3/account",
        "10:00:00 200 getAccount GET /v3/account",
        "10:00:00 Clock advanced to 2027-02-22 10:00:00",
        "Sunday 18 January 2026 UTC",
        "09:00:00 200 getAccount GET /v3/account",
        "09:00:00 Clock advanced by 3 d to 2026-01-18 09:00:00",
        "Thursday 15 January 2026 UTC",
        "09:00:00 200 getAccount GET /v3/account",
        "09:00:00 Workspace reset",
    ]


@pytest.mark.parametrize(
    ("method", "path", "body", "sentence"),
    [
        ("POST", "/_mock/clock/advance", {"seconds": 90}, "Clock advanced by 1 min 30 s to 2026-01-15 09:01:30"),
        ("PUT", "/_mock/clock", {"frozen": False}, "Clock running"),
        ("PUT", "/_mock/clock", {"now": "PT1H", "frozen": True}, "Clock advanced by 1 h to 2026-01-15 10:00:00"),
        ("POST", "/_mock/snapshots/before/restore", None, "Snapshot before restored"),
    ],
)
def test_a_line_says_what_moved_the_clock(make_api, method, path, body, sentence):
    api = make_api(FROZEN)
    api.post("/_mock/snapshots", json={"name": "before"})
    api.get("/v3/account")

    answer = api.request(method, path, json=body)

    page = Page(api.get("/_mock/ui/requests"), "/_mock/ui/requests")
    moves = [row.text[9:] for row in page.tree.all("li") if "move" in row.attributes.get("class", "").split()]
    assert moves == [sentence, "Workspace reset"]
    assert f"/_mock/ui/requests/calls/{answer.headers['X-Mock-Call']}" in page.links


def test_a_duration_includes_the_delay_of_a_fault(api, opened, last):
    rule = api.post("/_mock/faults", json={"fault": "latency", "ms": 150}).json["id"]
    api.get("/v3/account")
    workspace_exchange = api.workspace.journal.newest
    workspace_exchange.over_at = workspace_exchange.real_at + 0.153

    assert " fault latency 153 ms " in opened().rows[0]
    page = one(api, opened, last)
    assert re.search(r"153 ms \([\d.]+ ms without the fault\)", page.text)
    assert f"Fault latency : {rule}" in page.text


FILTERS = {
    "operation=getAccount": ["getAccount"], "status=404": ["/v3/sendrs"],
    "status=4xx": ["/v3/sendrs", "createSender"], "status=4XX&operation=createSender": ["createSender"],
    "status=none": ["getSenders"], "account=acme&status=200": ["getAccount"], "account=somebody": [],
    "text=SENDRS": ["/v3/sendrs"], "text=missing+field": ["createSender"], "text=in-the-body": ["createSender"],
    "code=missing_parameter": ["createSender"], "transition=sender.create": [], "held=true": [],
}  # fmt: skip


def test_a_filter_in_the_address_chooses(api, opened):
    api.get("/v3/account")
    api.post("/v3/senders", json={"name": "In-The-Body"})
    api.get("/v3/sendrs")
    with suppress(ConnectionResetError):
        api.get("/v3/senders", headers={"X-Mock-Fault": "empty_response"})

    for query, titles in FILTERS.items():
        rows = opened(f"?{query}").rows

        assert len(rows) == len(titles), query
        assert all(f" {title} " in row for title, row in zip(titles, rows, strict=True)), query


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("status=many", "many is no status: write one as 404, a class as 4xx, or none"),
        ("status=4x", "4x is no status"),
        ("q=stat:404", "stat:404: there is no condition stat; the conditions are status:, op:, account:"),
        ("q=status:", "status: has no value"),
        ("q=status:4x", "4x is no status"),
        ("status=%D9%A4%D9%A0%D9%A4", "is no status"),
        ("operation=createSendr", "There is no operation createSendr; did you mean createSender?"),
        ("account=nobody", "No match among 1 event."),
        ("status=" + "9" * 100_000, "is no status"),
        ("text=%00%ff%25", "No match among 1 event."),
    ],
)
def test_invalid_filter_of_requests_is_explained(api, opened, query, sentence):
    api.get("/v3/account")
    page = opened(f"?{query}")
    assert page.status == 200
    assert sentence in page.text


def test_the_list_of_a_workspace_shows_its_own_requests_only(api, opened):
    api.post("/_mock/workspaces", json={"name": "other"})
    api.get("/v3/account")
    page = Page(api.get("/w/other/_mock/ui/requests"), "/w/other/_mock/ui/requests")
    assert (page.rows, len(opened().rows)) == ([], 1)


# ---------------------------------------------------------------------- one request


def one(api, opened, last):
    return opened(f"/{last()['id']}")


def test_a_refusal_says_why_by_which_rule_and_where_that_stands(api, opened, last):
    api.post("/v3/senders", json={"name": "A"})
    page = one(api, opened, last)
    assert '<p class="reason"><bdi>missing field `email` in the body (it has `name`)</bdi></p>' in page.html
    assert "The rule: missing_parameter is answered when email or name is absent" in page.text
    assert "/_mock/docs/contract/senders.md#createSender" in page.links
    assert "/_mock/docs" in page.links


def test_request_and_answer_are_shown_without_secrets(api, opened, last):
    api.post("/v3/senders?token=hidden", json={"name": "Jo", "email": "jo@acme.test", "otp": 987654}, key="sesame")
    page = one(api, opened, last)
    assert "jo@acme.test" in page.text
    assert "x-sib-ratelimit-limit" in page.text
    assert not [secret for secret in ("hidden", "987654", "sesame") if secret in page.html]


def test_a_secret_of_an_address_that_leads_nowhere_is_not_shown(api, opened, last):
    api.get("/v3/account/login/acme/sso/hidden")
    assert "hidden" not in opened().html + one(api, opened, last).html


def test_warnings_of_a_request_are_shown(api, opened, last):
    api.post("/v3/senders", json={"name": "Jo", "email": "jo@acme.test", "colour": "red"})
    assert '<span class="badge warn">warning</span> <bdi>' in one(api, opened, last).html


def test_a_fault_leads_to_its_rule_as_long_as_that_is_there(api, opened, last):
    rule = api.post("/_mock/faults", json={"fault": "server_error"}).json["id"]
    api.get("/v3/account")
    assert f"/_mock/ui/faults#rule-{rule}" in one(api, opened, last).links

    api.delete("/_mock/faults")

    assert f"{rule} , a rule that is gone" in one(api, opened, last).text


def test_request_page_links_previous_and_next_request(api, opened):
    for _ in range(3):
        api.get("/v3/account")
    newest, middle, oldest = [row["id"] for row in api.get("/_mock/requests").json["items"]]

    names = (newest, middle, oldest)
    around = [[link[-36:] for link in opened(f"/{name}").links if link[-36:] in names] for name in names]

    assert around == [[middle], [oldest, newest], [middle]]


def test_a_long_text_is_cut_with_a_way_to_the_whole(api, opened, last):
    api.post("/v3/senders", data="x" * 9_000, headers={"Content-Type": "text/plain"})
    page = one(api, opened, last)
    assert "5,000 more characters" in page.text
    assert f"/_mock/requests/{last()['id']}" in page.links


# ---------------------------------------------------------------------- sent again


def chosen_key(page):
    """Return the name of the key that the form sends."""
    return next(each.text for each in page.tree.all("option") if "selected" in each.attributes)


TWO_KEYS = {"accounts": [{"name": "acme", "api_keys": ["one", "two"]}, {"name": "shop", "api_keys": ["three"]}]}


@pytest.mark.parametrize(
    ("headers", "name"),
    [
        ({"api-key": "two"}, "acme"),
        ({"api-key": "three"}, "shop"),
        ({"api-key": "wrong"}, "an unknown key"),
        ({}, "no key"),
    ],
)
def test_form_chooses_the_key_of_the_caller(make_api, headers, name):
    api = make_api(TWO_KEYS, keys="known")
    api.client.get("/v3/account", headers=headers)

    page = Page(api.get(f"/_mock/ui/requests/{api.workspace.journal.newest.id}"), "/")

    assert chosen_key(page) == name
    assert {each.text for each in page.tree.all("option")} == {
        "acme", "acme, key 2", "shop", "an unknown key", "no key",
    }  # fmt: skip


def test_form_chooses_the_key_of_the_last_of_many_accounts(make_api):
    api = make_api({"accounts": [{"name": f"a{number}", "api_keys": [f"key-{number}"]} for number in range(120)]})
    api.get("/v3/account", key="key-119")

    page = Page(api.get(f"/_mock/ui/requests/{api.workspace.journal.newest.id}"), "/")

    assert chosen_key(page) == "a119"
    assert len(page.tree.all("option")) == 102  # a hundred keys, an unknown key, and no key


def test_form_asks_for_redacted_secrets_and_tells_the_present_code(api, opened, last):
    sender = api.post("/v3/senders", json={"name": "Jo", "email": "jo@acme.test"}).json["id"]
    code = api.get("/_mock/mailbox").json["items"][0]["otp"]
    api.put(f"/v3/senders/{sender}/validate", json={"otp": code - 1})

    page = one(api, opened, last)

    assert "write the right value in place of each ***" in page.text
    assert f"The present code of sender {sender} is {code}." in page.text
    assert str(code - 1) not in page.html


@pytest.mark.parametrize("sender", ["4711", "x"])
def test_form_of_a_code_for_no_sender_is_shown(api, opened, last, sender):
    api.put(f"/v3/senders/{sender}/validate", json={"otp": 123123})
    page = one(api, opened, last)
    assert (page.status, "The present code" in page.text) == (200, False)


@pytest.mark.parametrize(
    ("method", "body", "sentence"),
    [
        ("POST", b"\xff", "is no plain text"),
        ("POST", b"x" * 70_000, "too large for a form"),
        ("TRACE", b"", "Browsers send no TRACE requests"),
        ("GET", b"{}", "Browsers send no body with GET"),
    ],
)
def test_form_says_what_a_browser_cannot_send(api, opened, last, method, body, sentence):
    api.request(method, "/v3/senders", data=body)
    assert sentence in one(api, opened, last).text


def test_request_that_was_sent_again_names_the_first_request(api, opened, last):
    api.get("/v3/account")
    first = last()["id"]
    api.get("/v3/account", headers={"X-Mock-Sent-From": first, "Sec-Fetch-Mode": "cors", "Origin": "http://localhost"})
    page = one(api, opened, last)
    assert "Request 2 of this workspace, sent again from request 1" in page.text
    assert f"/_mock/ui/requests/{first}" in page.links
    curl = api.get(f"/_mock/ui/requests/{last()['id']}/curl").text
    assert not [name for name in ("x-mock-sent-from", "sec-fetch", "origin") if name in curl]


def test_request_sent_again_from_a_lost_request_says_so(api, opened, last):
    api.get("/v3/account", headers={"X-Mock-Sent-From": "gone"})
    assert "Request 1 of this workspace, sent again from a request that the journal has lost" in (
        one(api, opened, last).text
    )


# ---------------------------------------------------------------------- as code


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("curl", "curl -i -X POST 'http://localhost/v3/senders'"),
        ("pytest", "import py"),
        ("fetch", "// Save it as request.mjs"),
    ],
)
def test_a_request_is_code_at_an_address_of_its_own(api, opened, last, name, beginning):
    api.post("/v3/senders", json={"name": "A"})
    answer = api.get(f"/_mock/ui/requests/{last()['id']}/{name}")
    assert (answer.content_type, answer.text[: len(beginning)]) == ("text/plain; charset=utf-8", beginning)


def test_code_for_a_server_with_tls_is_told_whom_to_trust(api, last):
    there = {"base_url": "https://localhost"}
    api.get("/v3/account")

    address = f"/_mock/ui/requests/{last()['id']}"

    assert api.get(f"{address}/curl", **there).text.startswith("curl -i --insecure 'https://localhost/v3/account'")
    assert "NODE_EXTRA_CA_CERTS" in api.get(f"{address}/fetch", **there).text


def test_short_code_stands_on_the_page_and_long_code_is_linked(api, opened, last):
    api.post("/v3/senders", json={"name": "A"})
    assert "def test_create_sender_is_refused(mockserver):" in one(api, opened, last).text

    api.post("/v3/senders", json={"name": "A" * 10_000})

    page = one(api, opened, last)
    assert "def test_create_sender_is_refused(mockserver):" not in page.text
    assert f"/_mock/ui/requests/{last()['id']}/pytest" in page.links


def test_a_test_of_a_request_writes_the_fault_that_hit_it(api, last):
    api.post("/_mock/faults", json={"fault": "latency", "ms": 5, "after": 0, "match": {"operation": "getAccount"}})
    api.get("/v3/account")
    text = api.get(f"/_mock/ui/requests/{last()['id']}/pytest").text
    assert "mockserver.faults.add('latency', ms=5, match={'operation': 'getAccount'})" in text


def test_a_test_says_what_it_lacks(make_api):
    api = make_api({"accounts": [{"name": "acme", "api_keys": ["own"]}]}, key="own")
    api.post("/_mock/faults", json={"fault": "server_error"})
    api.post("/v3/senders?token=1", json={"name": "A"})
    api.delete("/_mock/faults")
    (row,) = api.get("/_mock/requests").json["items"]

    text = api.get(f"/_mock/ui/requests/{row['id']}/pytest").text

    assert [line.strip() for line in text.splitlines() if line.strip().startswith("# ")] == [
        "# The workspace was made of a document with secrets: give it to the marker as scenario=...",
        "# The journal keeps no secrets: what is *** here was one.",
        "# The rule of the fault is gone; this one has the defaults of its kind.",
        "# injected by fault fault-1 (server_error)",
    ]


def test_a_test_asks_the_mock_for_a_wrong_code(api, last):
    sender = api.post("/v3/senders", json={"name": "Jo", "email": "jo@acme.test"}).json["id"]
    api.put(f"/v3/senders/{sender}/validate", json={"otp": 111111})
    text = api.get(f"/_mock/ui/requests/{last()['id']}/pytest").text
    assert f"json={{'otp': code('{sender}', is_right=False)}}" in text


# ---------------------------------------------------------------------- how much a page takes


def test_a_full_list_is_short_for_a_browser_that_reads_gzip(api):
    for number in range(200):
        api.get(f"/v3/senders/{number}" if number % 2 else "/v3/account")
    plain = api.get("/_mock/ui/requests")
    short = api.get("/_mock/ui/requests", headers={"Accept-Encoding": "gzip, deflate, br"})

    assert (plain.headers.get("Content-Encoding"), short.headers["Content-Encoding"]) == (None, "gzip")
    assert gzip.decompress(short.data).count(b' id="r-') == plain.data.count(b' id="r-') == 200
    assert len(short.data) < 20_000
    assert short.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"


def test_no_body_is_read_for_the_list(api, monkeypatch):
    api.post("/v3/senders", json={"name": "A"})
    monkeypatch.setattr(redaction, "body", None)

    assert api.get("/_mock/ui/requests").status_code == 200


# ---------------------------------------------------------------------- causes


def test_a_request_leads_to_its_instance_mail_and_timer(api, opened, last):
    created = api.post("/v3/senders", json={"name": "Jo", "email": "jo@acme.test"}).json["id"]
    assert f"/_mock/ui/requests/{last()['id']}" in opened().links
    (mail,) = api.get("/_mock/mailbox").json["items"]
    page = one(api, opened, last)
    assert {f"/_mock/ui/mail/{mail['id']}", f"/_mock/ui/machines/sender/{created}"} <= set(page.links)
    assert [link for link in page.links if link.startswith("/_mock/ui/clock/sender")]


def test_a_line_tells_real_time_beside_that_of_the_workspace(make_api):
    api = make_api(FROZEN)
    api.get("/v3/account")
    real = api.get("/_mock/requests").json["items"][0]["real_at"]
    times = [each.attributes for each in Page(api.get("/_mock/ui/requests"), "/").tree.all("time")]
    titled = {(row["datetime"], row["title"]) for row in times if "title" in row}
    assert ("2026-01-15T09:00:00Z", f"2026-01-15 09:00:00 UTC; {real[11:19]} in real time") in titled


# ---------------------------------------------------------------------- control calls

CALLS = "/_mock/ui/requests/calls"


def test_a_call_that_has_changed_something_is_a_line_that_leads_to_it(api):
    sender = api.post("/v3/senders", json={"name": "Jo", "email": "jo@acme.test"}).json["id"]
    path = f"/_mock/machines/sender/{sender}/expire_otp"
    identifier = api.post(path).headers["X-Mock-Call"]
    api.get("/_mock/clock")

    page = Page(api.get("/_mock/ui/requests"), "/_mock/ui/requests")

    (row,) = [row for row in page.tree.all("li") if row.attributes.get("id") == f"c-{identifier}"]
    assert re.sub("^[0-9:]+ ", "", row.text) == f"200 POST {path} 1 transition"
    assert f"{CALLS}/{identifier}" in page.links


def test_the_address_of_the_control_calls_leads_to_the_timeline(api):
    assert urljoin(CALLS, api.get(CALLS).location) == "/_mock/ui/requests?kinds=control"


def test_older_control_calls_are_listed_by_load_older(make_api):
    api = make_api(FROZEN)
    for _ in range(202):  # and a reset to the scenario
        api.advance("PT12H")

    first = Page(api.get("/_mock/ui/requests?kinds=control"), "/_mock/ui/requests")
    second = Page(api.get(f"/_mock/ui/requests{older(first)}"), "/_mock/ui/requests")

    assert [page.html.count(' id="c-') for page in (first, second)] == [200, 3]
    assert "Load older : 3 more." in first.text
    assert "Friday 16 January 2026 UTC" in second.text


def test_a_call_tells_what_was_sent_and_what_it_moved(api):
    created = api.post("/v3/senders", json={"name": "Jo", "email": "jo@acme.test"}).json["id"]
    answer = api.post(f"/_mock/machines/sender/{created}/expire_otp")
    text = api.get(f"{CALLS}/{answer.headers['X-Mock-Call']}").text
    assert f'/_mock/ui/machines/sender/{created}"' in text
    assert f"curl -i -X POST &#39;http://localhost/_mock/machines/sender/{created}/expire_otp&#39;" in text


def test_effects_of_a_control_call_are_linked(api):
    call = api.post("/_mock/inbound", json={"sender": "a@b.test", "recipient": "c@d.test"}).headers["X-Mock-Call"]
    found = api.get(f"/_mock/calls/{call}").json["caused"]
    text = api.get(f"{CALLS}/{call}").text
    assert found
    assert all(f"/_mock/ui/{'mail' if row['kind'] == 'mail' else 'webhooks'}/{row['id']}" in text for row in found)


def test_a_call_shows_no_secret(api):
    call = api.post("/_mock/keys/revoke", json={"key": "hidden-key"}).headers.get("X-Mock-Call")
    call = call or api.get("/_mock/calls").json["items"][0]["id"]
    assert "hidden-key" not in api.get(f"{CALLS}/{call}").text + api.get("/_mock/ui/requests").text
