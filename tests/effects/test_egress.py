"""Where calls may go: by address, by whatever a name leads to, and for everything that leaves."""

import errno
import os
import socket
import threading
import time
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tables import tables

from mockserver.core.effects import CallOutcome, OutgoingRequest
from mockserver.effects import egress as names_module
from mockserver.effects.deadline import Deadline
from mockserver.effects.egress import Egress, EgressRefusedError, allowed, connect, is_allowed
from mockserver.effects.http import call

#: The tables of the tests by name.
CASES = tables(__file__)
LOOPBACK = ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1"]
PRIVATE = [
    "10.0.0.0", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255", "fc00::1",
    "fd12:3456::1", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "::ffff:10.0.0.1", "::ffff:192.168.1.1",
]  # fmt: skip
ELSEWHERE = [
    "0.0.0.0", "9.255.255.255", "11.0.0.0", "100.64.0.1", "126.255.255.255", "128.0.0.0", "169.254.169.254",
    "172.15.255.255", "172.32.0.0", "192.0.2.1", "192.167.255.255", "192.169.0.0", "224.0.0.1", "239.255.255.255",
    "255.255.255.255", "8.8.8.8", "::", "::2", "fe80::1", "fe80::1%eth0", "febf::1", "fec0::1", "fbff::1", "fe00::1",
    "ff02::1", "2001:db8::1", "2606:4700::1111", "::ffff:8.8.8.8", "::ffff:169.254.169.254", "::ffff:0.0.0.0",
    # An IPv4 address within, in forms that are no mapped ones: compatible, translated, NAT64, 6to4, Teredo.
    "::127.0.0.1", "::10.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::10.0.0.1",
    "2002:7f00:1::", "2002:a00:1::1", "2001:0:7f00:1::",
]  # fmt: skip


def _levels(addresses, *levels):
    return [pytest.param(address, level, id=f"{address} {level}") for address in addresses for level in levels]


@pytest.mark.parametrize(
    ("address", "egress"),
    _levels(LOOPBACK, *Egress) + _levels(PRIVATE, Egress.PRIVATE, Egress.ANY) + _levels(ELSEWHERE, Egress.ANY),
)
def test_an_address_within_bounds_is_allowed(address, egress):
    assert is_allowed(address, egress)


@pytest.mark.parametrize(
    ("address", "egress"), _levels(PRIVATE, Egress.LOOPBACK) + _levels(ELSEWHERE, Egress.LOOPBACK, Egress.PRIVATE)
)
def test_an_address_out_of_bounds_is_refused(address, egress):
    assert not is_allowed(address, egress)


def _within(number, start, end):
    return int(IPv4Address(start)) <= number <= int(IPv4Address(end))


def _is_loopback(number):
    return _within(number, "127.0.0.0", "127.255.255.255")


def _is_private(number):
    return (
        _is_loopback(number)
        or _within(number, "10.0.0.0", "10.255.255.255")
        or _within(number, "172.16.0.0", "172.31.255.255")
        or _within(number, "192.168.0.0", "192.168.255.255")
    )


@given(st.integers(0, 2**32 - 1))
@example(int(IPv4Address("172.31.255.255")))
@example(int(IPv4Address("172.32.0.0")))
def test_any_ipv4_address_is_allowed_by_its_number(number):
    address = str(IPv4Address(number))
    assert is_allowed(address, Egress.LOOPBACK) == _is_loopback(number)
    assert is_allowed(address, Egress.PRIVATE) == _is_private(number)


_IPV6 = st.integers(0, 2**128 - 1) | st.builds(
    lambda prefix, rest: prefix | rest,
    st.sampled_from([0, 0xFFFF << 32, 0xFC << 120, 0xFD << 120, 0xFE80 << 112, 0x64FF9B << 96, 0x2002 << 112]),
    st.integers(0, 2**32 - 1),
)


@given(_IPV6)
@example(1)
def test_any_ipv6_address_is_allowed_by_its_number(number):
    address = str(IPv6Address(number))
    is_mapped, low = number >> 32 == 0xFFFF, number & 0xFFFFFFFF
    unique_local = number >> 121 == 0xFC >> 1
    assert is_allowed(address, Egress.LOOPBACK) == (number == 1 or (is_mapped and _is_loopback(low)))
    assert is_allowed(address, Egress.PRIVATE) == (number == 1 or unique_local or (is_mapped and _is_private(low)))


