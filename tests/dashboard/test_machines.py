"""The page "Machines": drawings with numbers, lists of instances, and an instance with its history."""

import json
import re
from html import unescape
from urllib.parse import quote, urljoin

import pytest
from web_page import plain, read

WORKSPACE = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [
        {
            "name": "acme",
            "api_keys": ["key-acme"],
            "senders": [
                {"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification", "otp": 123456},
                {"id": 3, "name": "News", "email": "news@acme.test"},
            ],
            "domains": [{"name": "acme.test"}],
        },
        {"name": "other", "api_keys": ["key-other"], "senders": [{"id": 7, "name": "Ops", "email": "ops@other.test"}]},
    ],
}
PAGE = "/_mock/ui/machines"
HOSTILE = [
    "<1@mail.test>", "<a/b@mail.test>", "<\"'&amp;@mail.test>", "<b/onclick='alert(1)'@mail.test>",
    "<%2F..%2F{key}@mail.test>", f"<{'x' * 300}@mail.test>",
]  # fmt: skip

pytestmark = pytest.mark.api(WORKSPACE)


def drawn(answer):
    """The text of each box and label of the first drawing."""
    svg = re.search(r'<svg class="machine".*?</svg>', answer.text, re.DOTALL)[0]
    return unescape(re.sub(r"<[^>]*>", " ", svg))


def listed(answer):
    return re.findall(r'<li class="row" id="instance-([^"]*)"', answer.text)


def fire(api, machine, key, event):
    assert api.post(f"/_mock/machines/{machine}/{key}/{event}").status_code == 200


# ---------------------------------------------------------------------- all machines


def test_page_draws_each_state_machine_once(api):
    names = {row["name"] for row in api.get("/_mock/machines").json["items"]}

    drawings = re.findall(r'<title id="drawing-(\w+)-title">', api.get(f"{PAGE}?tab=machine").text)
    assert (set(drawings), len(drawings)) == (names, len(names))


def test_a_drawing_says_how_many_instances_are_in_each_state(api):
    assert "awaiting_verification: 1, verified: 2" in plain(api.get(f"{PAGE}?tab=machine").text)


def test_the_page_tells_what_happened_last(api):
    fire(api, "sender", 3, "change_email")

    assert "change_email of 3 at 2026-01-15 09:00:00" in plain(api.get(PAGE).text)


def test_the_arrow_of_the_last_transition_is_lit(api):
    fire(api, "sender", 2, "verify")

    lit = re.findall(r'<g class="lit">.*?</g>', api.get(f"{PAGE}/sender?tab=machine").text)
    assert len(lit) == 1
    assert '<text class="event"' in lit[0]
    assert "verify" in lit[0]


def test_page_with_all_drawings_stays_small(api):
    assert len(api.get(f"{PAGE}?tab=machine").data) < 35_000


# ---------------------------------------------------------------------- one machine


def test_the_table_of_a_machine_stands_beside_its_drawing_as_text(api):
    found = plain(api.get(f"{PAGE}/sender?tab=machine").text)

    assert "create (created) awaiting_verification a call, or by hand" in found
    assert "expire_otp awaiting_verification awaiting_verification a timer, or by hand" in found
    assert "delete verified gone a call, or by hand" in found


def test_instances_are_found_by_state_and_text(api):
    for query, keys in {
        "": ["3", "2", "7"], "?state=verified": ["3", "7"], "?search=NEWS": ["3"], "?search=other": ["7"],
        "?search=ops&state=verified": ["7"], "?search=nobody": [], "?offset=2": ["7"],
    }.items():  # fmt: skip
        assert listed(api.get(f"{PAGE}/sender{query}")) == keys, query


def test_instances_are_listed_a_hundred_at_a_time(make_api):
    api = make_api({**WORKSPACE, "generate": {"senders": 250}})

    first = api.get(f"{PAGE}/sender")
    second = api.get(f"{PAGE}/sender?offset=100")
    assert (len(listed(first)), len(listed(second))) == (100, 100)
    assert set(listed(first)).isdisjoint(listed(second))
    assert "101 to 200 of 253." in plain(second.text)


def test_unknown_state_of_instances_is_explained(api):
    answer = api.get(f"{PAGE}/sender?state=asleep")

    assert "There is no state 'asleep', so all are listed." in plain(answer.text)
    assert listed(answer) == ["3", "2", "7"]


MACHINES = ["sender", "domain", "scheduled_email", "sub_account_plan", "delivery", "export", "oauth_grant"]


