"""A program: adds a row to the table of events, and writes as JSON what a server does with the event.

It is one of its own, as the row has to be there before anything is made of the table.
"""

import json
import sys

from mockserver.resources.webhooks import event, event_table


def forwarded():
    return event.RaisedEvent(
        names=("forwarded",),
        categories=(event.TRANSACTIONAL_EMAIL,),
        when=event.When.ALWAYS,
        sent_as=event.PayloadName("is_forwarded", ("fwd",)),
        sent_to=(),
        reported="forwarded",
        exported=event.Exported("forwarded", 18),
        members=event.email,
        adds=lambda what: {"by": what.to},
        scenes={"delivered_forwarded": 60},
    )


SCENARIO = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "behaviour": {"webhook_names": {"is_forwarded": "fwd"}},
    "accounts": [{"name": "acme", "api_keys": ["acme"], "enterprise": True}],
}
NOWHERE = "http://127.0.0.1:9/"


def client():
    """A client of a server whose table has one more row."""
    event_table.RAISED += (forwarded(),)
    from mockserver import Settings, create_app  # noqa: PLC0415  # made of the table

    return create_app(Settings(scenario="empty")).test_client()


def outcome(send):
    """What a server does with the event: in subscriptions, triggers, payloads, stories, exports, documents."""
    send("POST", "/_mock/reset", {"scenario": SCENARIO})
    made = send("POST", "/v3/webhooks", {"url": NOWHERE, "events": ["forwarded"]})
    hook = f"/v3/webhooks/{made.json['id']}"
    found = {
        "created": made.status_code,
        "updated": send("PUT", hook, {"events": ["delivered", "forwarded"]}).status_code,
        "read": send("GET", hook).json["events"],
        "triggered": send("POST", "/_mock/trigger", {"event": "forwarded", "to": "bob@example.test"}).json["items"],
        "story": send("POST", "/_mock/trigger", {"story": "delivered_forwarded"}).json["items"],
        "state": send("GET", "/_mock/state").json,
    }
    send("POST", "/_mock/clock/advance", {"by": "PT12H"})
    return {**found, "exported": exported(send), "document": send("GET", "/_mock/openapi.json").json}


def exported(send):
    asked = {"type": "transactional", "event": "forwarded", "notifyURL": NOWHERE}
    process = send("POST", "/v3/webhooks/export", asked).json["processId"]
    send("POST", "/_mock/clock/advance", {"by": "PT1H"})
    url = send("GET", f"/_mock/machines/export/{process}").json["url"]
    return send("GET", url[url.index("/_mock") :]).get_data(as_text=True)


if __name__ == "__main__":
    server = client()

    def send(method, path, body=None):
        return server.open(path, method=method, json=body, headers={"api-key": "acme"})

    json.dump(outcome(send), sys.stdout)