# ---------------------------------------------------------------------- names


def _call(url, egress=Egress.PRIVATE, seconds=5.0):
    return call(OutgoingRequest(url, [], b"{}", seconds), egress)


@pytest.mark.parametrize("host", CASES["a_host_out_of_bounds"])
def test_a_host_that_is_an_address_out_of_bounds_is_refused(host, monkeypatch):
    monkeypatch.setattr(socket, "create_connection", lambda *_: pytest.fail("it was called"))
    outcome = _call(f"http://{host}/hook")
    assert outcome.error.startswith("egress refused: ")
    assert (outcome.status, outcome.hopeless) == (None, True)


@pytest.mark.parametrize("host", ["127.1", "0x7f000001", "2130706433", "0177.0.0.1", "\uff11\uff12\uff17.0.0.1"])
def test_a_loopback_address_in_another_form_is_called(listen, host):
    receiver = listen()
    assert _call(receiver.url(host=host), Egress.LOOPBACK).status == 200


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "user:word@localhost"])
def test_the_system_is_asked_where_a_name_leads(listen, host):
    receiver = listen()
    assert _call(receiver.url(host=host), Egress.LOOPBACK).status == 200


@pytest.mark.parametrize(
    "host", ["evil.test", "evil.test.", "EVIL.test", "127.0.0.1@evil.test", "evil.test#@127.0.0.1"]
)
def test_a_name_that_leads_out_of_bounds_is_refused_with_the_address(names, host):
    names |= {"evil.test": ["93.184.216.34"], "evil.test.": ["93.184.216.34"]}
    dot = "." if "test." in host else ""
    told = f"egress refused: evil.test{dot} at 93.184.216.34 is not a loopback or private address (--egress private)"
    assert _call(f"http://{host}/").error == told


@pytest.mark.parametrize("address", ["169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "0.0.0.0", "::"])
def test_a_name_is_judged_by_what_it_leads_to(names, address):
    names["metadata.test"] = [address]
    assert _call("http://metadata.test/").error.startswith(f"egress refused: metadata.test at {address} is not")


def test_a_name_of_another_script_is_judged_by_what_it_leads_to(names):
    names["xn--bcher-kva.test"] = ["93.184.216.34"]
    assert _call("http://bücher.test/").error.startswith("egress refused: xn--bcher-kva.test at ")


@pytest.mark.parametrize("addresses", [["127.0.0.1", "93.184.216.34"], ["93.184.216.34", "127.0.0.1"]])
def test_one_address_out_of_bounds_bars_the_others(names, listen, addresses):
    receiver = listen()
    names["mixed.test"] = addresses
    assert _call(receiver.url(host="mixed.test")).error.startswith("egress refused: mixed.test at 93.184.216.34")
    assert receiver.calls == []


def test_a_private_address_is_out_of_the_bounds_of_loopback(names):
    names["team.test"] = ["10.1.2.3"]
    told = "egress refused: team.test at 10.1.2.3 is not a loopback address (--egress loopback)"
    assert _call("http://team.test/", Egress.LOOPBACK).error == told


def test_egress_any_allows_every_address(names):
    names["far.test"] = ["93.184.216.34", "fe80::1"]
    assert allowed("far.test", Egress.ANY, Deadline(5)) == ("93.184.216.34", "fe80::1")


def test_a_scope_stays_with_its_address(monkeypatch):
    row = (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("fe80::1", 0, 0, 4))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [row])
    assert allowed("near.test", Egress.ANY, Deadline(5)) == ("fe80::1%4",)


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch, listen):
    """A name that leads elsewhere when it is asked a second time gains nothing."""
    receiver, asked, real = listen(), [], socket.getaddrinfo

    def rebinding(host, *args, **options):
        if host != "rebind.test":
            return real(host, *args, **options)
        asked.append(host)
        address = "127.0.0.1" if len(asked) == 1 else "93.184.216.34"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0))]

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    assert _call(receiver.url(host="rebind.test")).status == 200
    assert asked == ["rebind.test"]
    assert _call(receiver.url(host="rebind.test")).error.startswith("egress refused: ")


def test_the_next_address_is_called_when_one_does_not_answer(names, listen):
    receiver = listen()
    names["two.test"] = ["127.0.0.2", "127.0.0.1"]
    assert _call(receiver.url(host="two.test")).status == 200


