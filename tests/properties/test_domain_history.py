"""Whatever happens to domains and to DNS, in whatever order, the API shows what a small model of them says.

The model knows no events: the state of a domain follows from what DNS says and from whether it was authenticated.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

START = datetime(2026, 1, 15, 9, tzinfo=UTC)
RECORDS = ("brevo_code", "dkim_record", "dmarc_record")
#: Two accounts share one DNS.
KEYS = ("key-a", "key-b")
NAMES = st.sampled_from(["acme.test", "acme.test", "Acme.TEST", "news.acme.test", "bücher.test", "xn--bcher-kva.test"])
ANSWERS = st.sampled_from(["ok", "missing", "wrong", "timeout"])
ACCOUNTS = st.sampled_from(KEYS)


def spelled(name):
    """The one form of a name."""
    return name.lower().replace("bücher", "xn--bcher-kva")


#: Which events a hand can fire in which state; the same table as in the documentation.
ALLOWED = {
    "pending": ["verify_ownership", "dns_published", "delete"],
    "verified": ["dns_published", "authenticate", "dns_broken", "delete"],
    "authenticated": ["authenticate", "dns_broken", "delete"],
}


def scenario(**behaviour):
    return {
        "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
        "behaviour": behaviour,
        "accounts": [{"name": key, "api_keys": [key]} for key in KEYS],
    }


@dataclass
class Domain:
    authenticated: bool = False
    #: Since when all records have been right.
    published: datetime | None = None
    attempts: int = 0


class DomainHistory(RuleBasedStateMachine):
    #: How long the records must have been right, and how often one must have asked.
    after = timedelta()
    attempts = 1

    def __init__(self, api):
        super().__init__()
        self.api = api
        self.dns: dict[str, dict[str, str]] = {}
        self.domains: dict[str, dict[str, Domain]] = {key: {} for key in KEYS}
        self.now = START

    @initialize()
    def begin(self):
        assert self.api.post("/_mock/reset").status_code == 200
        self.create("key-a", "acme.test")

    # ------------------------------------------------------------------ the model

    def view(self, name):
        return self.dns.get(name, dict.fromkeys(RECORDS, "missing"))

    def state(self, name, domain):
        if domain.authenticated:
            return "authenticated"
        return "verified" if self.view(name)["brevo_code"] == "ok" else "pending"

    def named(self, name):
        return [row[name] for row in self.domains.values() if name in row]

    def dns_says(self, name, **answers):
        before = {id(row): self.state(name, row) for row in self.named(name)}
        self.dns[name] = {**self.view(name), **answers}
        for domain in self.named(name):
            self.follow(name, domain, before[id(domain)])

    def follow(self, name, domain, before):
        """What DNS says has changed, and the domain's state with it."""
        view = self.view(name)
        domain.authenticated = domain.authenticated and view == dict.fromkeys(RECORDS, "ok")
        if view != dict.fromkeys(RECORDS, "ok"):
            domain.published = None
        elif domain.published is None and not domain.authenticated:
            domain.published = self.now
        states = ["pending", "verified", "authenticated"]
        if states.index(self.state(name, domain)) < states.index(before):
            domain.attempts = 0

    def remove(self, key, name):
        del self.domains[key][name]
        if not self.named(name):
            self.dns.pop(name, None)

    def refuses(self, answer, status, code):
        assert (answer.status_code, answer.json["code"]) == (status, code)
        assert answer.json["message"]

    # ------------------------------------------------------------------ what can happen

    @rule(key=ACCOUNTS, name=NAMES)
    def create(self, key, name):
        answer = self.api.post("/v3/senders/domains", key=key, json={"name": name})
        if spelled(name) in self.domains[key]:
            self.refuses(answer, 400, "Domain already exists in your account")
            return
        assert answer.status_code == 200
        assert answer.json["domain_name"] == spelled(name)
        domain = self.domains[key][spelled(name)] = Domain()
        self.follow(spelled(name), domain, "pending")

    @rule(name=NAMES, answers=st.dictionaries(st.sampled_from(RECORDS), ANSWERS, min_size=1))
    def dns_changes(self, name, answers):
        answer = self.api.put(f"/_mock/dns/{name}", json=answers)
        self.dns_says(spelled(name), **answers)
        view = {"domain": spelled(name), **self.view(spelled(name)), "dmarc_policy": "none"}
        assert (answer.status_code, answer.json) == (200, view)

    @rule(name=NAMES)
    def dns_is_published(self, name):
        assert self.api.put(f"/_mock/dns/{name}", json=dict.fromkeys(RECORDS, "ok")).status_code == 200
        self.dns_says(spelled(name), **dict.fromkeys(RECORDS, "ok"))

    @rule(key=ACCOUNTS, name=NAMES, times=st.integers(1, 3))
    def authenticate(self, key, name, times):
        for _ in range(times):
            self.authenticate_once(key, name)

    def authenticate_once(self, key, name):
        answer = self.api.put(f"/v3/senders/domains/{name}/authenticate", key=key)
        domain = self.domains[key].get(spelled(name))
        if domain is None:
            self.refuses(answer, 404, "document_not_found")
            return
        wrong = [record for record, said in self.view(spelled(name)).items() if said != "ok"]
        if wrong:
            self.refuses(answer, 400, "DNS records not properly configured")
            reason = self.api.get("/_mock/requests?limit=1").json["items"][0]["reason"]
            assert all(record in reason for record in wrong)
            return
        if not domain.authenticated:
            domain.attempts += 1
            if domain.attempts < self.attempts or self.now < domain.published + self.after:
                self.refuses(answer, 400, "DNS records not properly configured")
                return
        domain.authenticated = True
        assert (answer.status_code, answer.json["domain_name"]) == (200, spelled(name))

    @rule(key=ACCOUNTS, name=NAMES)
    def delete(self, key, name):
        answer = self.api.delete(f"/v3/senders/domains/{name}", key=key)
        if spelled(name) not in self.domains[key]:
            self.refuses(answer, 404, "document_not_found")
            return
        assert answer.status_code == 200
        self.remove(key, spelled(name))

    @rule(name=NAMES, event=st.sampled_from(sorted({event for events in ALLOWED.values() for event in events})))
    def fire_by_hand(self, name, event):
        """The event happens to the first account that has the domain, and to DNS as far as it says something of it."""
        answer = self.api.post(f"/_mock/machines/domain/{name}/{event}")
        name = spelled(name)
        key = next((key for key in KEYS if name in self.domains[key]), None)
        if key is None:
            assert answer.status_code == 404
            return
        domain = self.domains[key][name]
        state = self.state(name, domain)
        if event not in ALLOWED[state]:
            assert (answer.status_code, answer.json["allowed"]) == (409, ALLOWED[state])
            return
        assert answer.status_code == 200
        if event == "delete":
            self.remove(key, name)
        elif event == "verify_ownership":
            self.dns_says(name, brevo_code="ok")
        elif event == "dns_broken":
            self.dns_says(name, **{"dkim_record" if domain.authenticated else "brevo_code": "missing"})
        else:
            self.dns_says(name, **dict.fromkeys(RECORDS, "ok"))
            domain.authenticated = domain.authenticated or event == "authenticate"

    @rule(minutes=st.sampled_from([1, 30, 60]))
    def advance(self, minutes):
        self.now += timedelta(minutes=minutes)
        assert self.api.advance(f"PT{minutes}M")["fired"] == []

    # ------------------------------------------------------------------ what always holds

    @invariant()
    def the_lists_are_the_model(self):
        for key in KEYS:
            answer = self.api.get("/v3/senders/domains", key=key).json
            assert answer["count"] == len(self.domains[key])
            assert [(row["domain_name"], row["authenticated"], row["verified"]) for row in answer["domains"]] == [
                (name, domain.authenticated, self.view(name)["brevo_code"] == "ok")
                for name, domain in self.domains[key].items()
            ]

    @invariant()
    def the_configurations_are_the_model(self):
        for key, name in [(owner, name) for owner in KEYS for name in self.domains[owner]]:
            found = self.api.get(f"/v3/senders/domains/{name}", key=key).json
            assert found["authenticated"] == self.domains[key][name].authenticated
            assert {record: found["dns_records"][record]["status"] for record in RECORDS} == {
                record: said == "ok" for record, said in self.view(name).items()
            }

    @invariant()
    def the_machine_is_the_model(self):
        shown = self.api.get("/_mock/machines/domain").json["items"]
        assert [(row["account"], row["key"], row["state"], row["allowed"]) for row in shown] == [
            (key, name, self.state(name, domain), ALLOWED[self.state(name, domain)])
            for key in KEYS
            for name, domain in self.domains[key].items()
        ]


