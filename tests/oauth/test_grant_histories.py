"""Whatever users, apps, hands and time do, in whatever order, what a grant gives follows from a small model of it.

The model knows no timers and no machine: what is over follows from the clock, what works from what was consented to.
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from examples import examples
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

START = datetime(2026, 1, 15, 9, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
OAUTH = "/realms/partner/oauth"
HOME = "https://app.test/callback"
VERIFIER = "v" * 43
#: Client ids with their secrets, and what they may ask for.
SECRETS = {"one": "s1", "two": "s2", "public": None}
HELD = {
    "one": ["account:read", "contacts:read", "openid"], "two": ["account:read"], "public": ["account:read", "openid"],
}  # fmt: skip
APPS = st.sampled_from(list(SECRETS))
#: Who comes with something; None: whose it is.
WHOSE = st.sampled_from([None, None, None, None, "two", "public"])
#: Which one of many, counted from the last; that is the most likely.
PICK = st.sampled_from([0, 0, 0, 0, 1, 1, 2, 3, 5])
#: Which events a hand can fire in which state; the same table as in the documentation.
ALLOWED = {
    "pending_consent": ["consent", "refuse", "expire", "revoke"], "code_issued": ["exchange", "expire", "revoke"],
    "active": ["refresh", "expire", "revoke"], "expired": [], "revoked": [],
}  # fmt: skip
STORY = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "behaviour": {"oauth_public_apps": True},
    "accounts": [{"name": "acme", "api_keys": ["any"], "users": [{"email": "ann@acme.test"}]}],
    "oauth_apps": [
        {
            "client_id": name,
            **({"client_secret": secret} if secret else {"public": True}),
            "redirect_uris": [HOME],
            "scopes": HELD[name],
        }
        for name, secret in SECRETS.items()
    ],
}


def scopes_of(app):
    """What an app asks for: some of what it may, and always what the API is called with."""
    more = [name for name in HELD[app] if name != "account:read"]
    return (
        st.lists(st.sampled_from(more), unique=True).map(lambda some: ["account:read", *some])
        if more
        else st.just(["account:read"])
    )


@dataclass
class Grant:
    app: str
    scopes: list
    ends: datetime
    state: str = "pending_consent"
    #: None: nobody was asked, as the app got it for itself.
    user: str | None = "ann@acme.test"
    consented: bool = False
    ticket: str | None = None
    code: str | None = None
    refresh_token: str | None = None
    refresh_ends: datetime | None = None
    spent: list = field(default_factory=list)
    #: Access tokens: their scopes, and till when they work.
    tokens: dict = field(default_factory=dict)

    def end(self, state):
        self.state = state
        self.ticket = self.refresh_token = self.refresh_ends = None
        self.spent, self.tokens = [], {}


class GrantHistory(RuleBasedStateMachine):
    rotates = True

    def __init__(self, api):
        super().__init__()
        self.api = api
        self.now = START
        self.grants: list[Grant] = []
        self.kept = None
        #: All that was ever given to anybody, the newest last.
        self.tickets: list[str] = []
        self.codes: list[str] = []
        self.refresh_tokens: list[str] = []
        self.tokens: list[str] = []

    @initialize()
    def begin(self):
        assert self.api.post("/_mock/reset").status_code == 200
        for app in ("public", "one", "two"):
            self.open(app)

    # ------------------------------------------------------------------ the model

    def of(self, name, value):
        return next((row for row in self.grants if value is not None and getattr(row, name) == value), None)

    def holding(self, refresh_token):
        return next((row for row in self.grants if refresh_token in (row.refresh_token, *row.spent)), None)

    def of_token(self, token):
        return next((row for row in self.grants if token in row.tokens), None)

    def time_passes(self):
        for row in self.grants:
            if ALLOWED[row.state] and row.ends <= self.now:
                row.end("expired")
            row.tokens = {name: (scopes, ends) for name, (scopes, ends) in row.tokens.items() if ends > self.now}

    def given(self, row, answer, scopes):
        told = answer.json
        assert (answer.status_code, told["expires_in"], told["scope"].split()) == (200, 3600, scopes)
        assert set(scopes) <= set(row.scopes) <= set(HELD[row.app])
        row.tokens[told["access_token"]] = (scopes, self.now + HOUR)
        row.ends = max(row.ends, self.now + HOUR)
        self.tokens.append(told["access_token"])

    def renewed(self, row, token):
        row.refresh_token, row.refresh_ends = token, self.now + 30 * DAY
        row.ends = row.refresh_ends
        self.refresh_tokens.append(token)

    def consented(self, row, code):
        row.state, row.code, row.ticket, row.consented = "code_issued", code, None, True
        row.ends = self.now + 10 * MINUTE
        self.codes.append(code)

    # ------------------------------------------------------------------ how it is asked

    def post(self, address, app, **form):
        form = {"client_id": app, "client_secret": SECRETS[app], **form}
        sent = {name: value for name, value in form.items() if value is not None}
        return self.api.client.post(f"{OAUTH}/{address}", data=sent)

    @staticmethod
    def picked(items, pick):
        return items[-1 - pick % len(items)] if items else "nothing"

    @staticmethod
    def refused(answer, error="invalid_grant"):
        assert (answer.status_code, answer.json["error"]) == (400, error), answer.text

    # ------------------------------------------------------------------ what can happen

    @rule(data=st.data(), app=APPS)
    def ask(self, data, app):
        self.question(app, data.draw(scopes_of(app)))

    def question(self, app, scopes, decision=None):
        asked = {"client_id": app, "redirect_uri": HOME, "scope": " ".join(scopes), "mock_user": "ann@acme.test"}
        if app == "public":
            asked["code_challenge"] = VERIFIER
        if decision:
            asked["mock_consent"] = decision
        answer = self.api.client.get(f"{OAUTH}/authorize", query_string=asked)
        row = Grant(app, scopes, self.now + 10 * MINUTE)
        self.grants.append(row)
        if decision:
            self.answered(row, answer, decision)
        else:
            assert answer.status_code == 200
            row.ticket = re.search(r'name="ticket" value="([^"]+)"', answer.text)[1]
            self.csrf = re.search(r'name="csrf" value="([^"]+)"', answer.text)[1]
            self.tickets.append(row.ticket)

    @rule(data=st.data(), app=APPS, decision=st.sampled_from(["accept", "accept", "accept", "refuse"]))
    def ask_and_answer(self, data, app, decision):
        self.question(app, data.draw(scopes_of(app)), decision)

    @rule(app=APPS)
    def open(self, app):
        self.question(app, HELD[app], "accept")
        self.exchange_code(self.codes[-1], app)

    @precondition(lambda self: self.tickets)
    @rule(pick=PICK, decision=st.sampled_from(["accept", "accept", "refuse"]))
    def answer(self, pick, decision):
        ticket = self.picked(self.tickets, pick)
        form = {"csrf": self.csrf, "ticket": ticket, "decision": decision}
        answer = self.api.client.post(f"{OAUTH}/consent", data=form)
        row = self.of("ticket", ticket)
        if row is None:
            assert (answer.status_code, "Location" in answer.headers) == (410, False)
        else:
            self.answered(row, answer, decision)

    def answered(self, row, answer, decision):
        assert answer.status_code == 302
        told = parse_qs(urlsplit(answer.headers["Location"]).query)
        if decision == "accept":
            self.consented(row, told["code"][0])
        else:
            assert (told["error"], "code" in told) == (["access_denied"], False)
            row.end("revoked")

    @precondition(lambda self: self.codes)
    @rule(pick=PICK, app=WHOSE, verifier=st.sampled_from([True, True, True, False]))
    def exchange(self, pick, app, verifier):
        self.exchange_code(self.picked(self.codes, pick), app, verifier)

    def exchange_code(self, code, app, verifier=True):
        row = self.of("code", code)
        app = app or (row.app if row else "one")
        is_public = row is not None and row.app == "public"
        answer = self.post("token", app, code=code, code_verifier=VERIFIER if verifier == is_public else None)
        if row is None or row.app != app:
            self.refused(answer)
        elif row.state == "active":
            self.refused(answer)
            row.end("revoked")
        elif row.state != "code_issued" or not verifier:
            self.refused(answer)
        else:
            row.state = "active"
            self.renewed(row, answer.json["refresh_token"])
            self.given(row, answer, row.scopes)

    @precondition(lambda self: self.refresh_tokens)
    @rule(
        pick=PICK,
        app=WHOSE,
        wanted=st.sampled_from(["", "", "account:read", "contacts:read"]),
    )
    def refresh(self, pick, app, wanted):
        self.refresh_with(self.picked(self.refresh_tokens, pick), app, wanted)

    def refresh_with(self, token, app, wanted=""):
        row = self.holding(token)
        app = app or (row.app if row else "one")
        answer = self.post("token", app, grant_type="refresh_token", refresh_token=token, scope=wanted)
        if row is None or row.app != app:
            self.refused(answer)
        elif token in row.spent:
            self.refused(answer)
            row.end("revoked")
        elif row.refresh_ends <= self.now:
            self.refused(answer)
        elif wanted and wanted not in row.scopes:
            self.refused(answer, "invalid_scope")
        else:
            self.refreshed(row, answer.json.get("refresh_token"))
            self.given(row, answer, [wanted] if wanted else row.scopes)
        return answer

    def refreshed(self, row, token):
        if self.rotates:
            row.spent.append(row.refresh_token)
            self.renewed(row, token)
        else:
            assert token is None

    @rule(app=APPS, wanted=st.sampled_from(["", "account:read", "contacts:read"]))
    def client_credentials(self, app, wanted):
        answer = self.post("token", app, grant_type="client_credentials", scope=wanted)
        if app == "public":
            self.refused(answer, "unauthorized_client")
        elif wanted and wanted not in HELD[app]:
            self.refused(answer, "invalid_scope")
        else:
            row = Grant(app, [wanted] if wanted else HELD[app], self.now + HOUR, "active", user=None)
            self.grants.append(row)
            self.given(row, answer, row.scopes)
            assert "refresh_token" not in answer.json

    @rule(
        pick=PICK,
        kind=st.sampled_from(["tokens", "refresh_tokens", "codes", "tickets"]),
        own=st.sampled_from([True, True, False]),
    )
    def revoke(self, pick, kind, own):
        """By what opens something; a code and a ticket are no tokens."""
        secret = self.picked(getattr(self, kind), pick)
        row = self.of_token(secret) or self.holding(secret) or self.of("code", secret) or self.of("ticket", secret)
        owner = row.app if row else "one"
        answer = self.post("revoke", owner if own else "two" if owner != "two" else "one", token=secret)
        if row is not None and not own:
            self.refused(answer)
            return
        assert (answer.status_code, answer.data) == (200, b"")
        if row is not None and kind == "tokens":
            del row.tokens[secret]
        elif row is not None and kind == "refresh_tokens":
            row.end("revoked")

    @precondition(lambda self: self.grants)
    @rule(
        pick=PICK, event=st.sampled_from(["consent", "refuse", "exchange", "refresh", "expire", "revoke", "authorize"])
    )
    def fire_by_hand(self, pick, event):
        row = self.picked(self.grants, pick)
        answer = self.api.post(f"/_mock/machines/oauth_grant/{self.grants.index(row) + 1}/{event}")
        if event not in ALLOWED[row.state]:
            assert (answer.status_code, answer.json["allowed"]) == (409, ALLOWED[row.state])
            return
        assert answer.status_code == 200
        if event == "consent":
            self.consented(row, answer.json["code"])
        elif event == "exchange":
            row.state = "active"
            self.renewed(row, answer.json["refresh_token"])
        elif event == "refresh" and row.refresh_token is not None:
            self.refreshed(row, answer.json["refresh_token"] if self.rotates else None)
        elif event != "refresh":
            row.end("expired" if event == "expire" else "revoked")

    @rule(by=st.sampled_from([MINUTE, 9 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, DAY, 30 * DAY - 30 * MINUTE]))
    def advance(self, by):
        self.now += by
        self.time_passes()
        self.api.advance(f"PT{int(by.total_seconds())}S")

    @rule(form=st.sampled_from(["application/json", "application/yaml"]))
    def write_and_read(self, form):
        written = self.api.get("/_mock/state", headers={"Accept": form})
        assert self.api.put("/_mock/state", data=written.data, content_type=form).status_code == 200
        assert self.api.get("/_mock/state", headers={"Accept": form}).data == written.data

    @rule()
    def keep(self):
        assert self.api.post("/_mock/snapshots", json={"name": "kept"}).status_code == 201
        self.kept = copy.deepcopy((self.now, self.grants))

    @precondition(lambda self: self.kept)
    @rule()
    def go_back(self):
        assert self.api.post("/_mock/snapshots/kept/restore").status_code == 200
        self.now, self.grants = copy.deepcopy(self.kept)

    # ------------------------------------------------------------------ what always holds

    @invariant()
    def the_machine_is_the_model(self):
        shown = self.api.get("/_mock/machines/oauth_grant").json["items"]
        assert [(row["client_id"], row["user"], row["scopes"], row["state"], row["allowed"]) for row in shown] == [
            (row.app, row.user, row.scopes, row.state, ALLOWED[row.state]) for row in self.grants
        ]

    @invariant()
    def tokens_work_as_long_as_they_may(self):
        """The API, introspection and userinfo agree; what was given and is over works nowhere."""
        for token in self.tokens[-5:]:
            row = self.of_token(token)
            said = jwt.decode(token, options={"verify_signature": False})
            about = self.post(
                "introspect", said["client_id"] if said["client_id"] != "public" else "one", token=token
            ).json
            called = self.api.client.get("/v3/senders", headers={"Authorization": f"Bearer {token}"}).status_code
            user = self.api.client.get(f"{OAUTH}/userinfo", headers={"Authorization": f"Bearer {token}"}).status_code
            if row is None:
                assert (about, called, user) == ({"active": False}, 401, 401)
                continue
            assert row.consented or row.user is None
            scopes, ends = row.tokens[token]
            assert self.now < ends
            assert (called, user) == (200 if "account:read" in scopes else 403, 200 if "openid" in scopes else 403)
            if row.app != "public":
                assert (about["active"], about["scope"].split()) == (True, scopes)
                assert about["exp"] == int(ends.timestamp())

    @invariant()
    def refresh_tokens_are_known_as_long_as_they_work(self):
        for token in self.refresh_tokens[-3:]:
            row = self.of("refresh_token", token)
            works = row is not None and self.now < row.refresh_ends
            if row is None or row.app != "public":
                told = self.post("introspect", row.app if row else "one", token=token).json
                assert told["active"] is works


class WithoutRotation(GrantHistory):
    rotates = False


@pytest.mark.parametrize("machine", [GrantHistory, WithoutRotation])
@pytest.mark.hypothesis
def test_grants_follow_the_model(make_api, machine):
    api = make_api({**STORY, "behaviour": {"oauth_public_apps": True, "oauth_rotate_refresh": machine.rotates}})
    run_state_machine_as_test(
        lambda: machine(api),
        settings=settings(examples(18), stateful_step_count=30),
    )


@pytest.mark.parametrize(("rotates", "error"), [(True, None), (False, "invalid_grant")])
def test_a_refresh_token_ends_on_its_day_though_a_young_access_token_goes_on(make_api, rotates, error):
    api = make_api({**STORY, "behaviour": {"oauth_public_apps": True, "oauth_rotate_refresh": rotates}})
    history = (GrantHistory if rotates else WithoutRotation)(api)
    history.open("one")
    history.advance(30 * DAY - 30 * MINUTE)
    history.refresh_with(history.refresh_tokens[-1], "one")
    history.advance(30 * MINUTE)
    history.tokens_work_as_long_as_they_may()
    history.refresh_tokens_are_known_as_long_as_they_work()
    assert history.refresh_with(history.refresh_tokens[-1], "one").json.get("error") == error


@pytest.mark.parametrize("kind", ["application/json", "application/yaml"])
def test_a_workspace_that_was_written_and_read_knows_what_was_replaced(make_api, kind):
    history = GrantHistory(make_api(STORY))
    history.open("one")
    history.refresh_with(history.refresh_tokens[-1], "one")
    history.write_and_read(kind)
    history.refresh_with(history.refresh_tokens[0], "one")
    assert history.grants[0].state == "revoked"
    history.write_and_read(kind)
    history.the_machine_is_the_model()
    history.tokens_work_as_long_as_they_may()