def test_an_address_that_is_silent_leaves_time_for_the_next(names, monkeypatch):
    names["two.test"] = ["10.0.0.1", "10.0.0.2"]
    waits = []

    def create_connection(address, seconds):
        waits.append((address[0], round(seconds)))
        raise TimeoutError

    monkeypatch.setattr(socket, "create_connection", create_connection)
    with pytest.raises(TimeoutError):
        connect("two.test", 80, Egress.PRIVATE, Deadline(60))
    assert waits == [("10.0.0.1", 30), ("10.0.0.2", 60)]


# ---------------------------------------------------------------------- look-ups that take long


@pytest.fixture
def slow_names(monkeypatch):
    """A resolver that answers only when it is let; gives what it was asked for, and the event that lets it."""
    asked, go = [], threading.Event()

    def getaddrinfo(host, *_, **__):
        asked.append(host)
        go.wait(10)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", 0))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    yield asked, go
    go.set()
    for thread in threading.enumerate():
        if thread.name == "look-up":
            thread.join(10)


def test_a_look_up_takes_no_longer_than_the_call_may(slow_names):
    start = time.monotonic()
    outcome = _call("http://slow.test/", seconds=0.1)
    assert outcome == CallOutcome(error="DNS look-up of slow.test timed out")
    assert time.monotonic() - start < 5  # and not the ten of the look-up


def test_requests_for_the_same_name_share_one_look_up(slow_names):
    asked, go = slow_names
    for _ in range(3):
        _call("http://slow.test/", seconds=0.02)
    assert asked == ["slow.test"]
    go.set()
    assert _call("http://slow.test/").error.startswith("egress refused: ")


def test_a_slow_resolver_does_not_delay_literal_addresses(slow_names, monkeypatch, listen):
    receiver = listen()
    monkeypatch.setattr(socket, "create_connection", _connection_to(receiver))
    _call("http://slow.test/", seconds=0.02)
    assert _call(receiver.url(), seconds=5).status == 200


def _connection_to(receiver):
    def create_connection(address, seconds):
        found = socket.socket()
        found.settimeout(seconds)
        found.connect(("127.0.0.1", receiver.port))
        return found

    return create_connection


def test_look_ups_are_bounded(slow_names, monkeypatch):
    monkeypatch.setattr(names_module, "_AT_ONCE", 2)
    for host in ("one.test", "two.test"):
        _call(f"http://{host}/", seconds=0.02)
    assert _call("http://three.test/").error == "DNS look-up of three.test failed: too many look-ups are under way"


def test_a_look_up_that_failed_is_made_anew(names):
    assert _call("http://new.test/").error == "Name or service not known"
    names["new.test"] = ["93.184.216.34"]
    assert _call("http://new.test/").error.startswith("egress refused: ")


def test_a_refusal_is_an_error_of_the_system(names):
    names["evil.test"] = ["8.8.8.8"]
    with pytest.raises(EgressRefusedError) as raised:
        connect("evil.test", 25, Egress.PRIVATE, Deadline(5))
    assert isinstance(raised.value, OSError)


# ---------------------------------------------------------------------- through the mock


def _workspace(url, **members):
    webhook = {"id": 1, "url": url, "events": ["delivered"]}
    return {"clock": {"frozen": True}, "webhooks": [webhook], **members}


def _delivery(api):
    api.advance("PT0S")
    (row,) = api.get("/_mock/deliveries").json["items"]
    return row


@pytest.mark.parametrize(
    ("url", "settings", "told"),
    [
        ("http://169.254.169.254/latest/meta-data", {}, "169.254.169.254 is not a loopback or private address"),
        ("https://[fe80::1]/", {}, "fe80::1 is not a loopback or private address"),
        ("http://user:word@8.8.8.8:8080/x", {}, "8.8.8.8 is not a loopback or private address"),
        ("http://10.0.0.1/hook", {"egress": "loopback"}, "10.0.0.1 is not a loopback address"),
    ],
)
def test_a_webhook_out_of_bounds_is_a_delivery_with_that_reason(make_api, url, settings, told):
    """It is dropped: trying again would come to the same (proposed)."""
    api = make_api(_workspace(url), **settings)
    assert api.post("/_mock/trigger", json={"event": "delivered"}).status_code == 200
    row = _delivery(api)
    assert row["state"] == "dropped"
    (attempt,) = row["attempts"]
    assert attempt["error"].startswith(f"egress refused: {told}")
    assert "status" not in attempt
    assert row["next_at"] is None
    api.advance("P2D")
    assert len(_delivery(api)["attempts"]) == 1


