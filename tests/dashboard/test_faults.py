"""The page "Faults and DNS": rules, a form that offers what fits, one rule, and the records of domains."""

import re
from html import unescape

import pytest
from web_page import links, plain, read

from mockserver.core.state.faults import FAULT_KINDS
from mockserver.dashboard.pages.faults import offers
from mockserver.resources.registry import ALL_OPERATIONS

START = "2026-01-15T09:00:00Z"
FROZEN = {"clock": {"start": START, "frozen": True}}


def page(api, path="", status=200):
    answer = api.get(f"/_mock/ui/faults{path}")
    assert answer.status_code == status
    return answer.text


def rules(*items):
    return {**FROZEN, "faults": list(items)}


def listed(html):
    return re.findall(r'<li class="rule" id="rule-([^"]*)"', html)


def options(html, name):
    """The options of a choice: their attributes and texts."""
    (select,) = re.findall(rf'<select name="{re.escape(name)}".*?</select>', html, re.DOTALL)
    return re.findall(r"<option([^>]*)>([^<]*)</option>", select)


def members(attributes, name):
    found = re.search(rf'data-{name}="([^"]*)"', attributes)
    return None if found is None else unescape(found[1]).split()


# ---------------------------------------------------------------------- rules


def test_rules_stand_in_their_order_with_what_they_are_for_and_their_hits(make_api):
    api = make_api(
        rules(
            {"fault": "otp_expired", "times": 1, "after": 2, "id": "b"},
            {"fault": "latency", "ms": 1, "match": {"operation": "getSenders", "json": {"a": 1}}, "id": "a"},
        )
    )

    html = page(api)

    assert listed(html) == ["b", "a"]
    assert "2 rules." in plain(html)
    assert "otp_expired active 0 hits validateSenderByOtp, once, after 2 requests, id b" in plain(html)
    assert 'latency active 0 hits getSenders, where {"json": {"a": 1}} , with {"ms": 1} , id a' in plain(html)


def test_a_rule_that_has_hit_as_often_as_it_may_is_spent(make_api):
    api = make_api(rules({"fault": "server_error", "times": 1}))

    api.get("/v3/senders")

    assert "server_error spent used up 1 hit every operation" in plain(page(api))


def test_a_rule_whose_time_is_over_is_spent(make_api):
    api = make_api(rules({"fault": "server_error", "ttl_s": 60, "probability": 0.5}))
    assert "by a chance of 0.5, until 2026-01-15T09:01:00Z" in plain(page(api))

    api.advance("PT1M")

    assert "spent its time is over" in plain(page(api))


def test_a_long_list_of_rules_is_given_by_the_page(make_api):
    api = make_api(rules(*({"fault": "hang", "id": f"r{number}"} for number in range(45))))

    first, last = page(api), page(api, "?rules=40&name=a%26b")

    assert (listed(first)[0], len(listed(first)), listed(last)[0]) == ("r0", 20, "r40")
    assert "1 to 20 of 45. Further" in plain(first)
    assert "41 to 45 of 45. Earlier" in plain(last)
    assert 'href="?rules=20&amp;name=a%26b"' in last


def test_beyond_the_end_of_a_list_stands_a_way_back(make_api):
    html = page(make_api(rules({"fault": "hang"})), "?rules=60")

    assert listed(html) == []
    assert "The list ends before. Earlier" in plain(html)


# ---------------------------------------------------------------------- one rule


def test_a_rule_opened_tells_what_it_does_and_what_it_has_hit(make_api):
    api = make_api(rules({"fault": "otp_expired", "id": "late", "ttl_s": 60}))
    api.put("/v3/senders/1/validate", json={"otp": 1})
    (request,) = api.get("/_mock/requests").json["items"]

    html = page(api, "/late")

    assert "The answer is 400 OTP code has expired: OTP code has expired." in plain(html)
    assert f'/_mock/ui/requests/{request["id"]}">validateSenderByOtp</a>' in html
    assert '/_mock/ui/requests?fault=late"' in html
    assert "2026-01-15T09:01:00Z" in html


def test_hits_whose_requests_are_gone_are_told_as_such(make_api):
    api = make_api(rules({"fault": "server_error", "id": "x"}))
    assert "Nothing yet." in plain(page(api, "/x"))
    api.get("/v3/senders")

    api.delete("/_mock/requests")

    assert "The requests that it has hit are no longer kept." in plain(page(api, "/x"))


def test_the_rule_of_one_request_is_explained(api):
    assert "a request asked for it, by its header X-Mock-Fault" in plain(page(api, "/header", status=404))


# ---------------------------------------------------------------------- the form


def test_every_kind_is_offered_and_told_in_a_sentence(api):
    html = page(api)

    assert [text for _, text in options(html, "fault")] == list(FAULT_KINDS)
    for kind in offers()["kinds"]:
        assert kind["says"][0].isupper()
        assert kind["says"].endswith(".")
        assert kind["says"] in plain(html)