def test_an_empty_list_says_what_would_fill_it(make_api):
    api = make_api("empty")
    for machine in MACHINES:
        assert "There is none yet." in plain(api.get(f"{PAGE}/{machine}").text), machine


@pytest.mark.parametrize("machine", ["sender", "domain", "scheduled_email"])
def test_the_call_that_an_empty_list_shows_fills_it(make_api, machine):
    api = make_api("empty")
    curl = unescape(re.search(r'data-copy="(curl [^"]*)"', api.get(f"{PAGE}/{machine}").text)[1])
    path, body = re.fullmatch(r"curl http://localhost(\S+) -H '[^']*' -d '(.*)'", curl).groups()

    assert api.post(path, json=json.loads(body)).status_code < 300
    assert len(listed(api.get(f"{PAGE}/{machine}"))) == 1


# ---------------------------------------------------------------------- one instance


def test_an_instance_shows_its_state_account_and_code(api):
    answer = api.get(f"{PAGE}/sender/2")

    assert "It is awaiting_verification , of the account acme ." in plain(answer.text)
    assert 'class="otp"' in answer.text
    assert 'data-copy="123456"' in answer.text
    assert "is here" in drawn(api.get(f"{PAGE}/sender/2?tab=machine"))


def test_an_instance_shows_its_pending_timers_with_what_is_left(api):
    assert "expire_otp in 15 min, at 2026-01-15 09:15:00" in plain(api.get(f"{PAGE}/sender/2").text)


def test_each_event_that_applies_has_a_form_and_the_others_say_that_they_do_not(api):
    found = api.get(f"{PAGE}/sender/3")
    forms = re.findall(r'data-method="POST" data-path="([^"]*)"', found.text)

    addresses = [urljoin(f"{PAGE}/sender/3", path) for path in forms]
    assert addresses == ["/_mock/machines/sender/3/change_email", "/_mock/machines/sender/3/delete"]
    assert "verify does not apply in this state" in plain(found.text)


def test_an_instance_tells_its_history(api):
    fire(api, "sender", 2, "resend_otp")
    api.advance("PT1M")
    fire(api, "sender", 2, "verify")

    found = plain(api.get(f"{PAGE}/sender/2").text)
    assert "2026-01-15 09:01:00 verify : awaiting_verification → verified" in found
    assert found.index("09:01:00 verify :") < found.index("09:00:00 resend_otp :")


def test_an_instance_that_came_with_its_scenario_has_no_history_yet(api):
    assert "Nothing has happened to it since it came with its scenario." in plain(api.get(f"{PAGE}/sender/2").text)


def test_omitted_transitions_of_a_history_are_counted(make_api):
    api = make_api(WORKSPACE, history_limit=120)
    for _ in range(130):
        fire(api, "sender", 2, "resend_otp")

    found = plain(api.get(f"{PAGE}/sender/2").text)
    assert "20 older transitions are not listed." in found
    assert "10 transitions of this workspace." in found


def test_an_instance_that_is_gone_says_so_and_keeps_its_history(api):
    fire(api, "sender", 2, "delete")

    answer = api.get(f"{PAGE}/sender/2")
    found = plain(answer.text)
    assert answer.status_code == 200
    assert "It is gone : there is none with this key any more, of the account acme ." in found
    assert "09:00:00 delete : awaiting_verification → gone" in found
    assert "data-method" not in answer.text


def test_any_key_is_led_to_and_shown_as_text(make_api):
    mails = [{"message_id": key, "to": "bob@example.test", "scheduled_at": "PT1H"} for key in HOSTILE]
    api = make_api({"scheduled_emails": mails})
    path = f"{PAGE}/scheduled_email"
    links = re.findall(r'<a class="to c-name" href="([^"]*)"', api.get(path).text)
    addresses = {urljoin(path, unescape(link)) for link in links}

    assert addresses == {f"{path}/{quote(key, safe='')}" for key in HOSTILE}
    for key in HOSTILE:
        address = f"{path}/{quote(key, safe='')}"
        answer = api.get(address)
        assert (answer.status_code, key in answer.text) == (200, False), key
        cancel = re.search(r'data-path="([^"]*/cancel)"', answer.text)[1]
        assert api.post(urljoin(address, unescape(cancel))).json["key"] == key


@pytest.mark.parametrize("path", ["?tab=machine", "/sender?tab=machine", "/sender/2"])
def test_pages_of_a_named_workspace_show_that_one(api, path):
    api.post("/_mock/workspaces", json={"name": "mine", "scenario": WORKSPACE})
    api.post("/w/mine/_mock/machines/sender/2/verify")

    assert "Last: verify" in plain(api.get(f"/w/mine{PAGE}{path}").text)
    assert "Last: verify" not in plain(api.get(f"{PAGE}{path}").text)


