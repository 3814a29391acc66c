"""Whatever happens to senders, in whatever order, the API shows what a small model of them says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

START = datetime(2026, 1, 15, 9, tzinfo=UTC)
LIFETIME = timedelta(minutes=15)
SCENARIO = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "seed": 11,
    "accounts": [{"name": "acme", "api_keys": ["acme-key"]}],
}
POSITIONS = st.integers(0, 8)
NAMES = st.sampled_from(["Ops", "News", "Ünï cödé", "<b>&"])
EMAILS = st.sampled_from(
    [
        "ops@acme.test", "OPS@acme.test", "news@Acme.Test", "a@b.test", "c@d.test", "e@bücher.test",
        "E@xn--bcher-kva.test",
    ]
)  # fmt: skip


def spelled(email):
    """The one form in which addresses are compared."""
    return email.lower().replace("bücher", "xn--bcher-kva")


@dataclass
class Sender:
    name: str
    email: str
    otp: int | None = None
    expires: datetime | None = None
    #: Whether the code's timer is set.
    timer: bool = False

    @property
    def active(self):
        return self.otp is None


class SenderHistory(RuleBasedStateMachine):
    def __init__(self, api):
        super().__init__()
        self.api = api
        self.senders: dict[int, Sender] = {}
        self.now = START
        self.created = self.mails = 0
        self.policy = "none"

    @initialize()
    def begin(self):
        assert self.api.post("/_mock/reset").status_code == 200
        self.create("Ops", "ops@acme.test")

    # ------------------------------------------------------------------ what the workspace shall say

    def refuses(self, answer, status, code):
        assert (answer.status_code, answer.json["code"]) == (status, code)
        assert answer.json["message"]

    def knows(self, number, answer):
        """Whether there is such a sender; if not, the answer was 404."""
        if number not in self.senders:
            self.refuses(answer, 404, "document_not_found")
        return number in self.senders

    def number(self, position):
        """The id of a sender that is there; seldom of one that is not."""
        there = list(self.senders)
        return there[position % len(there)] if there and position < 8 else 99

    def owner(self, email):
        return next((number for number, row in self.senders.items() if spelled(row.email) == spelled(email)), None)

    def is_strict(self, email):
        """Whether the domain of an address, which nobody has authenticated, wants to be that before it has senders."""
        return email.endswith("b.test") and self.policy != "none"

    def sent_code(self, sender):
        """A new code has come by mail, and it is the one that counts from now on."""
        mail = self.api.get("/_mock/mailbox?limit=1").json["items"][0]
        assert mail["to"] == sender.email
        assert str(mail["otp"]) in mail["text"]
        sender.otp, sender.expires, sender.timer = mail["otp"], self.now + LIFETIME, True
        self.mails += 1

    # ------------------------------------------------------------------ what can happen

    @rule(name=NAMES, email=EMAILS)
    def create(self, name, email):
        answer = self.api.post("/v3/senders", json={"name": name, "email": email})
        if self.owner(email) is not None:
            self.refuses(answer, 400, "duplicate_parameter")
            return
        if self.is_strict(email):
            self.refuses(answer, 400, "DMARC policy requires domain authentication")
            return
        self.created += 1
        assert answer.status_code == 201
        assert answer.json == {"id": self.created, "spfError": True, "dkimError": True}
        self.senders[self.created] = Sender(name, email)
        self.sent_code(self.senders[self.created])

    @rule(position=POSITIONS, name=NAMES)
    def rename(self, position, name):
        number = self.number(position)
        answer = self.api.put(f"/v3/senders/{number}", json={"name": name})
        if self.knows(number, answer):
            assert answer.status_code == 204
            self.senders[number].name = name

    @rule(position=POSITIONS, email=EMAILS, name=NAMES)
    def change_email(self, position, email, name):
        number = self.number(position)
        answer = self.api.put(f"/v3/senders/{number}", json={"email": email, "name": name})
        if not self.knows(number, answer):
            return
        if self.owner(email) not in (None, number):
            self.refuses(answer, 400, "duplicate_parameter")
            return
        sender = self.senders[number]
        moved = spelled(sender.email) != spelled(email)
        if moved and self.is_strict(email):
            self.refuses(answer, 400, "DMARC policy requires domain authentication")
            return
        assert answer.status_code == 204
        sender.email, sender.name = email, name
        if moved:
            self.sent_code(sender)

    @rule(position=POSITIONS)
    def validate_with_the_right_code(self, position):
        number = self.number(position)
        sender = self.senders.get(number)
        otp = sender.otp if sender and sender.otp else 123456
        answer = self.api.put(f"/v3/senders/{number}/validate", json={"otp": otp})
        if not self.knows(number, answer):
            return
        if sender.active:
            self.refuses(answer, 400, "Invalid OTP code provided")
        elif self.now >= sender.expires:
            self.refuses(answer, 400, "OTP code has expired")
        else:
            assert answer.status_code == 204
            self.happened(number, "verify")

    @rule(position=POSITIONS, shift=st.integers(1, 899_999))
    def validate_with_a_wrong_code(self, position, shift):
        number = self.number(position)
        sender = self.senders.get(number)
        right = sender.otp if sender and sender.otp else 100_000
        wrong = 100_000 + (right - 100_000 + shift) % 900_000
        answer = self.api.put(f"/v3/senders/{number}/validate", json={"otp": wrong})
        if self.knows(number, answer):
            self.refuses(answer, 400, "Invalid OTP code provided")

    @rule(position=POSITIONS, event=st.sampled_from(["resend_otp", "expire_otp", "verify", "delete"]))
    def fire_by_hand(self, position, event):
        number = self.number(position)
        answer = self.api.post(f"/_mock/machines/sender/{number}/{event}")
        sender = self.senders.get(number)
        applies = sender is not None and (event == "delete" or not sender.active)
        assert answer.status_code == (200 if applies else 404 if sender is None else 409)
        if applies:
            self.happened(number, event)

    def happened(self, number, event):
        sender = self.senders[number]
        if event == "resend_otp":
            self.sent_code(sender)
        elif event == "expire_otp":
            sender.expires, sender.timer = min(sender.expires, self.now), False
        elif event == "verify":
            sender.otp, sender.expires, sender.timer = None, None, False
        else:
            del self.senders[number]

    @rule(policy=st.sampled_from(["none", "quarantine", "reject"]))
    def the_policy_changes(self, policy):
        assert self.api.put("/_mock/dns/b.test", json={"dmarc_policy": policy}).json["dmarc_policy"] == policy
        self.policy = policy

    @rule(position=POSITIONS)
    def delete(self, position):
        number = self.number(position)
        answer = self.api.delete(f"/v3/senders/{number}")
        if self.knows(number, answer):
            assert answer.status_code == 204
            self.happened(number, "delete")

    @rule(minutes=st.sampled_from([5, 10, 16, 0]))
    def advance(self, minutes):
        self.pass_by(timedelta(minutes=minutes), {"by": f"PT{minutes}M"})

    @rule()
    def advance_to_the_next_expiry(self):
        moments = [row.expires for row in self.senders.values() if row.timer]
        self.pass_by(min(moments, default=self.now) - self.now, {"to": "next"})

    def pass_by(self, span, body):
        self.now += span
        waiting = {number: row for number, row in self.senders.items() if row.timer}
        due = {number: row for number, row in waiting.items() if row.expires <= self.now}
        order = sorted(due, key=lambda number: (due[number].expires, number))
        answer = self.api.post("/_mock/clock/advance", json=body).json
        assert answer["now"] == f"{self.now:%Y-%m-%dT%H:%M:%SZ}"
        fired = answer["fired"]
        assert [(row["machine"], row["key"], row["event"]) for row in fired] == [
            ("sender", number, "expire_otp") for number in order
        ]
        assert [row["at"] for row in fired] == [f"{due[number].expires:%Y-%m-%dT%H:%M:%SZ}" for number in order]
        for row in due.values():
            row.timer = False

    # ------------------------------------------------------------------ what always holds

    @invariant()
    def the_list_is_the_model(self):
        assert self.api.get("/v3/senders").json["senders"] == [
            {"id": number, "name": row.name, "email": row.email, "active": row.active, "ips": []}
            for number, row in self.senders.items()
        ]

    @invariant()
    def the_machine_is_the_model(self):
        shown = self.api.get("/_mock/machines/sender").json["items"]
        assert [(row["key"], row["state"], row["otp"], row["otp_expires_at"]) for row in shown] == [
            (
                number,
                "verified" if row.active else "awaiting_verification",
                row.otp,
                f"{row.expires:%Y-%m-%dT%H:%M:%SZ}" if row.expires else None,
            )
            for number, row in self.senders.items()
        ]

    @invariant()
    def no_mail_is_sent_twice_or_lost(self):
        assert self.api.get("/_mock/mailbox?limit=1000").json["count"] == self.mails


@pytest.mark.hypothesis
def test_senders_follow_the_model(make_api, run_history):
    run_history(SenderHistory, make_api(SCENARIO, key="acme-key"), most=60, steps=30)
