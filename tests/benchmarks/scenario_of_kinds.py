"""What the workspaces hold that requests of every kind are made to: as much to delete, to validate and to authenticate
as requests of a kind come between two resets.
"""

from benchmarks.connections import CONNECTIONS

#: How many requests of a kind come to one state. So many take some hundredths of a second.
NUMBER = CONNECTIONS * 3
#: The most bytes of a body, of which a longer one is refused.
BODY_LIMIT = 16_384
#: How many requests an account may make in an hour before its rate limit is used up (contract/rate-limits).
RATE_LIMIT = 100

_EACH = range(NUMBER)
_CLOCK = {"start": "2026-01-15T09:00:00Z", "frozen": True}
_DNS = {"brevo_code": "ok", "dkim_record": "ok", "dmarc_record": "ok"}
_WEBHOOK = {"url": "http://127.0.0.1:9/", "events": ["spam"]}
_UNVERIFIED = {"name": "Ops", "state": "awaiting_verification", "otp": 123456, "otp_expires_at": "PT15M"}
_IP = {"ip": "198.51.100.7", "domain": "mail.dedicated.test"}
_ACTIVITY = {"action": "login-success", "user_email": "owner@reader.test", "user_ip": "203.0.113.9"}


MESSAGE_ID = "<202601160900.2{:010}@smtp-relay.mailin.fr>"


#: The account to which most is done, beside what `corporate-v2` says of it.
_MASTER = {
    "name": "acme",
    "senders": [
        {"id": 1, "name": "News", "email": "news@acme.test"},
        *({**_UNVERIFIED, "id": 100 + index, "email": f"ops{index}@acme.test"} for index in _EACH),
    ],
    "domains": [{"name": f"new{index}.test", "state": "pending"} for index in _EACH],
    "webhooks": [{**_WEBHOOK, "id": 814200 + index} for index in _EACH],
    "scheduled_emails": [
        {"message_id": MESSAGE_ID.format(index), "to": "dan@example.test", "scheduled_at": "P1D"} for index in _EACH
    ],
    "attributes": {"normal": [f"ATTRIBUTE{index}" for index in _EACH]},
}
#: An account with ten of what is listed.
_READER = {
    "name": "reader",
    "id": 4000000,
    "api_keys": ["xkeysib-reader"],
    "enterprise": True,
    "activities": [{**_ACTIVITY, "date": f"-PT{hour}H"} for hour in range(1, 11)],
    "domains": [{"name": f"reader{index}.test", "state": "authenticated"} for index in range(10)],
    "webhooks": [{**_WEBHOOK, "id": 900 + index} for index in range(10)],
    "campaigns": [{"id": 11, "name": "January news"}],
    "generate": {"senders": 10, "inbound_events": 10},
}
#: An account with IPs of its own, of which new senders of the others need none.
_DEDICATED = {
    "name": "dedicated",
    "id": 4000001,
    "api_keys": ["xkeysib-dedicated"],
    "dedicated_ips": [{**_IP, "id": 3}],
    "senders": [{"id": 11, "name": "News", "email": "news@dedicated.test", "ips": [{**_IP, "weight": 100}]}],
}
_SUB_ACCOUNTS = [
    {
        "name": f"sub{index}",
        "id": 3000000 + index,
        "role": "sub_account",
        "of": "acme",
        "api_keys": [f"xkeysib-sub{index}"],
        "email": f"owner@sub{index}.test",
        "company_name": "Sub",
    }
    for index in _EACH
]
#: The default workspace.
SCENARIO = {
    "extends": "corporate-v2",
    "clock": _CLOCK,
    "behaviour": {"webhook_limit": 10_000},
    "dns": {f"new{index}.test": _DNS for index in _EACH},
    "accounts": [_MASTER, _READER, _DEDICATED],
}
#: Workspaces beside it, by name: one has many sub-accounts, which would make the sweeps of all accounts dearer in the
#: default one; one enforces rate limits; and in one all requests meet a fault.
OTHERS = {
    "group": {
        "extends": "corporate-v2",
        "clock": _CLOCK,
        "accounts": [{"name": "acme", "api_keys": ["xkeysib-group"]}, *_SUB_ACCOUNTS],
    },
    "limited": {
        "extends": "empty",
        "clock": _CLOCK,
        "behaviour": {"rate_limit": {"enforce": True}},
        "accounts": [{"name": "acme", "api_keys": ["xkeysib-limited"]}],
    },
    "faulty": {
        "extends": "empty",
        "clock": _CLOCK,
        "faults": [{"fault": "server_error"}],
        "accounts": [{"name": "acme", "api_keys": ["xkeysib-faulty"]}],
    },
}