def test_form_offers_exactly_the_faults_that_the_control_api_accepts(api):
    html = page(api)
    codes = [unescape(text) for _, text in options(html, "code")]
    chosen = {text: members(attributes, "codes") for attributes, text in options(html, "match.operation")}
    kinds = {kind: members(attributes, "operations") for attributes, kind in options(html, "fault")}
    needed = {
        "absent_members": {"names": ["x"]}, "changed_answer": {"body": ""}, "error": {"code": "bad_request"},
        "latency": {"ms": 1},
    }  # fmt: skip
    rules = [(code, {"fault": "error", "code": code}) for code in codes]
    rules += [(kind, {"fault": kind, **needed.get(kind, {})}) for kind in kinds]

    for operation in ALL_OPERATIONS:
        refused = []
        for name, rule in rules:
            answer = api.post("/_mock/faults", json={**rule, "match": {"operation": operation}})
            if answer.status_code != 201:
                refused.append(name)
        offered = {codes[int(index)] for index in chosen[operation]}
        unfit = [kind for kind, fits in kinds.items() if fits is not None and operation not in fits]
        assert refused == [*(code for code in codes if code not in offered), *unfit], operation
        api.delete("/_mock/faults")


def test_a_parameter_of_a_path_is_offered_for_the_operations_that_have_it(api):
    fields = re.findall(r'<label data-path-of="([^"]*)">[^<]*<input name="match\.path\.(\w+)"', page(api))

    assert "validateSenderByOtp" in {name: operations for operations, name in fields}["senderId"].split()
    for operations, name in fields:
        assert all(f"{{{name}}}" in ALL_OPERATIONS[operation].path for operation in operations.split())


# ---------------------------------------------------------------------- DNS


@pytest.mark.parametrize(
    ("dns", "meaning"),
    [
        ({"dkim_record": "wrong"}, "authenticateDomain would answer 400: brevo_code is missing, dkim_record is wrong,"),
        (dict.fromkeys(("brevo_code", "dkim_record", "dmarc_record"), "ok"), "All three records are right."),
        ({"free_mail": True}, "A provider of free mailboxes owns it, so nobody can authenticate it."),
    ],
)  # fmt: skip
def test_dns_records_of_a_domain_are_explained(make_api, dns, meaning):
    assert meaning in plain(page(make_api({"dns": {"acme.test": dns}})))


def test_a_domain_that_was_authenticated_needs_its_code_again(make_api):
    api = make_api({"domains": [{"name": "acme.test", "state": "authenticated"}]})

    api.put("/_mock/dns/acme.test", json={"brevo_code": "wrong"})

    html = page(api)
    assert "pending at acme . authenticateDomain would answer 400: brevo_code is wrong." in plain(html)
    assert '/_mock/ui/machines/domain/acme.test"' in html


def test_record_form_selects_the_present_answers(make_api):
    html = page(make_api({"dns": {"acme.test": {"dkim_record": "timeout"}}}))

    (form,) = re.findall(
        r'<form[^>]*data-method="PUT" data-path="[^"]*/_mock/dns/acme\.test".*?</form>', html, re.DOTALL
    )
    assert re.findall(r"<option selected>(\w+)<", form) == ["missing", "timeout", "missing"]


def test_a_domain_is_found_by_a_part_of_its_name_in_either_spelling(make_api):
    api = make_api({"domains": [{"name": "bücher.test"}, {"name": "acme.test"}]})

    for part in ("B%C3%9CCH", "xn--b"):
        found = page(api, f"?name={part}")
        assert re.findall(r'id="domain-([^"]*)"', found) == ["xn--bcher-kva.test"]
        assert "bücher.test xn--bcher-kva.test" in plain(found)


def test_a_long_list_of_domains_is_given_by_the_page(make_api):
    api = make_api({"dns": {f"d{number:02}.test": {} for number in range(23)}})

    html = page(api, "?domains=10")

    assert re.findall(r'id="domain-([^"]*)"', html) == [f"d{number}.test" for number in range(10, 20)]
    assert "11 to 20 of 23. Earlier Further" in plain(html)


@pytest.mark.parametrize("part", ["zz", "x" * 9000, '"><script>', "%00"])
def test_a_name_that_no_domain_has_is_said(api, part):
    html = page(api, f"?name={part}")

    assert "in its name." in plain(html)
    assert '"><script>' not in html


def test_a_real_resolver_is_mentioned_where_it_is_asked(make_api):
    assert "Here a real server is asked" in plain(page(make_api({"behaviour": {"dns": "resolver"}})))


def test_a_request_leads_to_the_form_with_its_operation(api):
    api.get("/v3/account")
    number = api.get("/_mock/requests").json["items"][0]["id"]
    path = f"/_mock/ui/requests/{number}"
    (link,) = [link for link in links(api.get(path).text, path, "a") if "/faults?" in link]

    (chosen,) = [
        row for row in read(api.get(link).text).by_id("operation").all("option") if "selected" in row.attributes
    ]
    assert chosen.text == "getAccount"
