"""E-mails that really leave, to servers of another library that take them, refuse them, hang or hang up."""

import contextlib
import queue
import socket
import ssl
import threading
import time
from datetime import UTC, datetime

import pytest
import requests
import trustme
from aiosmtpd.smtp import AuthResult
from smtp_inbox import Inbox

from mockserver import MockServer, Settings, create_app
from mockserver.core.traffic.mail import Attachment, Mail, MailContent, Party, Recipient
from mockserver.effects.addresses import SmtpUrl
from mockserver.effects.egress import Egress
from mockserver.effects.smtp_client import SmtpClient, SmtpLimits

QUICK = SmtpLimits(delays=(0.01, 0.01, 0.01))


@pytest.fixture
def inbox():
    with contextlib.ExitStack() as stack:

        def start(*answers, **options):
            found = Inbox(*answers, **options)
            stack.callback(found.close)
            return found

        yield start


class Sent:
    """One e-mail that was given to an SMTP client, and what is said of it."""

    def __init__(self, client, mail, wanted):
        self._said = queue.Queue()
        self.all = []
        client.send(mail.message, self._said.put, wanted)

    def until(self, state, tries=None):
        """What is said when it has come so far."""
        while not self.all or self.all[-1].state != state or (tries is not None and self.all[-1].tries != tries):
            self.all.append(self._said.get(timeout=10))
        return self.all[-1]


@pytest.fixture
def post():
    """Gives an e-mail to an SMTP client of its own, for an address, a server or a listener."""
    with contextlib.ExitStack() as stack:

        def send(url, mail=None, *, limits=QUICK, egress=Egress.LOOPBACK, wanted=lambda: True):
            client = SmtpClient(SmtpUrl.parse(getattr(url, "url", url)), egress, limits)
            stack.callback(client.close)
            sent = Sent(client, mail or a_mail(), wanted)
            sent.client = client
            return sent

        yield send


def a_mail(to="ops@acme.test", text="Hello Jörg,\n\nyour code is 123456.\n", **members):
    at = datetime(2026, 1, 15, 9, tzinfo=UTC)
    facts = {"id": "1", "sender": "Brevo <no-reply@brevo.test>", "subject": "Grüße", **members}
    return Mail(at=at, to=to, text=text, **facts)


# ---------------------------------------------------------------------- what arrives


def test_a_mail_arrives_as_a_mime_message(inbox, post):
    server, mail = inbox(), a_mail()

    post(server, mail).until("sent")
    message, envelope = server.got()

    assert (envelope.mail_from, envelope.rcpt_tos) == ("no-reply@brevo.test", ["ops@acme.test"])
    assert (message["From"], message["To"], message["Subject"]) == (mail.sender, mail.to, mail.subject)
    assert message["Date"].datetime == mail.at
    assert message["Message-ID"] == "<1@smtp-relay.mailin.fr>"
    assert message.get_content_type() == "multipart/alternative"
    assert message.get_body(("plain",)).get_content().replace("\r\n", "\n") == mail.text
    assert message.get_body(("html",)).get_content().strip() == mail.html


def test_a_mail_goes_to_all_its_recipients_and_tells_nobody_of_blind_copies(inbox, post):
    server = inbox()
    recipients = (
        ("to", "bob@x.test", "Bob"),
        ("to", "eve@x.test", ""),
        ("cc", "carol@x.test", ""),
        ("bcc", "dan@x.test", ""),
    )
    content = MailContent(
        Party("news@acme.test", "News"),
        tuple(Recipient(kind, Party(email, name)) for kind, email, name in recipients),
        subject="Grüße",
        html="<p>Hi</p>",
        reply_to=Party("reply@acme.test"),
        headers={"X-Custom": "ü"},
        message_id="<9@relay.test>",
        attachments=(Attachment("ü.pdf", b"%PDF", 4), Attachment("far.pdf", url="https://files.test/far.pdf")),
    )

    post(server, a_mail(content=content)).until("sent")
    message, envelope = server.got()

    assert envelope.rcpt_tos == ["bob@x.test", "eve@x.test", "carol@x.test", "dan@x.test"]
    assert (message["To"], message["Cc"], message["Bcc"]) == ("Bob <bob@x.test>, eve@x.test", "carol@x.test", None)
    assert (message["Reply-To"], message["X-Custom"]) == ("reply@acme.test", "ü")
    assert message["Message-ID"] == "<9@relay.test>"
    assert message.get_body(("html",)).get_content().strip() == "<p>Hi</p>"
    assert [(part.get_filename(), part.get_content()) for part in message.iter_attachments()] == [("ü.pdf", b"%PDF")]


