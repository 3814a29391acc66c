"""Mails that come in by SMTP, sent by the standard library's client."""

import contextlib
import signal
import smtplib
import socket
import subprocess
import sys
import time
from email.message import EmailMessage

import pytest
import requests
from cli_runner import invoke

from mockserver import MockServer
from mockserver.effects import smtp_listener
from mockserver.effects.smtp_listener import LARGEST, MOST_RECIPIENTS, Listener

HOOK = "http://127.0.0.1:9/hook"


pytestmark = pytest.mark.server("empty", smtp_in="127.0.0.1:0")


@pytest.fixture
def client(server):
    with connected(server.smtp_in) as client:
        yield client


def host_and_port(address):
    host, _, port = address.rpartition(":")
    return host, int(port)


@contextlib.contextmanager
def connected(address):
    with smtplib.SMTP(*host_and_port(address), local_hostname="localhost", timeout=10) as client:
        yield client


@pytest.fixture
def mail_workspace(server):
    """A workspace that takes the mails to `in.acme.test`."""
    with server.workspace("empty") as workspace:
        listen_for(workspace)
        yield workspace


def listen_for(workspace, domain="in.acme.test", url=HOOK):
    workspace.seed({"domains": [{"name": domain.encode("idna").decode(), "state": "authenticated"}]})
    answer = v3(workspace, "POST", "/webhooks", {"type": "inbound", "domain": domain, "url": url})
    assert "id" in answer


def v3(workspace, method, path, body=None):
    headers = {"api-key": workspace.api_key}
    return requests.request(method, f"{workspace.url}{path}", json=body, headers=headers, timeout=10).json()


def arrived(workspace):
    """Who has sent to whom, the newest first."""
    return [(event["sender"], event["recipient"]) for event in v3(workspace, "GET", "/inbound/events")["events"]]


def a_mail(**headers):
    message = EmailMessage()
    for name, value in {"From": "bob@example.test", "To": "reply@in.acme.test", "Subject": "Hi", **headers}.items():
        message[name] = value
    message.set_content("Hello\n")
    return message


# ---------------------------------------------------------------------- whose it is


def test_a_mail_becomes_an_event_of_the_workspace_that_has_the_domain(mail_workspace, client):
    client.send_message(a_mail())

    assert arrived(mail_workspace) == [("bob@example.test", "reply@in.acme.test")]


def test_a_mail_is_told_to_the_webhook(server, client):
    with server.workspace("empty") as workspace:
        receiver = workspace.receiver()
        listen_for(workspace, url=receiver.url)

        client.send_message(a_mail(Subject="Grüße"))

        item = receiver.calls(count=1, wait=10)[0].body["items"][0]
        assert (item["Subject"], item["RawTextBody"]) == ("Grüße", "Hello\r\n")
        assert item["Uuid"] == [v3(workspace, "GET", "/inbound/events")["events"][0]["uuid"]]


def test_domains_are_compared_without_case(mail_workspace, client):
    client.send_message(a_mail(), to_addrs=["Reply@IN.Acme.Test"])

    assert arrived(mail_workspace) == [("bob@example.test", "Reply@IN.Acme.Test")]


@pytest.mark.parametrize("recipient", ["reply@in.bücher.test", "reply@in.xn--bcher-kva.test"])
def test_a_domain_in_letters_of_its_own_is_the_same_in_ascii(server, client, recipient):
    with server.workspace("empty") as workspace:
        listen_for(workspace, "in.bücher.test")

        client.send_message(a_mail(), to_addrs=[recipient])

        assert arrived(workspace) == [("bob@example.test", recipient)]


def test_a_mail_to_another_domain_is_the_default_workspace_s(server, mail_workspace, client):
    server.reset()

    client.send_message(a_mail(), to_addrs=["who@elsewhere.test"])

    assert (arrived(server.default), arrived(mail_workspace)) == ([("bob@example.test", "who@elsewhere.test")], [])


def test_of_several_workspaces_with_the_domain_the_one_used_last_has_the_mail(server, mail_workspace, client):
    with server.workspace("empty") as other:
        listen_for(other)
        arrived(mail_workspace)

        client.send_message(a_mail())

        assert (len(arrived(mail_workspace)), len(arrived(other))) == (1, 0)


def test_the_domain_of_a_sub_account_leads_to_that_account(server, client):
    accounts = [{"name": "group", "role": "master"}, {"name": "eu", "role": "sub_account", "of": "group"}]
    with server.workspace({"accounts": accounts}) as workspace:
        workspace.seed({"webhooks": [{"type": "inbound", "domain": "in.acme.test", "url": HOOK}]}, account="eu")

        client.send_message(a_mail())

        key = {"api-key": workspace.key("eu")}
        found = requests.get(f"{workspace.url}/inbound/events", headers=key, timeout=10).json()
        assert (len(found["events"]), arrived(workspace)) == (1, [])


