"""Test e-mails of templates (contract/templates#tests)."""

from tests.templates.conftest import SCENARIO, Templates


def refused(answer):
    return answer.status_code, answer.json["code"]


def test_test_costs_no_credits_and_raises_no_events(templates):
    number = templates.made()

    assert templates.test(number, "ada@example.test").status_code == 204

    templates.api.advance("PT1M")
    assert templates.api.get("/v3/account").json["plan"][0]["credits"] == 300
    assert templates.api.get("/_mock/deliveries").json["items"] == []


def test_each_address_gets_one_test_with_its_values(templates):
    templates.api.delete("/v3/smtp/blockedContacts/bob@example.test")
    number = templates.made(subject="{{ contact.FIRSTNAME | default: 'you' }}", htmlContent="<p>{{ mirror }}</p>")

    templates.test(number, "ada@example.test", "bob@example.test", "ADA@example.test")

    sent = templates.mails()
    assert [(mail["to"], mail["subject"]) for mail in sent] == [
        ("ADA@example.test", "Ada"), ("bob@example.test", "you")
    ]  # fmt: skip
    assert len({mail["message_id"] for mail in sent}) == len({mail["html"] for mail in sent}) == 2


def test_blocked_contact_counts_as_blacklisted(templates):
    answer = templates.test(templates.made(), "ada@example.test", "bob@example.test")

    assert answer.json["blackListedEmails"] == ["bob@example.test"]
    assert templates.exchange()["reason"] == "blacklisted or blocked contacts: bob@example.test"
    assert templates.mails() == []


def test_inactive_template_is_tested(templates):
    number = templates.made(isActive=False)

    assert templates.test(number, "ada@example.test").status_code == 204
    assert templates.get(number)["testSent"] is True


def test_refused_test_does_not_count(templates):
    number = templates.made()
    for _ in range(49):
        templates.test(number, "ada@example.test")

    too_many = templates.test(number, "ada@example.test", "owner@acme.test")

    assert refused(too_many) == (400, "out_of_range")
    assert templates.test(number).status_code == 204
    assert refused(templates.test(number)) == (400, "out_of_range")
    assert len(templates.mails()) == 50


def test_limit_is_that_of_the_account_and_the_day(templates):
    first, second = templates.made(), templates.made()
    for _ in range(50):
        templates.test(first, "ada@example.test")

    assert refused(templates.test(second, "ada@example.test")) == (400, "out_of_range")
    templates.api.advance("PT15H")
    assert templates.test(second, "ada@example.test").status_code == 204


def test_test_is_refused_when_the_sender_is_not_verified(templates):
    number = templates.made()
    templates.api.delete("/v3/senders/1")

    answer = templates.test(number, "ada@example.test")

    assert (refused(answer), answer.json["message"]) == ((400, "invalid_parameter"), "Sender is invalid / inactive")
    assert templates.get(number)["testSent"] is False


def test_too_large_tests_are_refused_and_change_nothing(make_api):
    account = {**SCENARIO["accounts"][0]}
    account["contacts"] = [{"email": "ada@example.test", "list_ids": [1], "attributes": {"FIRSTNAME": "x" * 9_000}}]
    sent = []
    for is_refused in (False, True):
        templates = Templates(make_api({**SCENARIO, "accounts": [account]}))
        number = templates.made(htmlContent="{{ contact.FIRSTNAME }}" * 2_000)
        if is_refused:
            assert templates.test(number, "ada@example.test").status_code == 413
            assert (templates.mails(), templates.get(number)["testSent"]) == ([], False)
        templates.test(number)
        sent.append([mail["message_id"] for mail in templates.mails()])

    assert sent[0] == sent[1]


def test_each_test_has_its_own_message_id(templates):
    number = templates.made()
    templates.test(number)
    templates.test(number)

    first, second = templates.mails()
    assert first["message_id"] != second["message_id"]


def test_test_is_refused_for_an_account_under_validation(make_api):
    account = {**SCENARIO["accounts"][0], "under_validation": True}
    account["campaigns"] = [{"id": 6, "kind": "email_template", "name": "Welcome"}]
    here = make_api({**SCENARIO, "accounts": [account]})

    answer = here.post("/v3/smtp/templates/6/sendTest")

    assert refused(answer) == (403, "account_under_validation")