def test_what_arrives_is_ascii_in_short_lines(inbox, post):
    """Not every server takes more."""
    server = inbox()

    post(server, a_mail(text="ß" * 5_000)).until("sent")
    _, envelope = server.got()

    assert envelope.content.isascii()
    assert max(map(len, envelope.content.splitlines())) < 998


def test_a_domain_in_letters_of_its_own_is_written_in_ascii(inbox, post):
    server = inbox(enable_SMTPUTF8=False)

    post(server, a_mail(to="ops@bücher.test")).until("sent")
    message, envelope = server.got()

    assert (envelope.rcpt_tos, message["To"]) == (["ops@xn--bcher-kva.test"], "ops@xn--bcher-kva.test")


def test_an_address_beyond_ascii_needs_a_server_that_takes_it(inbox, post):
    server = inbox()

    post(server, a_mail(to="jörg@acme.test")).until("sent")
    message, envelope = server.got()

    assert (envelope.smtp_utf8, envelope.rcpt_tos, message["To"]) == (True, ["jörg@acme.test"], "jörg@acme.test")


def test_an_address_beyond_ascii_fails_clearly_where_the_server_takes_none(inbox, post):
    said = post(inbox(enable_SMTPUTF8=False), a_mail(to="jörg@acme.test")).until("failed")

    assert (said.tries, "SMTPUTF8" in said.error) == (1, True)


# ---------------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize("trouble", ["451 4.3.0 later", None])
def test_a_mail_that_is_not_taken_is_tried_again(inbox, post, trouble):
    server = inbox(trouble, trouble)

    sent = post(server)
    sent.until("sent")

    assert [(said.state, said.tries) for said in sent.all] == [("waiting", 1), ("waiting", 2), ("sent", 3)]
    assert [said.error for said in sent.all if trouble] == ([trouble, trouble, None] if trouble else [])
    assert SmtpLimits().delays == (1, 5, 30)
    assert server.mails.qsize() == 1


def test_a_mail_that_is_never_taken_has_failed_after_four_tries(inbox, post):
    server = inbox(*["451 4.3.0 later"] * 9)

    sent = post(server)

    assert sent.until("failed") == ("failed", 4, "451 4.3.0 later")
    assert server.tries == 4
    assert sent.client.health() == {
        "server": f"127.0.0.1:{server.port}", "sent": 0, "failed": 1, "waiting": 0, "last_error": "451 4.3.0 later",
    }  # fmt: skip


def test_a_refusal_for_good_is_not_tried_again(inbox, post):
    server = inbox("554 5.7.1 no")

    assert post(server).until("failed") == ("failed", 1, "554 5.7.1 no")
    assert server.tries == 1


def test_a_recipient_that_is_refused_is_named(inbox, post):
    server = inbox()

    async def refuse(*_):
        return "550 5.1.1 nobody of that name"

    server.handle_RCPT = refuse

    assert post(server).until("failed") == ("failed", 1, "ops@acme.test: 550 5.1.1 nobody of that name")


def test_other_mails_are_sent_while_a_mail_is_retried(inbox, post):
    server = inbox("451 4.3.0 later")

    slow = post(server, limits=SmtpLimits(delays=(60,)))
    slow.until("waiting", tries=1)
    quick = Sent(slow.client, a_mail(to="quick@acme.test"), lambda: True)

    quick.until("sent")
    assert slow.client.health()["waiting"] == 1


def test_nobody_listening_is_told_and_tried_again(post):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"smtp://127.0.0.1:{listener.getsockname()[1]}"

    said = post(url).until("failed")

    assert (said.tries, "refused" in said.error) == (4, True)


def test_a_server_that_hangs_is_left(listen, post):
    peer = listen(lambda receiver, connection: receiver.over.wait(10), reads=False)

    said = post(f"smtp://{peer.address}", limits=SmtpLimits(delays=(), step_s=0.05)).until("failed")

    assert said.error == "the server did not answer in time"


