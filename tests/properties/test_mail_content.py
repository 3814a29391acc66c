"""The content of an e-mail is the same after it was written into a scenario and read again."""

from base64 import b64decode

from hypothesis import given
from hypothesis import strategies as st

from mockserver.core.traffic.mail import KINDS, Attachment, MailContent, Party, Recipient
from mockserver.resources.scheduled_emails.section import MailItem

ADDRESSES = st.sampled_from(["bob@example.test", '"a<b"@example.test', "jörg@bücher.test", "o'neil+x@example.test"])
PARTIES = st.builds(Party, ADDRESSES, st.text(max_size=10))
FILES = st.builds(
    lambda name, content: Attachment(name, content, len(content)),
    st.text(min_size=1, max_size=10),
    st.binary(max_size=20),
) | st.just(Attachment("far.pdf", url="https://files.test/far.pdf"))
JSON = st.recursive(
    st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5), lambda one: st.lists(one, max_size=2)
)
CONTENTS = st.builds(
    MailContent,
    sender=PARTIES | st.just(Party("")),
    recipients=st.lists(st.builds(Recipient, st.sampled_from(KINDS), PARTIES), min_size=1, max_size=4).map(
        lambda rows: tuple(sorted(rows, key=lambda row: KINDS.index(row.kind)))
    ),
    subject=st.text(max_size=10),
    text=st.none() | st.text(max_size=10),
    html=st.none() | st.text(max_size=10),
    reply_to=st.none() | PARTIES,
    headers=st.dictionaries(st.from_regex(r"[A-Za-z-]{1,8}", fullmatch=True), st.text(max_size=10), max_size=2),
    tags=st.lists(st.text(max_size=5), max_size=2).map(tuple),
    message_id=st.sampled_from(["", "<1@a.test>"]),
    attachments=st.lists(FILES, max_size=2).map(tuple),
    template_id=st.none() | st.integers(0, 9),
    params=st.dictionaries(st.text(max_size=5), JSON, max_size=2),
)


@given(CONTENTS)
def test_mail_content_survives_writing_and_reading(content):
    item = MailItem()

    assert item.load(item.dump(content)) == content


@given(CONTENTS)
def test_files_are_counted_by_their_bytes(content):
    written = MailItem().dump(content)
    files = sum(len(b64decode(row.get("content", ""))) for row in written.get("attachments", ()))

    assert content.size - content.without_files().size == files
