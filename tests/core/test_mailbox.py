from datetime import UTC, datetime

import pytest

from mockserver.core.traffic.mail import SENT, WAITING, Mail, Mailbox, Sending


def mail(number, text="Hello"):
    return Mail(str(number), datetime(2026, 1, 15, tzinfo=UTC), "to@acme.test", "from@acme.test", "Hi", text)


@pytest.fixture
def mailbox():
    return Mailbox(2)


def test_the_newest_mail_comes_first(mailbox):
    mailbox.add(mail(1))
    mailbox.add(mail(2))

    assert [row.id for row in mailbox] == ["2", "1"]


def test_the_oldest_goes_when_the_limit_is_reached_and_that_is_counted(mailbox):
    for number in (1, 2, 3):
        mailbox.add(mail(number))

    assert ([row.id for row in mailbox], mailbox.evicted) == (["3", "2"], 1)


def test_a_mail_is_found_by_its_id(mailbox):
    mailbox.add(mail(1))

    assert mailbox.find("1").id == "1"
    assert mailbox.find("2") is None


def test_clearing_forgets_the_mails_and_the_count(mailbox):
    for number in (1, 2, 3):
        mailbox.add(mail(number))

    mailbox.clear()

    assert (len(mailbox), mailbox.evicted) == (0, 0)


def test_the_page_has_a_paragraph_for_each_and_escapes_markup():
    page = mail(1, "One\n\n<script>").html

    assert page.endswith("<p>One</p><p>&lt;script&gt;</p>")


def test_how_far_a_mail_has_come_is_noted(mailbox):
    here = mail(1)
    mailbox.add(here)

    mailbox.note_sending(here, Sending(WAITING, 1, "no"))

    assert mailbox.sending(here) == ("waiting", 1, "no")


def test_nothing_is_noted_of_another_mail_of_the_same_id(mailbox):
    here = mail(1)
    mailbox.add(here)

    mailbox.note_sending(mail(1, "Another"), Sending(SENT, 1))

    assert mailbox.sending(here) is None


@pytest.mark.parametrize("leave", [lambda mailbox: [mailbox.add(mail(n)) for n in (2, 3)], Mailbox.clear])
def test_sending_progress_is_dropped_with_its_mail(mailbox, leave):
    here = mail(1)
    mailbox.add(here)
    mailbox.note_sending(here, Sending(SENT, 1))

    leave(mailbox)

    assert mailbox.sending(here) is None


def test_a_copy_knows_how_far_its_mails_have_come(mailbox):
    here = mail(1)
    mailbox.add(here)
    mailbox.note_sending(here, Sending(SENT, 1))

    assert mailbox.copy().sending(here) == ("sent", 1, None)