def test_a_server_that_trickles_is_left(listen, post):
    def trickle(receiver, connection):
        while not receiver.over.wait(0.01):
            connection.sendall(b"2")

    peer = listen(trickle, reads=False)

    said = post(f"smtp://{peer.address}", limits=SmtpLimits(delays=(), whole_s=0.1)).until("failed")

    assert said.error == "timeout after 0.1 seconds"


def test_a_server_that_wants_nobody_is_tried_again(listen, post):
    peer = listen(b"421 too busy\r\n", reads=False)

    assert post(f"smtp://{peer.address}").until("failed") == ("failed", 4, "421 too busy")


def test_mails_beyond_the_queue_limit_are_refused(inbox, post):
    server = inbox()
    server.gate.clear()
    first = post(server, limits=SmtpLimits(waiting=1))
    assert server.arrived.wait(10)
    second = Sent(first.client, a_mail(), lambda: True)

    third = Sent(first.client, a_mail(), lambda: True)

    assert third.until("failed") == ("failed", 0, "the queue is full: 1 e-mails")
    server.gate.set()
    second.until("sent")


def test_a_mail_that_is_no_longer_wanted_is_not_sent(inbox, post):
    server = inbox()
    unwanted = post(server, a_mail(to="gone@acme.test"), wanted=lambda: False)

    Sent(unwanted.client, a_mail(to="there@acme.test"), lambda: True).until("sent")

    assert (server.got()[1].rcpt_tos, server.tries) == (["there@acme.test"], 1)


def test_a_mail_is_no_longer_tried_when_nobody_wants_it(inbox, post):
    server, wanted = inbox("451 4.3.0 later"), threading.Event()
    wanted.set()
    server.gate.clear()
    sent = post(server, wanted=wanted.is_set)
    assert server.arrived.wait(10)
    wanted.clear()
    server.gate.set()

    Sent(sent.client, a_mail(to="there@acme.test"), lambda: True).until("sent")

    assert server.tries == 2
    assert sent.client.health()["waiting"] <= 1


@pytest.mark.parametrize("egress", [Egress.LOOPBACK, Egress.PRIVATE])
def test_a_server_out_of_bounds_is_not_called(post, egress):
    said = post("smtp://203.0.113.9:25", egress=egress).until("failed")

    assert (said.tries, said.error.startswith("egress refused: 203.0.113.9 is not a loopback")) == (1, True)


def test_a_mail_that_cannot_be_written_stops_nobody(inbox, post):
    server = inbox()
    sent = post(server, a_mail(to="no address at all"))

    said = sent.until("failed")
    Sent(sent.client, a_mail(), lambda: True).until("sent")

    assert (said.tries, bool(said.error)) == (1, True)


def test_closing_takes_no_time_though_the_server_hangs(listen, post, begun):
    met = threading.Event()

    def hang(receiver, connection):
        met.set()
        receiver.over.wait(10)

    sent = post(f"smtp://{listen(hang, reads=False).address}")
    assert met.wait(10)

    start = time.monotonic()
    sent.client.close()

    assert time.monotonic() - start < 5  # and not the ten of the server
    for thread in begun("dispatcher"):
        thread.join(10)
        assert not thread.is_alive()


# ---------------------------------------------------------------------- who it is, and in private


def knows(server, session, envelope, mechanism, data):
    return AuthResult(success=(data.login, data.password) == (b"us:er", b"p@ss"), handled=False)


def test_a_name_and_a_password_are_given(inbox, post):
    server = inbox(authenticator=knows, auth_require_tls=False)

    post(f"smtp://us%3Aer:p%40ss@127.0.0.1:{server.port}").until("sent")
    _, session = server.mails.get(timeout=10)

    assert session.authenticated


def test_a_wrong_password_is_not_tried_again_and_not_told(inbox, post):
    server = inbox(authenticator=knows, auth_require_tls=False)

    said = post(f"smtp://us%3Aer:hunter2@127.0.0.1:{server.port}").until("failed")

    assert (said.tries, said.error[:3], "hunter2" in said.error) == (1, "535", False)


