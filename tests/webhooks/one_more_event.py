"""A program: adds a row to the table of events, and writes as JSON what a server does with the event.

It is one of its own, as the row has to be there before anything is made of the table.
"""

import json
import sys
from importlib.machinery import PathFinder, SourceFileLoader

TABLE = "mockserver.resources.webhooks.event_table"


class OneMoreRow(SourceFileLoader):
    """Loads the table as if its file had one more row."""

    def exec_module(self, module):
        super().exec_module(module)
        module.RAISED += (forwarded(),)

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != TABLE:
            return None
        spec = PathFinder.find_spec(name, path, target)
        spec.loader = cls(name, spec.origin)
        return spec


def forwarded():
    from mockserver.resources.webhooks import event  # noqa: PLC0415  # imports that come after the loader

    return event.RaisedEvent(
        names=("forwarded",),
        categories=(event.TRANSACTIONAL_EMAIL,),
        when=event.When.ALWAYS,
        sent_as=event.PayloadName("is_forwarded", is_contested=True),
        sent_to=(),
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
    sys.meta_path.insert(0, OneMoreRow)
    from mockserver import Settings, create_app  # noqa: PLC0415  # as above

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
    """The file of an export of the event."""
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
