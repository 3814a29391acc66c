"""What this product asks of the service, with urllib3 1.26."""

import json

import urllib3

_POOL = urllib3.PoolManager()


class BrevoError(Exception):
    """The service has refused a call."""


class Brevo:
    def __init__(self, url, api_key):
        self._url = url
        self._headers = {"api-key": api_key, "Content-Type": "application/json"}

    def add_sender(self, name, email):
        return self._call("POST", "/senders", {"name": name, "email": email})["id"]

    def confirm_sender(self, number, code):
        self._call("PUT", f"/senders/{number}/validate", {"otp": code})

    def is_active(self, number):
        return {row["id"]: row["active"] for row in self._call("GET", "/senders")["senders"]}[number]

    def add_webhook(self, url):
        body = {"url": url, "events": ["delivered"], "type": "transactional", "description": "what became of it"}
        return self._call("POST", "/webhooks", body)["id"]

    def _call(self, method, path, body=None):
        content = None if body is None else json.dumps(body).encode()
        answer = _POOL.request(method, f"{self._url}{path}", body=content, headers=self._headers)
        found = json.loads(answer.data) if answer.data else None
        if answer.status >= 400:
            raise BrevoError(found["code"])
        return found
