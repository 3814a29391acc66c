from datetime import UTC, datetime
from email import message_from_bytes, policy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import ValidationError, validate

from mockserver.core.text.email_text import compose, compose_whole, domain_of

AT = datetime(2026, 1, 15, 9, tzinfo=UTC)
HEADERS = ["Content-Type", "Date", "From", "MIME-Version", "Message-ID", "Subject", "To"]


def letter(**members):
    facts = {
        "sender": "A <a@acme.test>", "to": "b@acme.test", "subject": "Hi", "message_id": "<1@x>", "text": "Hello\n",
    }  # fmt: skip
    return compose(at=AT, html="<p>Hello</p>", **{**facts, **members})


def test_domain_of_an_address_is_normalised():
    for address, domain in [
        ("a@Acme.Test", "acme.test"), ("acme.test.", "acme.test."), ("a@b@acme.test", "acme.test"),
        ("a@bücher.test", "xn--bcher-kva.test"), ("a@BÜCHER.test", "xn--bcher-kva.test"), ("", ""),
        ("a@" + "ü" * 80, "ü" * 80),
    ]:  # fmt: skip
        assert domain_of(address) == domain


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r", "\x0b", "\x85", "\u2028"])
@pytest.mark.parametrize("member", ["sender", "subject", "message_id"])
def test_nobody_writes_further_headers(member, end):
    value = {"sender": "A{}Bcc: x@x.test <a@acme.test>", "subject": "Hi{}Bcc: x", "message_id": "<1{}Bcc: x@x>"}[member]

    found = message_from_bytes(letter(**{member: value.format(end)}).as_bytes())

    assert sorted(found.keys()) == HEADERS


def test_names_beyond_ascii_are_wrapped():
    raw = letter(sender="Jörg <a@acme.test>", subject="Grüße").as_bytes()
    found = message_from_bytes(raw, policy=policy.default)

    assert raw.isascii()
    assert (found["From"].addresses[0].display_name, found["Subject"]) == ("Jörg", "Grüße")


def test_a_letter_is_the_same_whenever_it_is_written():
    assert letter().as_bytes() == letter().as_bytes()


ADDRESSES = st.emails() | st.from_regex(r'("[\x01-\x7f]{1,8}"|[\wéß.+]{1,6})@[a-zé]{1,5}\.test', fullmatch=True)


@given(ADDRESSES, st.text(max_size=30), st.text(max_size=200))
def test_accepted_addresses_can_be_written_to(address, name, text):
    try:
        validate.Email()(address)
    except ValidationError:
        return

    message = letter(sender=f"{name} <{address}>", to=address, subject=name, text=text)
    found = message_from_bytes(message.as_bytes())

    assert sorted(found.keys()) == HEADERS
    assert domain_of(message["To"].addresses[0].addr_spec) == domain_of(address)


def whole(**members):
    facts = {
        "parties": {"From": [("a@acme.test", "A")], "To": [("b@acme.test", "")]},
        "subject": "Hi",
        "message_id": "<1@x>",
        "text": "Hello",
        "html": "<p>Hello</p>",
    }
    return compose_whole(at=AT, **{**facts, **members})


@pytest.mark.parametrize("name", ["Subject", "to", "Bcc", "Content-Type", "MIME-Version", "Resent-To", "message-id"])
def test_headers_that_a_message_has_of_its_own_are_not_written_by_others(name):
    assert whole(headers={name: "x"}).as_bytes() == whole().as_bytes()


def test_the_type_of_a_file_follows_from_the_end_of_its_name():
    for name, kind in [
        ("a.pdf", "application/pdf"), ("A.TXT", "text/plain"), ("a", "application/octet-stream"),
        ("a.eml", "application/octet-stream"), ("data:text/html;a.b", "application/octet-stream"),
    ]:  # fmt: skip
        (file,) = whole(files=[(name, b"x")]).iter_attachments()
        assert (file.get_filename(), file.get_content_type()) == (name, kind)


@pytest.mark.parametrize("name", ["é" * 17, "é" * 18, "日本" * 6, "A" * 70, 'A, "B"'])
def test_no_address_is_lost_behind_a_long_name(name):
    to = [("b@acme.test", name), ("c@acme.test", "C"), ("d@acme.test", name)]

    found = message_from_bytes(
        whole(parties={"From": [("a@acme.test", "A")], "To": to}).as_bytes(), policy=policy.default
    )

    assert [(row.addr_spec, row.display_name) for row in found["To"].addresses] == to


NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9.-]{0,20}", fullmatch=True)


@given(
    st.lists(st.tuples(st.just("b@acme.test"), st.text(max_size=30)), min_size=1, max_size=3),
    st.dictionaries(NAMES, st.text(max_size=200), max_size=3),
    st.lists(st.tuples(st.text(min_size=1, max_size=30), st.binary(max_size=50)), max_size=3),
    st.none() | st.text(max_size=50),
    st.none() | st.text(max_size=50),
)
def test_message_has_as_many_parts_as_the_client_sends(to, headers, files, text, html):
    parties = {"From": [("a@acme.test", "A")], "To": to}

    raw = [whole(parties=parties, headers=headers, files=files, text=text, html=html).as_bytes() for _ in range(2)]
    found = message_from_bytes(raw[0], policy=policy.default)

    assert raw[0] == raw[1]
    assert len(found["To"].addresses) == len(to)
    assert [part.get_payload(decode=True) for part in found.iter_attachments()] == [content for _, content in files]
    assert found["Bcc"] is None