def test_a_domain_shows_its_records_and_how_authentication_would_end(api):
    api.put("/_mock/dns/acme.test", json={"brevo_code": "ok", "dkim_record": "wrong"})

    dns = read(api.get(f"{PAGE}/domain/acme.test").text).by_id("dns")
    rows = [[cell.text for cell in row.below() if cell.tag in ("th", "td")] for row in dns.one("tbody").all("tr")]
    expected = api.get("/v3/senders/domains/acme.test", key="key-acme").json["dns_records"]
    assert "authenticateDomain would answer 400: dkim_record is wrong, dmarc_record is missing." in dns.text
    assert {row[0]: row[1] for row in rows} == {"brevo_code": "ok", "dkim_record": "wrong", "dmarc_record": "missing"}
    assert {row[0]: row[4].removesuffix(" Copy") for row in rows} == {
        name: record["value"] for name, record in expected.items() if record
    }


def test_list_says_of_each_row_what_its_page_says_comes_next(api):
    api.post("/_mock/seed", json={"scheduled_emails": [{"to": "bob@acme.test", "scheduled_at": "PT2H"}]})
    api.advance("PT1H")
    api.post("/v3/senders", key="key-acme", json={"name": "Jo", "email": "jo@acme.test"})

    found = []
    for machine in ("sender", "domain", "scheduled_email"):
        address = f"{PAGE}/{machine}"
        for row in read(api.get(address).text).by_id("instances").all("li")[1:]:
            (says,) = [cell.text for cell in row.all("span", class_="c-next")] or [""]
            link = row.all("a")[0].attributes["href"]
            assert says.removeprefix("its code ") in plain(api.get(urljoin(address, link)).text)
            found.append(says)
    assert [says for says in found if says] == [
        "expire_otp in 15 min",
        "its code expired 45 min ago",
        "authenticateDomain would answer 400: brevo_code is missing, dkim_record is missing, dmarc_record is missing.",
        "fall_due in 1 h",
    ]


_RIGHT = dict.fromkeys(("brevo_code", "dkim_record", "dmarc_record"), "ok")


@pytest.mark.parametrize(
    ("name", "dns", "behaviour", "says", "status"),
    [
        ("gmail.com", _RIGHT, {}, "A provider of free mailboxes owns it, so nobody can authenticate it.", 400),
        ("acme.test", {}, {}, "authenticateDomain would answer 400: brevo_code is missing,", 400),
        ("acme.test", _RIGHT, {}, "All three records are right: authenticateDomain would succeed.", 200),
        (
            "acme.test",
            _RIGHT,
            {"authenticate_domain": {"attempts": 2}},
            "authenticateDomain would answer 400: attempt 1 to",
            400,
        ),
        (
            "acme.test",
            _RIGHT,
            {"authenticate_domain": {"after": "PT1H"}},
            "authenticateDomain would answer 400: DNS propagation: the",
            400,
        ),
    ],
)
def test_list_and_page_of_a_domain_say_what_authentication_answers(make_api, name, dns, behaviour, says, status):
    account = {**WORKSPACE["accounts"][0], "domains": [{"name": name}]}
    api = make_api({**WORKSPACE, "accounts": [account], "behaviour": behaviour})
    api.put(f"/_mock/dns/{name}", json=dns)

    section = read(api.get(f"{PAGE}/domain/{name}").text).by_id("dns")
    assert says in section.text
    assert says in read(api.get(f"{PAGE}/domain").text).by_id(f"instance-{name}").text
    assert says in read(api.get("/_mock/ui/faults").text).by_id(f"domain-{name}").text
    assert api.put(f"/v3/senders/domains/{name}/authenticate", key="key-acme").status_code == status
    assert (name == "gmail.com") == (section.all("pre", aria_label="authenticateDomain") == [])


def test_a_domain_shows_the_calls_that_authenticate_it(api):
    dns = read(api.get(f"{PAGE}/domain/acme.test").text).by_id("dns")
    form = dns.by_id("publish")
    records = {field.attributes["name"]: field.attributes["value"] for field in form.all("input")}
    curl = dns.one("pre", aria_label="authenticateDomain").text

    assert curl == "curl -X PUT http://localhost/v3/senders/domains/acme.test/authenticate -H 'api-key: key-acme'"
    assert api.put("/_mock/dns/acme.test", json=records).status_code == 200
    assert api.put("/v3/senders/domains/acme.test/authenticate", key="key-acme").status_code == 200
    assert (
        "data-path" not in api.get(f"{PAGE}/domain/acme.test").text.partition('id="dns"')[2].partition("</section>")[0]
    )


