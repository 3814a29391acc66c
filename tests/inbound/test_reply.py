"""The message of a reply, without quotations and without the signature."""

import pytest

from mockserver.resources.inbound.reply import extract, extract_html

TEXTS = {
    "text alone": ("Hello\n\nyou\n", "Hello\n\nyou", ""),
    "with a signature": ("Hello\n-- \nJo\nAcme\n", "Hello", "Jo\nAcme"),
    "a signature after spaces that were stripped": ("Hello\n--\nJo\n", "Hello", "Jo"),
    "above a quote": ("Yes.\n\nOn Mon, 5 Jan 2026, Bob <b@x.test> wrote:\n> No?\n>\n> Bob\n", "Yes.", ""),
    "with a signature above a quote": ("Yes.\n\n-- \nJo\n\nOn Mon, Bob wrote:\n\n> No?\n", "Yes.", "Jo"),
    "with a long line about who wrote": ("Yes.\n\nOn Mon, 5 Jan 2026, Bob\n<b@x.test> wrote:\n> No?\n", "Yes.", ""),
    "between quotes": ("> One?\nYes.\n> Two?\nNo.\n", "Yes.\nNo.", ""),
    "below a quote": ("On Mon, Bob wrote:\n> One?\n\nYes.\n", "Yes.", ""),
    "above an original": ("Yes.\n\n-----Original Message-----\nFrom: Bob\n\nNo?\n", "Yes.", ""),
    "above a line and a head": (f"Yes.\n\n{'_' * 32}\nFrom: Bob <b@x.test>\nSent: now\n\nNo?\n", "Yes.", ""),
    "in French": ("Oui.\n\nLe lun. 5 janv. 2026, Bob a écrit :\n> Non?\n", "Oui.", ""),
    "in German": ("Ja.\n\nAm 05.01.26 um 10:00 schrieb Bob:\n> Nein?\n", "Ja.", ""),
    "with lines that only look like it": ("On Monday\nshe wrote: no.\n1 > 0\n", "On Monday\nshe wrote: no.\n1 > 0", ""),
    "with the ends of lines of the wire": ("Hello\r\n\r\n-- \r\nJo\r\n", "Hello", "Jo"),
    "nothing": ("", "", ""),
}  # fmt: skip


@pytest.mark.parametrize(("text", "written", "signature"), TEXTS.values(), ids=TEXTS)
def test_the_message_of_a_reply_is_found(text, written, signature):
    assert extract(text) == (written, signature)


PAGES = {
    "paragraphs": ("<p>Hello</p><p>you</p>", "Hello\n\nyou"),
    "lines": ("<div>one</div><div>two<br>three</div>", "one\ntwo\nthree"),
    "marks": ("<b>bold</b> and <em>so on</em>", "**bold** and *so on*"),
    "a list": ("<ul><li>one</li><li>two</li></ul>", "- one\n- two"),
    "a link": ("See <a class='x' href=\"http://x.test/?a=1&amp;b=2\">this</a>.", "See [this](http://x.test/?a=1&b=2)."),
    "an anchor": ("<a name=top>Top</a>", "Top"),
    "entities and spaces": ("a &amp; b &lt;\n  c&nbsp;d", "a & b < c d"),
    "what nobody sees": (
        "<!doctype html><html><head><title>T</title><style>p{}</style></head><body>Hi<!-- no --><script>1<2</script>",
        "Hi",
    ),
    "a head that never ends": ("<head><meta x><body>Hi", "Hi"),
    "a quote": ("<div>Yes.</div><div>On Mon, Bob wrote:<br><blockquote><p>No?</p>Bob</blockquote></div>", "Yes."),
    "tags that are none": ("1 < 2 <3 <b", "1 < 2 <3 <b"),
}


@pytest.mark.parametrize(("page", "written"), PAGES.values(), ids=PAGES)
def test_html_reply_is_converted_to_markdown_text(page, written):
    assert extract_html(page) == (written, "")


def test_the_signature_of_a_page_is_found():
    assert extract_html("<div>Yes.</div><div>-- <br><div>Jo</div></div>") == ("Yes.", "Jo")


def test_signature_beyond_the_line_limit_is_not_recognised():
    text = "x\n" * 200_000 + "-- \nJo"

    assert extract(text) == (text, "")


def test_a_mail_is_read_up_to_a_length():
    assert extract("x" * 2_000_000 + "No.") == ("x" * 2_000_000, "")
    assert extract_html("<i>Yes.</i><b>" + " " * 2_000_000 + "No.") == ("*Yes.***", "")
