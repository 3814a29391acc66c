from datetime import UTC, datetime

import pytest

from mockserver.core.traffic.mail import SENT, WAITING, Mail, Mailbox, Sending


def mail(number, text="Hello"):
    return Mail(str(number), datetime(2026, 1, 15, tzinfo=UTC), "to@acme.test", "from@acme.test", "Hi", text)


@pytest.fixture
def mailbox():
    return Mailbox(2)


def test_the_oldest_mail_goes_when_the_limit_is_reached_and_is_counted_until_all_are_cleared(mailbox):
    for number in (1, 2, 3):
        mailbox.add(mail(number))

    assert ([row.id for row in mailbox], mailbox.evicted) == (["3", "2"], 1)
    assert (mailbox.find("3").id, mailbox.find("1")) == ("3", None)
    mailbox.clear()
    assert (len(mailbox), mailbox.evicted) == (0, 0)


def test_the_page_has_a_paragraph_for_each_and_escapes_markup():
    page = mail(1, "One\n\n<script>").html

    assert page.endswith("<p>One</p><p>&lt;script&gt;</p>")


def test_progress_of_a_mail_is_noted_but_not_that_of_another_one_with_its_id(mailbox):
    here = mail(1)
    mailbox.add(here)

    mailbox.note_sending(here, Sending(WAITING, 1, "no"))

    mailbox.note_sending(mail(1, "Another"), Sending(SENT, 1))

    assert mailbox.sending(here) == ("waiting", 1, "no")


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
