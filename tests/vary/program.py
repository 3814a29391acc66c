"""An ordinary program that bears everything legal, but for the one mistake that its argument names."""

from __future__ import annotations

import http.client
import json
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path

ROOT = os.environ["MOCKSERVER_URL"]
MISTAKE = sys.argv[1]
#: The statuses after which a request is made again.
REPEATED = {404, 429, 503, 504} - {{"late_row": 404, "rate_limited": 429, "lost_answer": 504}.get(MISTAKE)}


def call(method, path, body=None):
    """Return status and JSON of an answer."""
    data = None if body is None else json.dumps(body).encode()
    for _ in range(5):
        request = urllib.request.Request(f"{ROOT}/v3{path}", method=method, headers={"api-key": "any"}, data=data)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            text = error.read()
            if MISTAKE == "proxy_page":
                json.loads(text)
            if error.code not in REPEATED:
                return error.code, json.loads(text)
    raise SystemExit(f"{method} {path}: no good answer")


def expect(mistake, is_right):
    """End with 1 if a thing is otherwise than a program with this mistake expects."""
    if mistake == MISTAKE and not is_right:
        raise SystemExit(f"the program does not expect this: {mistake}")


def main():
    with Path(sys.argv[2]).open("a", encoding="utf-8") as runs:
        runs.write("run\n")
    status, account = call("GET", "/account")
    expect("rate_limited", status == 200)
    expect("absent_members", "address" in account)
    expect("member_order", next(iter(account)) == "organization_id")
    before = len(call("GET", "/senders")[1]["senders"])
    status, _ = call("POST", "/senders", {"name": "Shop", "email": "shop@acme.test"})
    expect("lost_answer", status == 201)
    found = [call("GET", "/senders")[1]["senders"] for _ in range(2)]
    expect("stale_read", len(found[0]) == before + 1)
    expect("unknown_members", found[1][0].keys() <= {"id", "name", "email", "active", "ips"})
    status, made = call("POST", "/senders/domains", {"name": "new.test"})
    if status == 200:
        expect("domain_id", isinstance(made["id"], int))
    records = call("GET", "/senders/domains/new.test")[1]["dns_records"]
    expect("dkim", records.get("dkim_record") is not None)
    status, refused = call("PUT", "/senders/domains/new.test/authenticate")
    expect("sentence_codes", status == 400 and refused["code"] == "DNS records not properly configured")
    webhook = {"url": "https://shop.test/hook", "events": ["delivered"], "type": "transactional"}
    for _ in range(2):
        status, made = call("POST", "/webhooks", webhook)
    expect("webhook_duplicates", status == 201)
    if MISTAKE == "small_chunks":
        read_at_once()
    if MISTAKE == "late_row":
        read_by_id()


def read_at_once():
    """Read an answer as if it came in one piece."""
    connection = http.client.HTTPConnection(ROOT.removeprefix("http://"), timeout=10)
    connection.request("GET", "/v3/account", headers={"api-key": "any"})
    response = connection.getresponse()
    json.loads(response.read1(65536))
    connection.close()


def read_by_id():
    status, _ = call("GET", "/senders/domains/new.test")
    if status == 404:
        raise SystemExit(1)


main()
