"""Hostile mails are parsed in linear time."""

import time

import pytest

from mockserver.resources.inbound import mail

#: The documented limits: how deep parts may be nested, and how many are read.
DEEPEST, MOST_PARTS = 20, 1_000


def nested(depth, size=0):
    """A mail of parts nested in each other, the innermost one with some text."""
    head = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (number, number) for number in range(depth)
    )
    return head + b"Content-Type: text/plain\n\nHello\n" + b"line\n" * size


def flat(number):
    return b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * number + b"--b--\n"


HOSTILE = {
    "parts within parts": lambda size: nested(size, 20 * size),
    "parts beside each other": lambda size: flat(10 * size),
    "lines that nearly end a part": lambda size: flat(1) + b"--b \0\n" * 40 * size,
    "headers": lambda size: b"a: b\n" * 40 * size,
    "one long header": lambda size: b"Subject: " + b"=?utf-8?q?" * 10 * size + b"\n\n",
    "many headers of words": lambda size: b"X: =?utf-8?q?a?= =?\n" * 10 * size,
    "parameters": lambda size: b"Content-Type: multipart/mixed" + b"; a=b" * 40 * size + b"\n\n",
    "open comments": lambda size: b"To: " + b"(" * 40 * size + b"\n\n",
    "punycode": lambda size: b"Content-Type: text/plain; charset=punycode\n\n" + b"a-b9" * 50 * size,
    "a punycode subject": lambda size: b"Subject: =?punycode?q?" + b"a-b9" * 50 * size + b"?=\n\n",
    "uuencoded": lambda size: b"Content-Transfer-Encoding: uuencode\n\nbegin 644 a\n" + b"#86)C\n" * 20 * size,
    "base64 that is none": lambda size: b"Content-Transfer-Encoding: base64\n\n" + b"a=b" * 50 * size,
}


def seconds(raw):
    times = []
    for _ in range(2):
        start = time.process_time()
        mail.parse(raw)
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_mail_is_read_in_linear_time(make):
    assert seconds(make(1_600)) < 24 * max(seconds(make(200)), 0.002)


def test_parts_that_are_nested_too_deep_are_one_attachment():
    deep = mail.parse(nested(DEEPEST + 1))

    assert [row["ContentType"] for row in deep.attachments] == ["multipart/mixed"]
    assert deep.members["RawTextBody"] == ""
    assert mail.parse(nested(DEEPEST)).members["RawTextBody"] == "Hello\n"


def test_a_mail_has_a_limited_number_of_parts():
    assert len(mail.parse(flat(MOST_PARTS + 5)).attachments) == MOST_PARTS - 1


@pytest.mark.parametrize("charset", [b"punycode", b"idna", b"unicode_escape", b"rot13", b"uu", b"undefined"])
def test_a_codec_that_is_no_charset_of_mails_is_not_used(charset):
    raw = b"Subject: =?" + charset + b"?q?a-b9?=\nContent-Type: text/plain; charset=" + charset + b"\n\na-b9"
    found = mail.parse(raw).members

    assert (found["Subject"], found["RawTextBody"]) == ("a-b9", "a-b9")


@pytest.mark.parametrize("kind", ["crlf", "lf", "none"])
def test_lines_of_base64_may_end_in_any_way(kind):
    end = {"crlf": b"\r\n", "lf": b"\n", "none": b""}[kind]
    raw = b"Content-Transfer-Encoding: base64" + b"\r\n\r\n" + end.join([b"SGVs", b"bG8", b"="]) + end

    assert mail.parse(raw).members["RawTextBody"] == "Hello"


def test_uuencoded_lines_are_read_unless_they_are_too_many():
    def read(number):
        lines = b"begin 644 a\n" + b"!80  \n" * number + b"`\nend\n"
        return mail.parse(b"Content-Transfer-Encoding: uuencode\n\n" + lines).members["RawTextBody"]

    assert read(10) == "a" * 10
    assert read(260_000).startswith("begin 644 a\n!80")
