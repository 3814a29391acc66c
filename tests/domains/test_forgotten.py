"""DNS forgets a domain once no account has it: after the domain is deleted, or the sub-account that has it."""

import pytest

RECORDS = ("brevo_code", "dkim_record", "dmarc_record")
OK, MISSING = dict.fromkeys(RECORDS, "ok"), dict.fromkeys(RECORDS, "missing")
SUB = 1000002
SCENARIO = {
    "accounts": [
        {"name": "boss", "role": "master", "api_keys": ["boss-key"], "domains": [{"name": "boss.test"}]},
        {"name": "sub", "role": "sub_account", "of": "boss", "id": SUB, "api_keys": ["sub-key"],
         "domains": [{"name": "shop.test", "state": "authenticated"}]},
        {"name": "other", "role": "sub_account", "of": "boss", "api_keys": ["other-key"]},
    ]
}  # fmt: skip
WAYS = {
    "deleteDomain": ("DELETE", "/v3/senders/domains/shop.test", "sub-key"),
    "domain machine": ("POST", "/_mock/machines/domain/shop.test/delete", None),
    "deleteSubAccount": ("DELETE", f"/v3/corporate/subAccount/{SUB}", "boss-key"),
    "sub-account machine": ("POST", f"/_mock/machines/sub_account_plan/{SUB}/delete", None),
}

pytestmark = [pytest.mark.api(SCENARIO), pytest.mark.parametrize("way", WAYS)]


def delete(api, way):
    method, path, key = WAYS[way]
    assert api.request(method, path, key=key).status_code in (200, 204)


def dns(api, name="shop.test", prefix=""):
    return {record: api.get(f"{prefix}/_mock/dns/{name}").json[record] for record in RECORDS}


def test_dns_forgets_a_domain_that_no_account_has_any_more(api, way):
    assert dns(api) == OK

    delete(api, way)

    assert dns(api) == MISSING
    assert [row["domain"] for row in api.get("/_mock/dns").json["items"]] == ["boss.test"]
    assert "dns" not in api.get("/_mock/state").json
    api.post("/v3/senders/domains", key="other-key", json={"name": "shop.test"})
    assert api.put("/v3/senders/domains/shop.test/authenticate", key="other-key").status_code == 400


def test_dns_keeps_a_domain_that_another_account_has(api, way):
    api.post("/v3/senders/domains", key="other-key", json={"name": "shop.test"})
    if way == "domain machine":
        way = "deleteDomain"  # the machine would choose the account by itself

    delete(api, way)

    assert dns(api) == OK
    assert api.get("/v3/senders/domains/shop.test", key="other-key").json["verified"] is True


def test_dns_keeps_policy_and_mailbox_provider_of_a_deleted_domain(api, way):
    api.put("/_mock/dns/shop.test", json={"dmarc_policy": "reject", "free_mail": True})

    delete(api, way)

    found = api.get("/_mock/dns/shop.test").json
    assert (dns(api), found["dmarc_policy"], found["free_mail"]) == (MISSING, "reject", True)


def test_dns_of_other_names_and_workspaces_stays(api, way):
    api.put("/_mock/dns/boss.test", json=OK)
    api.put("/_mock/dns/nobody.test", json=OK)
    api.post("/_mock/workspaces", json={"name": "second", "scenario": SCENARIO})

    delete(api, way)

    assert dns(api, "boss.test") == dns(api, "nobody.test") == OK
    assert dns(api, prefix="/w/second") == OK