def test_the_name_of_a_webhook_is_judged_when_it_is_called(make_api, names):
    api = make_api(_workspace("http://hook.test/"))
    names["hook.test"] = ["93.184.216.34"]
    api.post("/_mock/trigger", json={"event": "delivered"})
    (attempt,) = _delivery(api)["attempts"]
    assert attempt["error"].startswith("egress refused: hook.test at 93.184.216.34 is not")


def test_a_redelivery_is_judged_anew(make_api, names, listen):
    receiver = listen()
    api = make_api(_workspace(receiver.url(host="hook.test")))
    names["hook.test"] = ["93.184.216.34"]
    api.post("/_mock/trigger", json={"event": "delivered"})
    row = _delivery(api)
    names["hook.test"] = ["127.0.0.1"]
    assert api.post(f"/_mock/deliveries/{row['id']}/redeliver").json["state"] == "delivered"


def test_what_notifies_of_an_export_is_judged_as_well(make_api):
    owner = {"name": "main", "enterprise": True}
    api = make_api({"clock": {"frozen": True}, "accounts": [owner]})
    given = {"type": "transactional", "event": "allEvents", "notifyURL": "http://169.254.169.254/", "days": 1}
    assert api.post("/v3/webhooks/export", json=given).status_code == 202
    api.advance("P1D")
    row = _delivery(api)
    assert (row["state"], row["export"] is not None) == ("dropped", True)
    assert row["attempts"][0]["error"].startswith("egress refused: 169.254.169.254 is not")


def test_a_redirect_out_of_bounds_is_not_followed(make_api, listen, names):
    """It is an answer that is no success, and dropped like a 4xx (proposed)."""
    receiver = listen(b"HTTP/1.1 307 Moved\r\nLocation: http://evil.test/\r\nContent-Length: 0\r\n\r\n")
    api = make_api(_workspace(receiver.url()))
    api.post("/_mock/trigger", json={"event": "delivered"})
    row = _delivery(api)
    assert (row["state"], [attempt["status"] for attempt in row["attempts"]]) == ("dropped", [307])


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])
def test_proxies_of_the_environment_are_not_asked(monkeypatch, listen, name):
    receiver, proxy = listen(), listen()
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.setenv(name, f"http://{proxy.address}")
    assert _call(receiver.url()).status == 200
    assert proxy.calls == []


# ---------------------------------------------------------------------- from within a container

HINT = (
    "; the mock runs in a container, whose localhost is the container itself: use the name of the service, or "
    "host.docker.internal for the host"
)


def _refusing(monkeypatch, number):
    def refuse(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(socket, "create_connection", refuse)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"])
@pytest.mark.parametrize("number", [errno.ECONNREFUSED, errno.EADDRNOTAVAIL])
def test_a_call_to_localhost_has_a_hint_when_the_mock_runs_in_a_container(names, marks, monkeypatch, host, number):
    names["localhost"] = ["::1", "127.0.0.1"]
    marks.touch()
    _refusing(monkeypatch, number)

    assert _call(f"http://{host}:9/").error == os.strerror(number) + HINT


def test_a_call_to_localhost_has_a_hint_when_the_mock_runs_in_kubernetes(monkeypatch):
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    _refusing(monkeypatch, errno.ECONNREFUSED)

    assert _call("http://127.0.0.1:9/").error == f"Connection refused{HINT}"


@pytest.mark.parametrize(
    ("host", "number", "is_in_container"),
    [
        ("127.0.0.1", errno.ECONNREFUSED, False),
        ("10.1.2.3", errno.ECONNREFUSED, True),
        ("127.0.0.1", errno.ECONNRESET, True),
    ],
)
def test_a_call_that_fails_has_no_hint_when_it_would_not_help(marks, monkeypatch, host, number, is_in_container):
    if is_in_container:
        marks.touch()
    _refusing(monkeypatch, number)

    assert _call(f"http://{host}:9/").error == os.strerror(number)
