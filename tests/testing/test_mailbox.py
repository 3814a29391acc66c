from datetime import UTC, datetime

import pytest


@pytest.fixture
def written(workspace, ask):
    """A workspace whose service has written to two addresses."""
    for name in ("Ada", "Bob"):
        ask(workspace, "POST", "/senders", json={"name": name, "email": f"{name.lower()}@acme.test"})
    return workspace


def test_a_mail_has_all_that_a_test_needs(written, ask):
    mail = written.mailbox.latest(to="ada@acme.test")

    assert (mail.to, mail.at) == ("ada@acme.test", datetime(2026, 1, 15, 9, tzinfo=UTC))
    assert str(mail.otp) in mail.text
    assert mail.subject in mail.html
    assert "@" in mail.sender
    assert ask(written, "PUT", "/senders/3/validate", json={"otp": mail.otp}).status == 204


def test_the_newest_mail_comes_first(written):
    assert [mail.to for mail in written.mailbox.all()] == ["bob@acme.test", "ada@acme.test"]
    assert written.mailbox.latest().to == "bob@acme.test"


def test_mails_are_chosen_by_address_and_subject(written):
    assert [mail.to for mail in written.mailbox.all(to="ADA@acme.test")] == ["ada@acme.test"]
    assert len(written.mailbox.all(subject="verify")) == 2
    assert written.mailbox.all(subject="invoice") == []


def test_the_lack_of_a_mail_is_told_with_what_is_there(written):
    with pytest.raises(LookupError) as missing:
        written.mailbox.latest(to="eve@acme.test", subject="invoice", wait=0.01)

    assert str(missing.value).splitlines()[0] == (
        "no e-mail to eve@acme.test with 'invoice' in its subject after 0.01 s; the mailbox holds"
    )
    assert "to ada@acme.test: " in str(missing.value)


def test_an_empty_mailbox_is_told_as_one(workspace):
    with pytest.raises(LookupError, match=r"^no e-mail; the mailbox is empty$"):
        workspace.mailbox.latest()


def test_a_mail_that_comes_later_is_waited_for(workspace, ask, later):
    later(ask, workspace, "POST", "/senders", json={"name": "Late", "email": "late@acme.test"})

    assert workspace.mailbox.latest(to="late@acme.test", wait=10).to == "late@acme.test"


def test_the_mailbox_is_emptied(written):
    written.mailbox.clear()

    assert written.mailbox.all() == []
