from datetime import UTC, datetime

import pytest

from mockserver import MockServerError


@pytest.fixture
def written(workspace, ask):
    """A workspace whose service has sent e-mails to two addresses."""
    for name in ("Ada", "Bob"):
        ask(workspace, "POST", "/senders", json={"name": name, "email": f"{name.lower()}@acme.test"})
    return workspace


def test_a_mail_has_a_recipient_a_moment_and_a_code_that_works(written, ask):
    mail = written.mailbox.latest(to="ada@acme.test")

    assert (mail.to, mail.at) == ("ada@acme.test", datetime(2026, 1, 15, 9, tzinfo=UTC))
    assert str(mail.otp) in mail.text
    assert mail.subject in mail.html
    assert "@" in mail.sender
    assert ask(written, "PUT", "/senders/3/validate", json={"otp": mail.otp}).status == 204


def test_mails_come_newest_first_and_are_filtered_by_address_and_subject(written):
    assert [mail.to for mail in written.mailbox.all()] == ["bob@acme.test", "ada@acme.test"]
    assert written.mailbox.latest().to == "bob@acme.test"
    assert [mail.to for mail in written.mailbox.all(to="ADA@acme.test")] == ["ada@acme.test"]
    assert len(written.mailbox.all(subject="verify")) == 2
    assert written.mailbox.all(subject="invoice") == []


def test_a_missing_mail_raises_an_error_that_lists_the_mailbox_or_says_that_it_is_empty(written):
    with pytest.raises(LookupError) as missing:
        written.mailbox.latest(to="eve@acme.test", subject="invoice", wait=0.01)

    assert str(missing.value).splitlines()[0] == (
        "no e-mail to eve@acme.test with 'invoice' in its subject after 0.01 s; the mailbox holds"
    )
    assert "to ada@acme.test: " in str(missing.value)
    written.mailbox.clear()
    assert written.mailbox.all() == []
    with pytest.raises(LookupError, match=r"^no e-mail; the mailbox is empty$"):
        written.mailbox.latest()


def test_handle_removes_a_single_mail(written):
    written.mailbox.remove(written.mailbox.latest().id)

    assert [mail.to for mail in written.mailbox.all()] == ["ada@acme.test"]
    with pytest.raises(MockServerError, match="unknown e-mail 'none'"):
        written.mailbox.remove("none")
