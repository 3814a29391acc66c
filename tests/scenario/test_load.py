"""What a scenario leaves out, and what it makes of what it says."""

START = {"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}}


def state(api):
    return api.get("/_mock/state").json


def test_without_accounts_there_is_one_standalone_account(make_api):
    assert [(row["name"], row["role"]) for row in state(make_api({}))["accounts"]] == [("acme", "standalone")]


def test_resources_at_the_top_belong_to_the_first_account(make_api):
    api = make_api({"accounts": [{"name": "a"}, {"name": "b"}], "senders": [{"name": "A", "email": "a@a.test"}]})

    assert [len(row.get("senders", [])) for row in state(api)["accounts"]] == [1, 0]


def test_ids_that_are_left_out_count_up_past_the_largest_and_are_never_given_twice(make_api):
    senders = [{"name": "A", "email": "a@a.test"}, {"id": 7, "name": "B", "email": "b@a.test"}]
    api = make_api({"senders": senders})

    created = api.post("/v3/senders", json={"name": "C", "email": "c@a.test"}).json["id"]
    assert ([row["id"] for row in state(api)["accounts"][0]["senders"]], created) == ([8, 7, 9], 9)

    api.delete("/v3/senders/9")
    assert api.post("/v3/senders", json={"name": "D", "email": "d@a.test"}).json["id"] == 10


def test_accounts_have_ids_of_seven_digits_and_keys_of_the_services_form(make_api):
    account = state(make_api({"accounts": [{"name": "a"}]}))["accounts"][0]

    assert len(str(account["id"])) == 7
    assert len(account["organization_id"]) == 24
    assert account["api_keys"][0].startswith("xkeysib-")
    assert len(account["api_keys"][0]) == len("xkeysib-") + 64 + 1 + 16


def test_the_address_of_an_account_with_a_long_name_can_be_read_again(make_api):
    api = make_api({"accounts": [{"name": f"{'a' * 62} {'b' * 37}"}]})

    assert api.get("/v3/account").json["email"] == f"owner@{'a' * 62}.test"
    assert api.put("/_mock/state", json=state(api)).status_code == 200


def test_another_seed_gives_other_codes(make_api):
    def code(seed):
        sender = {"name": "A", "email": "a@a.test", "state": "awaiting_verification"}
        return make_api({"seed": seed, "senders": [sender]}).get("/_mock/machines/sender/1").json["otp"]

    assert code(1) == code(1) != code(2)


def test_a_setting_can_replace_the_seed(make_api):
    assert state(make_api("empty", seed=42))["seed"] == 42


def test_instants_are_relative_to_the_clocks_start(make_api):
    event = {"date": "-PT2H", "sender": "bob@example.test", "recipient": "reply@in.acme.test"}
    api = make_api({**START, "inbound_events": [event]})

    assert api.get("/v3/inbound/events").json["events"][0]["date"] == "2026-01-15T07:00:00.000Z"


def test_absolute_instants_are_loaded_as_utc(make_api):
    for text in [
        "2026-01-15T08:00:00Z", "2026-01-15T09:00:00+01:00", "2026-01-15t08:00:00.000z", "2026-01-15 08:00:00Z",
    ]:  # fmt: skip
        event = {"date": text, "sender": "bob@example.test", "recipient": "reply@in.acme.test"}
        api = make_api({**START, "inbound_events": [event]})
        assert api.get("/v3/inbound/events").json["events"][0]["date"] == "2026-01-15T08:00:00.000Z"


def test_a_state_without_dns_publishes_what_it_needs(make_api):
    domains = [{"name": f"{name}.test", "state": name} for name in ("pending", "verified", "authenticated")]
    api = make_api({"domains": domains})

    listed = api.get("/v3/senders/domains").json["domains"]

    assert [(row["verified"], row["authenticated"]) for row in listed] == [(False, False), (True, False), (True, True)]


def test_dns_that_contradicts_a_state_wins(make_api):
    broken = {"brevo_code": "ok", "dkim_record": "wrong", "dmarc_record": "ok"}
    api = make_api({"domains": [{"name": "a.test", "state": "authenticated", "dns": broken}]})

    assert api.get("/_mock/machines/domain/a.test").json["state"] == "verified"


def test_generate_makes_seeded_data(make_api):
    amounts = {
        "senders": 20, "domains": 5, "webhooks": 3, "activities": 4, "inbound_events": 6, "campaigns": 4,
        "scheduled_emails": 2,
    }  # fmt: skip
    one, two = (state(make_api({**START, "seed": 5, "generate": amounts}))["accounts"][0] for _ in "ab")

    assert one == two
    assert {name: len(one[name]) for name in amounts} == amounts


def test_generated_data_come_behind_what_is_written(make_api):
    api = make_api({"senders": [{"id": 1, "name": "Own", "email": "own@a.test"}], "generate": {"senders": 2}})

    assert [row["id"] for row in api.get("/v3/senders").json["senders"]] == [1, 2, 3]


IPS = [
    {"id": 3, "ip": "198.51.100.7", "domain": "a.test"},
    {"id": 4, "ip": "198.51.100.8", "domain": "b.test"},
    {"id": 5, "ip": "203.0.113.40", "domain": "old.test", "active": False},
]


def test_ips_without_weights_share_the_mail_in_equal_parts(make_api):
    shares = [{name: row[name] for name in ("ip", "domain")} for row in IPS[:2]]
    sender = {"name": "A", "email": "a@a.test", "ips": shares}

    (found,) = make_api({"dedicated_ips": IPS, "senders": [sender]}).get("/v3/senders").json["senders"]

    assert [share["weight"] for share in found["ips"]] == [50, 50]


def test_generated_senders_have_shares_of_the_dedicated_ips(make_api):
    api = make_api({"seed": 5, "dedicated_ips": IPS, "generate": {"senders": 30}})

    senders = api.get("/v3/senders").json["senders"]

    assert {share["ip"] for row in senders for share in row["ips"]} == {"198.51.100.7", "198.51.100.8"}
    assert {tuple(share["weight"] for share in row["ips"]) for row in senders} == {(100,), (50, 50)}
    assert api.put("/_mock/state", json=state(api)).status_code == 200


def test_a_sender_has_no_more_ips_than_there_are_percents(make_api):
    ips = [{"ip": f"198.51.100.{number}", "domain": "a.test"} for number in range(1, 102)]
    api = make_api({"dedicated_ips": [{**row, "id": number} for number, row in enumerate(ips, 1)]})
    sender = {"name": "A", "email": "a@a.test"}

    answers = [api.post("/v3/senders", json={**sender, "ips": some}) for some in (ips, ips[:100])]

    assert [answer.status_code for answer in answers] == [400, 201]
    assert answers[0].json["code"] == "out_of_range"
    assert api.put("/_mock/state", json=state(api)).status_code == 200


def test_senders_that_were_there_before_the_dedicated_ips_can_be_read_again(make_api):
    api = make_api({"senders": [{"id": 1, "name": "A", "email": "a@a.test"}]})
    api.post("/_mock/seed", json={"dedicated_ips": IPS})

    assert api.put("/_mock/state", json=state(api)).status_code == 200
    assert api.get("/v3/senders").json["senders"][0]["ips"] == []


def test_a_frozen_clock_without_a_start_stands_at_the_present(make_api):
    clock = make_api({"clock": {"frozen": True}}).get("/_mock/clock").json

    assert (clock["frozen"], round(clock["offset_s"], 0)) == (True, 0)


def test_a_pending_bulk_change_survives_being_written_and_read(make_api):
    accounts = [
        {"name": "m", "role": "master", "api_keys": ["m"], "pool": {"credits": {"email": 100}}},
        {"name": "s", "id": 1000002, "role": "sub_account", "of": "m"},
    ]
    api = make_api({**START, "behaviour": {"bulk_plan": {"after": "PT1H"}}, "accounts": accounts}, key="m")
    body = {"subAccountIds": [1000002], "credits": {"email": 60}}
    assert api.put("/v3/corporate/subAccounts/plan", json=body).status_code == 202

    written = state(api)
    api.post("/_mock/reset", json={"scenario": written})

    assert state(api) == written
    assert [row["event"] for row in api.advance("PT1H")["fired"]] == ["apply_bulk"]
    plan = api.get("/v3/corporate/subAccount/1000002").json["planInfo"]
    assert plan["credits"]["emails"] == {"quantity": 60, "remaining": 60}


def test_fractions_of_credits_add_up(make_api):
    accounts = [
        {"name": "m", "role": "master", "api_keys": ["m"], "pool": {"credits": {"sms": 0.3}}},
        *({"name": f"s{n}", "id": 1000002 + n, "role": "sub_account", "of": "m"} for n in range(2)),
    ]
    api = make_api({"accounts": accounts}, key="m")

    answers = [
        api.put(f"/v3/corporate/subAccount/{1000002 + n}/plan", json={"credits": {"sms": amount}})
        for n, amount in enumerate((0.1, 0.2))
    ]

    assert [answer.status_code for answer in answers] == [204, 204]