def test_each_event_of_a_domain_says_when_it_happens(api):
    events = read(api.get(f"{PAGE}/domain/acme.test").text).by_id("events")

    assert "leads to verified, when DNS has all records" in events.by_id("event-dns_published").text
    assert "does not apply in this state; happens when authenticateDomain succeeds" in events.text


def test_an_event_keeps_its_name_without_javascript(api):
    event = read(api.get(f"{PAGE}/sender/2").text).by_id("event-verify")

    assert event.one("noscript").text == "verify"


def test_an_expired_code_is_struck_through(api):
    api.advance("PT2H")

    members = read(api.get(f"{PAGE}/sender/2").text).by_id("members")

    assert members.one("s").text == "123456"
    assert "expired 1 h ago" in members.text


@pytest.mark.parametrize(
    ("machine", "key", "name"),
    [("sender", "2", "Ops <ops@acme.test>"), ("domain", "xn--bcher-kva.example", "bücher.example")],
)
def test_an_instance_is_called_by_its_name_in_lists_and_on_its_page(api, machine, key, name):
    api.post("/_mock/seed", json={"domains": [{"name": "bücher.example"}]})

    row = read(api.get(f"{PAGE}/{machine}").text).by_id(f"instance-{key}")
    assert name in row.text
    assert name in read(api.get(f"{PAGE}/{machine}/{key}").text).one("h1").text


def test_a_sub_account_is_called_by_its_company(make_api):
    api = make_api("corporate-v2")
    (first, *_) = api.get("/_mock/machines/sub_account_plan").json["items"]

    row = read(api.get(f"{PAGE}/sub_account_plan").text).by_id(f"instance-{first['key']}")

    account = api.workspace.state.accounts[first["key"]]
    assert (account.company_name or account.name) in row.text


@pytest.mark.parametrize(("key", "look"), [("2", ""), ("3", "ok")])
def test_a_state_has_the_same_colour_in_lists_and_on_pages(api, key, look):
    for path, place in ((f"{PAGE}/sender", f"instance-{key}"), (f"{PAGE}/sender/{key}", "state")):
        badge = read(api.get(path).text).by_id(place).one("span", class_="badge")
        assert badge.attributes["class"].split() == ["badge", *look.split()], path


# ---------------------------------------------------------------------- causes


def created(api):
    """The number of a sender that was just created, and the id of the request that did it."""
    answer = api.post("/v3/senders", json={"name": "New", "email": "new@acme.test"})
    return answer.json["id"], answer.headers["sib-request-id"]


def things(answer):
    """Where the links of the history lead, by the words before them."""
    history = answer.text.partition('id="history"')[2].partition("</ol>")[0]
    found = re.findall(r'href="[./]*/_mock/ui/([^"]*)"', history)
    return [unescape(link) for link in found]


def test_a_transition_names_the_request_that_caused_it_and_what_followed(api):
    sender, request = created(api)

    found = things(api.get(f"{PAGE}/sender/{sender}"))
    assert found[0] == f"requests/{request}"
    assert {link.partition("/")[0].partition("#")[0] for link in found[1:]} == {"mail", "clock"}


def test_a_transition_by_a_timer_names_what_has_set_the_timer(api):
    sender, _ = created(api)
    api.advance("PT1H")

    found = plain(api.get(f"{PAGE}/sender/{sender}").text)
    assert re.search(
        r"expire_otp : \S+ → awaiting_verification by timer expire_otp , set by createSender 201, 09:00:00", found
    )


def test_a_cause_that_is_no_longer_kept_is_no_link(make_api):
    api = make_api(WORKSPACE, journal_limit=1)
    sender, request = created(api)
    assert f"requests/{request}" in things(api.get(f"{PAGE}/sender/{sender}"))

    api.get("/v3/account")

    answer = api.get(f"{PAGE}/sender/{sender}")
    assert "a request that is no longer kept" in plain(answer.text)
    assert f"requests/{request}" not in answer.text


def test_a_pending_timer_names_what_has_set_it(api):
    sender, _ = created(api)

    found = plain(api.get(f"{PAGE}/sender/{sender}").text)
    assert "expire_otp in 15 min, at 2026-01-15 09:15:00 , set by createSender 201, 09:00:00" in found
