"""What templates have for checking what was sent: forms, compact values, addresses, templates of the account."""

import pytest


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("[1] is list", True),
        ("'a' is list", False),
        ("{'a': 1} is list", False),
        ("'X-Custom' is token", True),
        ("'X Custom' is token", False),
        ("'' is token", False),
        ("7 is token", False),
        ("{'a': none, 'b': 0} | compact", {"b": 0}),
        ("[none, 1, ''] | compact", [1, ""]),
        ("'Bob@BÜCHER.test' | address", "bob@xn--bcher-kva.test"),
        ("'Bob@Acme.test' | address", "bob@acme.test"),
    ],
)
def test_an_expression_has_its_value(expression, value, answer_of):
    assert answer_of({"value": f"{{{{ {expression} }}}}"})["value"] == value


def test_templates_see_those_of_the_account_with_subject_and_content(stubbed):
    campaigns = [
        {"id": 7, "kind": "email_template", "name": "Welcome", "subject": "Hi", "html": "<p>Hi</p>"},
        {"id": 8, "kind": "email_template", "name": "Bare"},
        {"id": 9, "kind": "email_campaign", "name": "June"},
    ]
    api = stubbed({"answer": {"json": "{{ account.templates }}"}}, campaigns=campaigns)

    assert api.get("/v3/contacts").json == [
        {"id": 7, "name": "Welcome", "subject": "Hi", "html": "<p>Hi</p>"},
        {"id": 8, "name": "Bare", "subject": "Bare", "html": ""},
    ]