class AfterAnHour(DomainHistory):
    after = timedelta(hours=1)


class AtTheThirdTry(DomainHistory):
    attempts = 3


@pytest.mark.parametrize(
    ("machine", "behaviour"),
    [
        pytest.param(DomainHistory, "immediate", id="immediate"),
        pytest.param(AfterAnHour, {"after": "PT1H"}, id="after"),
        pytest.param(AtTheThirdTry, {"attempts": 3}, id="attempts"),
    ],
)
@pytest.mark.hypothesis
def test_domains_follow_the_model(make_api, run_history, machine, behaviour):
    run_history(machine, make_api(scenario(authenticate_domain=behaviour)), most=60, steps=25)


# ---------------------------------------------------------------------- what the histories seldom meet


def test_tries_count_anew_after_the_records_have_broken(make_api):
    api = make_api(scenario(authenticate_domain={"attempts": 2}), key="key-a")
    api.post("/v3/senders/domains", json={"name": "acme.test"})
    statuses = []
    for _ in range(2):
        api.put("/_mock/dns/acme.test", json=dict.fromkeys(RECORDS, "ok"))
        statuses += [api.put("/v3/senders/domains/acme.test/authenticate").status_code for _ in range(2)]
        api.put("/_mock/dns/acme.test", json={"dkim_record": "missing"})
    assert statuses == [400, 200, 400, 200]
