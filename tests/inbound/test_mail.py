"""The payload of a received mail, member by member, also for bytes that are hardly a mail."""

from email.message import EmailMessage
from email.utils import parsedate_to_datetime

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.resources.inbound.mail import compose, item, parse

MEMBERS = [
    "Uuid", "MessageId", "InReplyTo", "From", "To", "Cc", "ReplyTo", "SentAtDate", "Subject", "RawHtmlBody",
    "RawTextBody", "ExtractedMarkdownMessage", "ExtractedMarkdownSignature", "SpamScore", "Attachments", "Headers",
]  # fmt: skip


@pytest.fixture
def mail_workspace(make_api):
    return make_api({"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}, "seed": 1}).workspace


@pytest.fixture
def payload(mail_workspace):
    """Returns the item of the payload for a mail, given as bytes or as a message."""

    def of(raw):
        return item(mail_workspace, parse(raw if isinstance(raw, bytes) else raw.as_bytes()), "a-uuid")

    return of


def a_mail(text="Hello\n", **headers):
    message = EmailMessage()
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content(text)
    return message


def test_a_payload_has_the_members_of_the_service_in_their_order(payload):
    assert list(payload(b"")) == MEMBERS


def test_absent_headers_are_null_or_empty_as_the_service_has_them(payload):
    assert payload(b"") == {
        "Uuid": ["a-uuid"], "MessageId": "", "InReplyTo": None, "From": {"Name": None, "Address": ""}, "To": [],
        "Cc": [], "ReplyTo": None, "SentAtDate": "Thu, 15 Jan 2026 09:00:00 +0000", "Subject": "", "RawHtmlBody": "",
        "RawTextBody": "", "ExtractedMarkdownMessage": "", "ExtractedMarkdownSignature": "", "SpamScore": 0.0,
        "Attachments": [], "Headers": {},
    }  # fmt: skip


def test_people_have_names_and_addresses(payload):
    found = payload(
        b'From: =?utf-8?q?J=C3=B6rg?= <j@x.test>\nTo: a@x.test,\n "Doe, Jo" <jo@x.test>\nTo: c@x.test\n'
        b"Cc: =?iso-8859-1?q?B=FC=2C_cher?= <b@x.test>\nReply-To: r@x.test\n\n"
    )

    assert found["From"] == {"Name": "Jörg", "Address": "j@x.test"}
    assert found["To"] == [
        {"Name": None, "Address": "a@x.test"},
        {"Name": "Doe, Jo", "Address": "jo@x.test"},
        {"Name": None, "Address": "c@x.test"},
    ]
    assert found["Cc"] == [{"Name": "Bü, cher", "Address": "b@x.test"}]
    assert found["ReplyTo"] == {"Name": None, "Address": "r@x.test"}


def test_an_empty_group_of_addresses_is_nobody(payload):
    assert payload(b"To: undisclosed-recipients:;\n\n")["To"] == []


@pytest.mark.parametrize(
    ("subject", "read"),
    [
        ("=?utf-8?b?R3LDvMOfZQ==?=", "Grüße"), ("Re: =?utf-8?q?Gr=C3=BC?= =?utf-8?q?=C3=9Fe?= you", "Re: Grüße you"),
        ("Grüße", "Grüße"), ("one\n two", "one two"), ("=?nonsense?q?=FC?=", "ü"), ("=?utf-8?b?A?=", "=?utf-8?b?A?="),
        ("=?utf-8?q?Gr=C3?= =?utf-8?q?=BC?=", "Grü"), ("a =?iso-8859-1?q?=FC?= b", "a ü b"),
        ("=?utf-8?b?a?= and =?utf-8?x?a?=", "=?utf-8?b?a?= and =?utf-8?x?a?="),
    ],
)  # fmt: skip
def test_encoded_subject_of_a_mail_is_decoded(payload, subject, read):
    assert payload(f"Subject: {subject}\n\n".encode())["Subject"] == read


def test_ids_are_unchanged_in_the_payload(payload):
    found = payload(b"Message-ID: <1@x.test>\nIn-Reply-To: <0@x.test>\n\n")

    assert (found["MessageId"], found["InReplyTo"]) == ("<1@x.test>", "<0@x.test>")


@pytest.mark.parametrize(
    ("date", "told"),
    [
        (b"Fri, 2 Jan 2026 03:04:05 +0100", "Fri, 2 Jan 2026 03:04:05 +0100"),
        (b"yesterday", "Thu, 15 Jan 2026 09:00:00 +0000"),
        (b"Mon, 99 Foo 99999999999 99:99:99 +9999999", "Thu, 15 Jan 2026 09:00:00 +0000"),
    ],
)
def test_a_mail_without_a_readable_date_has_the_present_moment(payload, date, told):
    found = payload(b"Date: " + date + b"\n\n")["SentAtDate"]

    assert found == told
    assert parsedate_to_datetime(found).year == 2026


def test_headers_that_come_again_are_a_list(payload):
    found = payload(b"Received: one\nX-Mine: =?utf-8?q?=C3=BC?=\nreceived: two\n more\nReceived: three\n\n")

    assert found["Headers"] == {"Received": ["one", "two more", "three"], "X-Mine": "ü"}


@pytest.mark.parametrize(("score", "told"), [("4.5", 4.5), ("high", 0.0), ("nan", 0.0), ("inf", 0.0)])
def test_a_spam_score_is_that_of_its_header(payload, score, told):
    assert payload(a_mail(X_Spam_Score=score))["SpamScore"] == told


def test_text_and_page_are_unchanged_in_the_payload(payload):
    message = a_mail("Hello\n")
    message.add_alternative("<p>Hello</p>", subtype="html")

    found = payload(message)

    assert (found["RawTextBody"], found["RawHtmlBody"].strip(), found["Attachments"]) == ("Hello\n", "<p>Hello</p>", [])


@pytest.mark.parametrize(
    ("charset", "content", "read"),
    [
        (b"utf-8", "Grüße".encode(), "Grüße"), (b"iso-8859-1", b"Gr\xfc\xdfe", "Grüße"),
        (b"nonsense", "Grüße".encode(), "Grüße"), (b"us-ascii", b"Gr\xfc\xdfe", "Grüße"), (b"hex", b"zz", "zz"),
        (b"unicode_escape", rb"a\ud800", r"a\ud800"),
    ],
)  # fmt: skip
def test_a_text_is_decoded_whatever_charset_it_names(payload, charset, content, read):
    raw = b"Content-Type: text/plain; charset=" + charset + b"\n\n" + content

    assert payload(raw)["RawTextBody"] == read


def test_attachments_have_their_details_and_a_token_each(payload):
    message = a_mail()
    message.add_attachment(b"12345", maintype="application", subtype="pdf", filename="Grüße.pdf")
    message.add_attachment("text", filename="notes.txt")
    message.add_attachment(b"1", maintype="image", subtype="png", filename="logo.png", cid="<logo@x.test>")
    message.add_attachment(a_mail("inner", Subject="Within"))

    found = payload(message)
    shown = [{name: value for name, value in row.items() if name != "DownloadToken"} for row in found["Attachments"]]

    assert shown[:3] == [
        {"Name": "Grüße.pdf", "ContentType": "application/pdf", "ContentLength": 5, "ContentID": None},
        {"Name": "notes.txt", "ContentType": "text/plain", "ContentLength": 5, "ContentID": None},
        {"Name": "logo.png", "ContentType": "image/png", "ContentLength": 1, "ContentID": "logo@x.test"},
    ]
    assert (shown[3]["ContentType"], shown[3]["ContentLength"] > 5) == ("message/rfc822", True)
    assert found["RawTextBody"] == "Hello\n"
    assert len({row["DownloadToken"] for row in found["Attachments"]}) == 4


def test_a_mail_that_the_mock_makes_is_read_like_any_other(mail_workspace):
    found = item(
        mail_workspace,
        compose(mail_workspace, "jörg@bücher.test", "r@in.acme.test", "Hi\r\nBcc: x@x.test", "Grüße\n"),
        "u",
    )

    assert (found["Subject"], found["RawTextBody"]) == ("Hi Bcc: x@x.test", "Grüße\n")
    assert found["From"] == {"Name": None, "Address": "jörg@xn--bcher-kva.test"}
    assert (found["SentAtDate"], "Bcc" in found["Headers"]) == ("Thu, 15 Jan 2026 09:00:00 +0000", False)


NAMES = st.sampled_from(
    ["From", "To", "Subject", "Date", "Content-Type", "Content-Transfer-Encoding", "Content-Disposition", "Content-ID"]
)
VALUES = st.sampled_from([
    "multipart/mixed; boundary=x", "message/rfc822", "text/html; charset=utf-7", "text/plain; charset=idna", "base64",
    "x-uuencode", "quoted-printable", "=?utf-8?b?!!!?= =?x?q?=ff?=", "attachment; filename*=unknown''%ff%00",
    "text/plain; charset*=''%ff; name*0*=utf-8''%e2", '"\\', "<@,:;", "a@b (", '=?"',
])  # fmt: skip
HEADERS = st.builds(lambda name, value: f"{name}: {value}".encode(), NAMES, VALUES)
LINES = st.sampled_from([b"", b"--x", b"--x--", b"begin 644 x", b"+2AA-", b"-- ", b"> q", b"<!--", b"<p"])


@given(st.binary() | st.lists(HEADERS | LINES | st.binary(max_size=30), max_size=20).map(b"\r\n".join))
def test_any_bytes_give_a_payload(raw):
    found = parse(raw)

    orjson.dumps([found.members, found.attachments])
    assert [*found.members] == MEMBERS[1:]