def test_a_password_is_not_given_to_a_server_that_asks_for_none(inbox, post):
    said = post(f"smtp://user:secret@127.0.0.1:{inbox().port}").until("failed")

    assert (said.tries, "AUTH" in said.error) == (1, True)


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def server_tls(authority):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return context


@pytest.fixture
def trusted(authority, monkeypatch, tmp_path):
    path = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(path)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))


def test_tls_is_spoken_from_the_start(inbox, post, server_tls, trusted):
    server = inbox(tls=server_tls)

    post(server).until("sent")

    assert server.got()[1].rcpt_tos == ["ops@acme.test"]


def test_tls_is_spoken_where_the_server_offers_it(inbox, post, server_tls, trusted):
    server = inbox(tls_context=server_tls, require_starttls=True)

    post(server).until("sent")
    _, session = server.mails.get(timeout=10)

    assert session.ssl is not None


@pytest.mark.parametrize("how", ["tls", "tls_context"])
def test_a_certificate_of_nobody_known_is_refused(inbox, post, server_tls, how):
    server = inbox(**{how: server_tls})

    said = post(server).until("failed")

    assert (said.tries, "certificate verify failed" in said.error, server.tries) == (1, True, 0)


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("smtp://mail.test", ("mail.test", 25, False, None, "")),
        ("smtps://mail.test/", ("mail.test", 465, True, None, "")),
        ("smtp://[::1]:1025", ("::1", 1025, False, None, "")),
        ("smtp://u%40x:p%3A%2F@mail.test:2525", ("mail.test", 2525, False, "u@x", "p:/")),
    ],
)
def test_smtp_url_is_split_into_parts(url, parts):
    assert SmtpUrl.parse(url) == parts


BAD = [
    "", "mail.test:25", "http://mail.test", "smtp://", "smtp://:25", "smtp://mail.test:0", "smtp://mail.test:99999",
    "smtp://mail.test:x", "smtp://mail.test/path", "smtp://mail.test?x=1", "smtp://[::1", "smtp://mail .test",
]  # fmt: skip


@pytest.mark.parametrize("url", BAD)
def test_invalid_smtp_url_is_refused(url):
    with pytest.raises(ValueError, match="SMTP URL"):
        create_app(Settings(smtp_url=url))


def test_the_password_of_a_bad_address_is_not_repeated():
    with pytest.raises(ValueError) as caught:
        SmtpUrl.parse("smtp://user:secret@mail.test/path")

    assert "secret" not in str(caught.value)


# ---------------------------------------------------------------------- the whole way


@pytest.fixture
def start():
    """A server that sends its e-mails to an inbox."""
    with contextlib.ExitStack() as stack:
        yield lambda url, **settings: stack.enter_context(MockServer("empty", smtp_url=url, **settings))


def ask_for_code(workspace, email="ops@acme.test"):
    answer = workspace_call(workspace, "POST", "/senders", {"name": "Jörg\r\nBcc: all@acme.test", "email": email})
    assert "id" in answer


def workspace_call(workspace, method, path, body):
    return requests.request(
        method, f"{workspace.url}{path}", json=body, headers={"api-key": workspace.api_key}, timeout=10
    ).json()


def test_a_verification_mail_arrives_with_its_code(inbox, start):
    peer = inbox()
    workspace = start(peer.url).workspace("empty")

    ask_for_code(workspace)
    message, envelope = peer.got()

    assert envelope.rcpt_tos == ["ops@acme.test"]
    assert message["Bcc"] is None
    assert str(workspace.mailbox.latest().otp) in message.get_body(("plain",)).get_content()


def test_an_answer_does_not_wait_for_the_server(inbox, start):
    peer = inbox()
    peer.gate.clear()
    workspace = start(peer.url).workspace("empty")

    ask_for_code(workspace)

    assert workspace.mailbox.latest().smtp == {"state": "waiting", "tries": 0, "error": None}


def test_a_mail_tells_when_it_was_sent(inbox, start):
    workspace = start(inbox().url).workspace("empty")

    ask_for_code(workspace)

    assert workspace.mailbox.latest(smtp="sent", wait=10).smtp == {"state": "sent", "tries": 1, "error": None}


