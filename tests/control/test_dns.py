import pytest

PENDING = {"domains": [{"name": "acme.test"}]}


RECORDS = ("brevo_code", "dkim_record", "dmarc_record")


pytestmark = pytest.mark.api("empty")


def answers(**records):
    return {"domain": "acme.test", **dict.fromkeys(RECORDS, "missing"), "dmarc_policy": "none", **records}


def test_dns_change_keeps_unnamed_records(make_api):
    api = make_api(PENDING)
    api.put("/_mock/dns/acme.test", json={"brevo_code": "ok"})

    assert api.put("/_mock/dns/ACME.test", json={"dkim_record": "wrong"}).json == answers(
        brevo_code="ok", dkim_record="wrong"
    )


def test_dns_can_be_published_before_the_domain_is_added(api):
    api.put("/_mock/dns/acme.test", json=dict.fromkeys(RECORDS, "ok"))

    api.post("/v3/senders/domains", json={"name": "acme.test"})

    assert api.put("/v3/senders/domains/acme.test/authenticate").status_code == 200


def test_deleting_a_domain_removes_its_dns_records(make_api):
    api = make_api({"domains": [{"name": "acme.test", "state": "authenticated"}]})

    api.delete("/v3/senders/domains/acme.test")

    assert api.get("/_mock/dns/acme.test").json == answers()


def test_a_bad_change_names_its_mistake(api):
    for body, path in [
        ({"brevo_code": "fine"}, "/brevo_code"),
        ({"spf": "ok"}, "/spf"),
        ({}, ""),
        ({"dkim_record": 1}, "/dkim_record"),
    ]:
        answer = api.put("/_mock/dns/acme.test", json=body)
        assert (answer.status_code, [error["path"] for error in answer.json["errors"]]) == (400, [path])
        assert api.get("/_mock/dns/acme.test").json == answers()


@pytest.mark.parametrize("name", ["localhost", "-a.test", "a..test", "a_b.test", "1.2.3.4", "xn--ü.test"])
def test_invalid_host_names_are_refused(api, name):
    assert api.put(f"/_mock/dns/{name}", json={"brevo_code": "ok"}).status_code == 400


def test_a_sub_domain_has_the_policy_of_its_registrable_domain_until_it_has_one(api):
    api.put("/_mock/dns/acme.co.uk", json={"dmarc_policy": "reject"})

    inherited = api.get("/_mock/dns/a.news.acme.co.uk").json["dmarc_policy"]
    own = api.put("/_mock/dns/a.news.acme.co.uk", json={"dmarc_policy": "none"}).json["dmarc_policy"]

    assert (inherited, own) == ("reject", "none")
    api.put("/_mock/dns/news.acme.test", json={"dmarc_policy": "reject"})
    assert api.get("/_mock/dns/a.news.acme.test").json["dmarc_policy"] == "none"


def test_a_name_in_unicode_and_in_ascii_is_one(api):
    api.put("/_mock/dns/B%C3%9CCHER.test", json={"brevo_code": "ok"})

    assert api.get("/_mock/dns/xn--bcher-kva.test").json == answers(domain="xn--bcher-kva.test", brevo_code="ok")


def test_duplicate_name_in_the_dns_of_a_scenario_is_refused(api):
    scenario = {"dns": {"bücher.test": {"brevo_code": "ok"}, "xn--bcher-kva.test": {"brevo_code": "wrong"}}}

    answer = api.post("/_mock/reset", json={"scenario": scenario})

    assert answer.status_code == 400
    assert [error["path"] for error in answer.json["errors"]] == [
        "/dns/bücher.test", "/dns/xn--bcher-kva.test",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "shown"), [({}, True), ({"free_mail": False}, None), ({"free_mail": True, "brevo_code": "wrong"}, True)]
)
def test_free_mail_flag_of_a_domain_is_kept_in_the_state(api, said, shown):
    api.put("/_mock/dns/gmail.com", json={"brevo_code": "ok", **said})
    before = api.get("/_mock/state").json

    assert api.post("/_mock/reset", json={"scenario": before}).status_code == 200

    assert api.get("/_mock/dns/gmail.com").json.get("free_mail") == shown
    assert api.get("/_mock/state").json["dns"] == before["dns"]


def test_a_team_can_name_a_domain_of_free_mailboxes_of_its_own(make_api):
    records = dict.fromkeys(RECORDS, "ok")
    api = make_api({"dns": {"box.test": {**records, "free_mail": True}}, "domains": [{"name": "box.test"}]})

    assert api.put("/v3/senders/domains/box.test/authenticate").status_code == 400


def known(api, **query):
    return api.get("/_mock/dns", query_string=query).json


def test_the_list_has_the_domains_of_accounts_and_those_that_only_dns_has(make_api):
    api = make_api(
        {
            "accounts": [
                {"name": "acme", "domains": [{"name": "acme.test", "state": "verified"}]},
                {"name": "shop", "domains": [{"name": "acme.test"}]},
            ],
            "dns": {"acme.test": {"brevo_code": "ok"}, "only.test": {"dkim_record": "timeout"}},
        }
    )

    acme, only = known(api)["items"]

    both = [{"account": "acme", "state": "verified"}, {"account": "shop", "state": "verified"}]
    assert acme == answers(brevo_code="ok") | {"shown_as": "acme.test", "accounts": both}
    assert (only["domain"], only["dkim_record"], only["accounts"]) == ("only.test", "timeout", [])


def test_the_list_is_by_name_and_given_by_the_page(make_api):
    api = make_api({"domains": [{"name": f"{letter}.test"} for letter in "dbca"]})

    page = known(api, limit=2, offset=1)

    assert ([row["domain"] for row in page["items"]], page["count"]) == (["b.test", "c.test"], 4)


@pytest.mark.parametrize("part", ["BÜCH", "cher-kva", "bücher.test"])
def test_a_name_is_found_by_a_part_of_either_spelling(make_api, part):
    api = make_api({"domains": [{"name": "bücher.test"}, {"name": "other.test"}]})

    (found,) = known(api, name=part)["items"]

    assert (found["domain"], found["shown_as"]) == ("xn--bcher-kva.test", "bücher.test")