def test_each_smtp_recipient_gets_a_separate_event(mail_workspace, client):
    client.send_message(a_mail(), to_addrs=["one@in.acme.test", "two@in.acme.test"])

    assert [recipient for _, recipient in arrived(mail_workspace)] == ["two@in.acme.test", "one@in.acme.test"]


def test_a_mail_of_nobody_comes_from_the_mailer(mail_workspace, client):
    client.send_message(a_mail(), from_addr="<>")

    assert arrived(mail_workspace) == [("mailer-daemon@in.acme.test", "reply@in.acme.test")]


def test_the_mailer_of_a_domain_with_a_long_name_is_that_of_the_registrable_domain(server, client):
    domain = f"{'.'.join('x' * 60 for _ in range(4))}.test"
    with server.workspace("empty") as workspace:
        listen_for(workspace, domain)

        client.send_message(a_mail(), from_addr="<>", to_addrs=[f"r@{domain}"])

        assert arrived(workspace) == [(f"mailer-daemon@{'x' * 60}.test", f"r@{domain}")]
        workspace.state.put(workspace.state.get())


def test_a_workspace_with_mails_of_all_kinds_can_be_written_and_read(mail_workspace, client):
    client.send_message(a_mail(), from_addr="<>")
    client.send_message(a_mail(), from_addr="jörg@bücher.test", to_addrs=['"a!b"@in.acme.test'])
    before = arrived(mail_workspace)

    mail_workspace.state.put(mail_workspace.state.get())

    assert arrived(mail_workspace) == before


# ---------------------------------------------------------------------- what is taken


def test_the_size_limit_is_announced(client):
    client.ehlo()

    assert client.esmtp_features["size"] == str(LARGEST)


def test_a_mail_that_says_that_it_is_too_large_is_refused(client):
    client.ehlo()

    assert client.mail("bob@example.test", [f"size={LARGEST + 1}"])[0] == 552


def test_a_mail_that_is_too_large_is_refused(mail_workspace, client):
    client.ehlo()
    client.mail("bob@example.test")
    client.rcpt("reply@in.acme.test")

    assert client.data(b"x" * 70 + b"\r\n" + (b"x" * 998 + b"\r\n") * (LARGEST // 1000 + 1))[0] == 552
    assert arrived(mail_workspace) == []


def test_recipients_beyond_the_limit_are_refused_individually(mail_workspace, client):
    recipients = [f"r{number}@in.acme.test" for number in range(MOST_RECIPIENTS + 1)]

    refused = client.send_message(a_mail(), to_addrs=recipients)

    assert [(recipient, code) for recipient, (code, _) in refused.items()] == [(recipients[-1], 452)]
    assert len(arrived(mail_workspace)) == MOST_RECIPIENTS


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"no header at all", b"Subject: \xff\xfe\r\nContent-Type: text/plain; charset=nonsense\r\n\r\n\xff\xfe",
        b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: multipart/mixed\r\n\r\n--x",
        b"Content-Transfer-Encoding: base64\r\n\r\n!!!", b"Subject: " + b"x" * 20_000 + b"\r\n\r\n" + b"y" * 50_000,
        bytes(range(1, 256)).replace(b"\r", b"").replace(b"\n", b""),
    ],
)  # fmt: skip
def test_whatever_the_bytes_are_a_mail_is_taken(mail_workspace, client, raw):
    client.sendmail("bob@example.test", ["reply@in.acme.test"], raw)

    assert len(arrived(mail_workspace)) == 1


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("MAIL FROM:<nobody>", 553), ("MAIL FROM:<bob@localhost\x00>", 553), ("MAIL FROM:<bob@localhost>", 553),
        ("MAIL", 501), ("NONSENSE", 500),
        ("RCPT TO:<early@in.acme.test>", 503), ("DATA", 503), ("MAIL FROM:<b@b.test> COLOUR=red", 555),
        ("VRFY " + "(" * 400, 502), ("AUTH PLAIN AAAA", 538),
    ],
)  # fmt: skip
def test_a_bad_command_is_refused(client, command, code):
    client.ehlo()

    assert client.docmd(command)[0] == code


@pytest.mark.parametrize("recipient", ["nobody", "reply@acme", "reply@localhost", "reply@[127.0.0.1]", "<>"])
def test_a_recipient_that_is_no_address_is_refused(client, recipient):
    client.ehlo()
    client.mail("bob@example.test")

    assert client.docmd(f"RCPT TO:<{recipient.strip('<>')}>")[0] == 553


