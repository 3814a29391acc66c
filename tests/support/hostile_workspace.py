"""A workspace in which all that users can write is hostile."""

from __future__ import annotations

from urllib.parse import quote


def fill(api, batch):
    """Write each of the values somewhere: in names, addresses, bodies, headers, paths, mails and scenarios."""
    scenario = {"extends": "standard", "description": batch[0]}
    api.post("/_mock/reset", json={"scenario": scenario})
    taken = set()
    for number, value in enumerate(batch):
        way = _WAYS[number % len(_WAYS)]
        if way(api, number, value).status_code < 300:
            taken.add(way)
    assert taken >= set(_WAYS) - _REFUSED


def _in_a_body(api, number, value):
    return api.post("/v3/senders", json={"name": value, "email": f"a{number}@acme.test", value: {value: [value]}})


def _in_a_path(api, number, value):
    return api.get(f"/v3/{quote(value, safe='/')}?{quote(value)}={quote(value)}")


def _in_a_header(api, number, value):
    headers = {"X-Evil": quote(value, safe=_SAFE).strip(), "User-Agent": quote(value, safe=_SAFE).strip()}
    return api.post("/v3/senders", data=value.encode(), headers=headers, content_type="text/html")


def _in_a_domain(api, number, value):
    return api.post("/v3/senders/domains", json={"name": value})


def _in_a_webhook(api, number, value):
    hook = {
        "url": f"http://127.0.0.1:9/{quote(value)}", "description": value, "events": ["delivered"],
        "headers": [{"key": "x-evil", "value": quote(value)}], "type": "transactional",
    }  # fmt: skip
    api.post("/v3/webhooks", json=hook)
    return api.post(
        "/_mock/trigger", json={"event": "delivered", "to": f"a{number}@acme.test", "payload": {value: value}}
    )


def _in_a_mail(api, number, value):
    sender = {"name": value[:70], "email": "news@acme.test"}
    to = [{"email": f"m{number}@acme.test", "name": value[:70]}]
    texts = {
        "subject": value, "htmlContent": value, "textContent": value, "tags": [value], "headers": {"x-evil": value},
    }  # fmt: skip
    return api.post("/v3/smtp/email", json={"sender": sender, "to": to, **texts})


def _in_a_received_mail(api, number, value):
    mail = {"sender": f"r{number}@x.test", "recipient": "a@in.acme.test", "subject": value, "text": value}
    return api.post("/_mock/inbound", json=mail)


def _in_a_fault(api, number, value):
    rule = {"fault": "server_error", "message": value, "match": {"path": f"/v3/{value}", "query": {value: value}}}
    return api.post("/_mock/faults", json=rule)


def _in_dns(api, number, value):
    return api.put(f"/_mock/dns/{quote(value, safe='')}", json={"dkim_record": "wrong"})


def _at_a_receiver(api, number, value):
    return api.post("/_mock/receiver/shop", data=value.encode(), headers={"X-Evil": quote(value, safe=_SAFE).strip()})


def _in_a_scenario(api, number, value):
    return api.post("/_mock/seed", json={"senders": [{"name": value, "email": f"s{number}@acme.test"}]})


_SAFE = " <>\"'=&;:/()"
_CONTROL = dict.fromkeys([*range(32), 127], " ")
_WAYS = (
    _in_a_body, _in_a_path, _in_a_header, _in_a_domain, _in_a_webhook, _in_a_mail, _in_a_received_mail, _in_a_fault,
    _in_dns, _at_a_receiver, _in_a_scenario,
)  # fmt: skip
#: Those that are refused, and stand in the journal only.
_REFUSED = {_in_a_path, _in_a_header, _in_a_domain, _in_dns}