def test_a_mail_tells_why_it_failed_and_so_does_health(inbox, start):
    server = start(inbox("554 no").url)
    workspace = server.workspace("empty")
    ask_for_code(workspace)

    assert workspace.mailbox.latest(smtp="failed", wait=10).smtp == {"state": "failed", "tries": 1, "error": "554 no"}
    health = server.client.json("GET", "/_mock/health")["smtp"]
    assert (health["failed"], health["last_error"]) == (1, "554 no")


def test_health_and_mail_omit_smtp_without_smtp_url():
    with MockServer("empty") as server:
        workspace = server.workspace("empty")
        ask_for_code(workspace)

        assert workspace.mailbox.latest().smtp is None
        assert "smtp" not in server.client.json("GET", "/_mock/health")


@pytest.mark.parametrize("leave", ["reset", "drop"])
def test_reset_or_deleted_workspace_sends_no_queued_mail(inbox, start, leave):
    peer = inbox()
    peer.gate.clear()
    server = start(peer.url)
    workspace, other = server.workspace("empty"), server.workspace("empty")
    ask_for_code(other, "first@acme.test")
    assert peer.arrived.wait(10)
    ask_for_code(workspace, "gone@acme.test")

    getattr(workspace, leave)()
    ask_for_code(other, "last@acme.test")
    peer.gate.set()

    assert [peer.got()[1].rcpt_tos for _ in range(2)] == [["first@acme.test"], ["last@acme.test"]]


def test_what_comes_of_a_mail_is_not_noted_in_another_state(inbox, start):
    """Not even where the seed has given another mail the same id."""
    second = threading.Event()
    peer = inbox("554 no", second)
    peer.gate.clear()
    workspace = start(peer.url).workspace("empty", seed=1)
    ask_for_code(workspace)
    assert peer.arrived.wait(10)
    before = workspace.mailbox.latest()
    workspace.reset()
    ask_for_code(workspace)
    peer.arrived.clear()
    peer.gate.set()
    assert peer.arrived.wait(10)

    after = workspace.mailbox.latest()
    second.set()

    assert (after.id, after.smtp) == (before.id, {"state": "waiting", "tries": 0, "error": None})


def test_a_return_to_an_earlier_moment_keeps_what_was_to_be_sent_by_then(inbox, start):
    peer = inbox()
    peer.gate.clear()
    workspace = start(peer.url).workspace("empty")
    ask_for_code(workspace, "first@acme.test")
    assert peer.arrived.wait(10)
    ask_for_code(workspace, "before@acme.test")
    moment = workspace.snapshot()
    ask_for_code(workspace, "after@acme.test")

    moment.restore()
    ask_for_code(workspace, "last@acme.test")
    peer.gate.set()

    assert [peer.got()[1].rcpt_tos[0] for _ in range(3)] == ["first@acme.test", "before@acme.test", "last@acme.test"]


def test_a_stop_takes_no_time_though_the_server_hangs(inbox):
    peer = inbox()
    peer.gate.clear()
    with MockServer("empty", smtp_url=peer.url) as server:
        ask_for_code(server.workspace("empty"))
        assert peer.arrived.wait(10)
        start = time.monotonic()

    assert time.monotonic() - start < 5


def test_a_mail_that_a_client_sends_arrives_at_all_its_recipients(inbox, start):
    peer = inbox()
    sender = {"id": 1, "name": "News", "email": "news@acme.test", "state": "verified"}
    workspace = start(peer.url).workspace({"senders": [sender]})
    body = {
        "sender": {"id": 1},
        "to": [{"email": "bob@example.test", "name": "Bob"}],
        "bcc": [{"email": "dave@example.test"}],
        "subject": "Grüße",
        "htmlContent": "<p>Hi</p>",
        "attachment": [{"name": "a.txt", "content": "SGVsbG8="}],
    }

    answer = workspace_call(workspace, "POST", "/smtp/email", body)
    message, envelope = peer.got()

    assert envelope.rcpt_tos == ["bob@example.test", "dave@example.test"]
    assert (message["From"], message["To"], message["Bcc"]) == ("News <news@acme.test>", "Bob <bob@example.test>", None)
    assert (message["Message-ID"], message["Subject"]) == (answer["messageId"], "Grüße")
    assert [part.get_content() for part in message.iter_attachments()] == ["Hello"]