# ---------------------------------------------------------------------- the listener


@pytest.fixture
def listen():
    """A listener of its own: what it is to do with mails, and its address."""
    with contextlib.ExitStack() as stack:

        def start(take):
            listener = Listener("127.0.0.1", 0, take)
            listener.start()
            stack.callback(listener.stop)
            return listener.address

        yield start


def test_a_mistake_of_the_mock_refuses_one_mail_for_now(listen, caplog):
    mails = []

    def take(raw, sender, recipients):
        mails.append(raw)
        if len(mails) == 1:
            raise ZeroDivisionError

    with connected(listen(take)) as client:
        with pytest.raises(smtplib.SMTPDataError) as caught:
            client.send_message(a_mail())
        client.send_message(a_mail())

    assert (caught.value.smtp_code, len(mails), "ZeroDivisionError" in caplog.text) == (451, 2, True)


def test_what_the_library_stumbles_over_is_not_understood(listen, monkeypatch, caplog):
    async def stumble(*_):
        raise IndexError

    monkeypatch.setattr(smtp_listener.SMTP, "smtp_VRFY", stumble)

    with connected(listen(print)) as client:
        assert client.docmd("VRFY x")[0] == 500
    assert "Traceback" not in caplog.text


def test_smtp_connections_beyond_the_limit_are_refused(listen, monkeypatch):
    monkeypatch.setattr(smtp_listener, "_CONNECTIONS", 1)
    address = listen(print)

    with connected(address), pytest.raises(smtplib.SMTPConnectError) as caught, connected(address):
        pass

    assert caught.value.smtp_code == 421


def test_health_tells_the_address_and_counts(listen, server, client):
    before = server.client.json("GET", "/_mock/health")["smtp_in"]

    client.send_message(a_mail())

    after = server.client.json("GET", "/_mock/health")["smtp_in"]
    assert after == {"address": server.smtp_in, "received": before["received"] + 1}


def test_smtp_address_is_none_without_listener():
    with MockServer("empty") as server:
        assert server.smtp_in is None


def test_a_stop_is_quick_though_somebody_is_connected(begun):
    server = MockServer("empty", smtp_in="127.0.0.1:0")
    address = server.smtp_in
    with socket.create_connection(host_and_port(address)) as idle:
        assert idle.recv(3) == b"220"
        start = time.monotonic()
        server.stop()
        assert time.monotonic() - start < 5
        idle.settimeout(10)
        with contextlib.suppress(ConnectionResetError):
            while idle.recv(1000):
                pass

    assert begun("smtp-in") == []
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(host_and_port(address))


def test_the_listener_takes_the_same_address_after_a_stop():
    with MockServer("empty", smtp_in="127.0.0.1:0") as server:
        address = server.smtp_in
    with MockServer("empty", smtp_in=address) as server, connected(server.smtp_in) as client:
        assert client.noop()[0] == 250


def test_an_address_that_is_taken_is_an_error_and_nothing_is_left_running(server, begun):
    with pytest.raises(OSError, match=f"cannot listen on {server.smtp_in}"):
        MockServer("empty", smtp_in=server.smtp_in)

    assert begun("smtp-in", "mockserver", "timer thread") == []


@pytest.mark.parametrize("address", ["", "127.0.0.1", ":25", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:70000", "a b:25"])
def test_invalid_smtp_listen_address_is_refused(address):
    with pytest.raises(ValueError, match="HOST:PORT"):
        MockServer("empty", smtp_in=address)


def test_serve_ends_where_the_address_is_taken(server):
    found = invoke(["serve", "--port", "0", "--smtp-in", server.smtp_in])

    assert (found.exit_code, f"cannot listen on {server.smtp_in}" in found.output) == (1, True)


@pytest.mark.parametrize("flags", [["--smtp-in", "nonsense"], ["--smtp-url", "http://mail.test"]])
def test_serve_is_misused_with_an_address_that_is_none(flags):
    assert invoke(["serve", "--port", "0", *flags]).exit_code == 2


def test_serve_prints_where_it_takes_mails_and_stops_though_somebody_is_connected():
    command = [sys.executable, "-m", "mockserver", "serve", "--port", "0", "--smtp-in", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        lines = [process.stdout.readline().strip() for _ in range(2)]
        with connected(lines[1].removeprefix("smtp://")) as client:
            assert client.noop()[0] == 250
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=2) in (0, -signal.SIGTERM)
            client.close()

    assert (lines[0][:7], lines[1][:7]) == ("http://", "smtp://")
