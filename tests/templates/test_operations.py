"""What the operations on templates do besides the cases of their fixtures."""

import pytest

from tests.templates.conftest import NEW, SCENARIO


def test_templates_and_campaigns_share_their_ids(templates):
    assert [templates.made(), templates.made()] == [6, 7]


@pytest.mark.parametrize("sort", ["asc", "desc"])
def test_templates_of_one_moment_are_listed_by_their_ids(templates, sort):
    numbers = [templates.made() for _ in range(3)]

    listed = [row["id"] for row in templates.call("GET", f"?sort={sort}").json["templates"]]

    assert listed == sorted(numbers, reverse=sort == "desc")


def test_other_account_sees_none_of_the_templates(templates):
    number = templates.made()

    listed = templates.call("GET", key="shop-key").json
    refused = [
        templates.call(method, f"/{number}{path}", body, key="shop-key").status_code
        for method, path, body in (("GET", "", None), ("PUT", "", {"tag": "a"}), ("DELETE", "", None),
                                   ("POST", "/sendTest", {}))
    ]  # fmt: skip

    assert (listed, refused) == ({"count": 0, "templates": []}, [404] * 4)
    assert templates.get(number)["tag"] == ""


def test_reason_of_an_unknown_template_names_those_that_are_there(templates):
    number = templates.made()

    templates.call("GET", "/5")
    unknown = templates.exchange()["reason"]
    templates.call("GET", f"/{number}", key="shop-key")
    of_other = templates.exchange()["reason"]

    assert unknown == "account acme has no template 5 (it has 6)"
    assert of_other == "account shop has no template 6 (account acme has it)"


def test_reason_of_an_unverified_sender_names_those_that_are_verified(templates):
    templates.call("POST", body={**NEW, "sender": {"id": 2}})

    assert templates.exchange()["reason"] == "2 is no verified sender of account acme (it has news@acme.test)"


def test_sender_name_is_that_of_the_sender_unless_the_body_gives_one(templates):
    plain, named = templates.made(sender={"id": 1}), templates.made(sender={"id": 1, "name": "Acme"})

    assert templates.get(plain)["sender"] == {"email": "news@acme.test", "id": "1", "name": "News"}
    assert templates.get(named)["sender"] == {"email": "news@acme.test", "id": "1", "name": "Acme"}


def test_deleted_sender_leaves_its_address_in_the_template(templates):
    number = templates.made()
    templates.api.delete("/v3/senders/1")

    assert templates.get(number)["sender"] == {"email": "news@acme.test", "name": "News"}


def test_html_at_an_address_is_not_fetched_with_a_warning(templates):
    templates.made(htmlContent=None, htmlUrl="https://acme.test/a.html")

    (warning,) = templates.exchange()["warnings"]
    assert warning.startswith("htmlUrl is not fetched")


def test_template_has_a_shared_address_with_its_content(templates):
    number = templates.made()

    url = templates.api.get(f"/v3/emailCampaigns/{number}/sharedUrl").json["sharedUrl"]

    assert templates.api.client.get(f"{url}/content").text == "<p>Thank you</p>"


def test_template_is_refused_when_the_rows_are_at_their_limit(make_api):
    here = make_api(SCENARIO, rows_limit=1_000)

    answers = [here.post("/v3/smtp/templates", json=NEW) for _ in range(1_000)]

    assert (answers[0].status_code, answers[-1].status_code) == (201, 400)
    assert answers[-1].json["code"] == "out_of_range"


LONG = {**NEW, "htmlContent": "a" * 60_000}


def statuses(here, *bodies):
    return [here.post("/v3/smtp/templates", json=body).status_code for body in bodies]


def test_texts_are_refused_when_stored_data_is_at_its_limit(make_api):
    here = make_api(SCENARIO, stored_bytes_limit=100_000)

    assert statuses(here, LONG, LONG) == [201, 400]
    grown = here.put("/v3/smtp/templates/6", json={"htmlContent": "a" * 90_000})
    assert (grown.status_code, grown.json["code"]) == (400, "out_of_range")


@pytest.mark.parametrize(
    ("method", "body"), [("DELETE", None), ("PUT", {"htmlContent": "<p>shorter</p>"})], ids=["deleted", "changed"]
)
def test_texts_make_room_when_their_template_is(make_api, method, body):
    here = make_api(SCENARIO, stored_bytes_limit=100_000)
    before = statuses(here, LONG, LONG)

    here.request(method, "/v3/smtp/templates/6", json=body)

    assert (before, statuses(here, LONG)) == ([201, 400], [201])


def test_texts_of_a_scenario_take_room(make_api):
    template = {"kind": "email_template", "name": "Long", "html": "a" * 60_000}
    account = {**SCENARIO["accounts"][0], "campaigns": [template]}

    assert statuses(make_api({**SCENARIO, "accounts": [account]}, stored_bytes_limit=100_000), LONG) == [400]


@pytest.mark.parametrize("by", ["dump", "snapshot"])
def test_restored_workspace_has_the_templates_that_were_made(templates, by):
    number = templates.made(tag="a", replyTo="help@acme.test", toField="b", attachmentUrl="https://acme.test/a.pdf")
    templates.test(number, "ada@example.test")
    before = templates.get(number)
    api = templates.api

    if by == "dump":
        dumped = api.get("/_mock/state").json
        assert api.post("/_mock/reset", json={"scenario": dumped}).status_code == 200, dumped
    else:
        api.post("/_mock/snapshots", json={"name": "a"})
        templates.call("PUT", f"/{number}", {"templateName": "Other", "isActive": False})
        templates.call("DELETE", f"/{number}")
        api.post("/_mock/snapshots/a/restore")

    assert templates.get(number) == before
    assert templates.send(number)["attachments"][0]["url"] == "https://acme.test/a.pdf"
    assert api.get("/_mock/state").json["accounts"][0]["sent_tests"] == 1
