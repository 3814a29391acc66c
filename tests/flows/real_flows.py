"""The flows: which workspace each meets, what other people do meanwhile, what it prints and what it leaves behind."""

from __future__ import annotations

import json
from email.utils import parseaddr

BOB, CAROL = "bob@example.test", "carol@example.test"


def account(senders, domains):
    plan = [{"type": "free", "credits": 300}]
    return {"extends": "empty", "accounts": [{"name": "acme", "plan": plan, "senders": senders, "domains": domains}]}


#: A sender and a domain that may send, as most flows have them.
NEWS = {"id": 1, "name": "News", "email": "news@acme.test"}
DOMAIN = {"name": "acme.test", "state": "authenticated"}
ACME = account([NEWS], [DOMAIN])


def address(party):
    """The address of `News <news@acme.test>`."""
    return parseaddr(party)[1]


class Flow:
    """One flow; its program has the same name in all languages."""

    program: str
    scenario = ACME
    #: The lines that it prints, each time that it is run on the same workspace.
    printed: list[list[str]]

    def arguments(self, workspace):
        raise NotImplementedError

    def act(self, running):
        """Do what other people do while the program runs."""

    def judge(self, workspace):
        """Look at what it has left behind."""
        raise NotImplementedError


class CheckMail(Flow):
    program = "check_mail"
    scenario = account(
        [{"id": 1, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification"}, {**NEWS, "id": 2}],
        [DOMAIN, {"name": "new.test", "state": "pending", "dns": {"dmarc_record": "ok"}}],
    )
    printed = [
        ["account owner@acme.test has 300 credits", "sender ops@acme.test waits for its code",
         "sender news@acme.test is verified", "domain acme.test misses nothing", "domain new.test misses dkim_record",
         f"test mail sent to {BOB}", "299 credits are left"]
    ]  # fmt: skip

    def arguments(self, _):
        return [BOB]

    def judge(self, workspace):
        mail = workspace.mailbox.latest(to=BOB)
        assert (address(mail.sender), mail.subject, mail.text) == ("news@acme.test", "Test mail", "It works.")


class OnboardDomain(Flow):
    """Once from the beginning, and once again when all is there."""

    program = "onboard_domain"
    scenario = {"extends": "empty", "behaviour": {"trust_authenticated_domains": True}}
    printed = [
        ["domain shop.test is new", "publish TXT mail._domainkey", "publish TXT @", "publish TXT _dmarc",
         "domain shop.test is authenticated", f"welcome sent to {BOB}"],
        ["domain shop.test is known", "domain shop.test is authenticated", f"welcome sent to {BOB}"],
    ]  # fmt: skip

    def arguments(self, _):
        return ["shop.test", BOB, "0.05"]

    def act(self, running):
        """Publish the records once the program has asked for them in vain, and asked again."""
        workspace = running.workspace
        running.until(lambda seconds: workspace.requests.wait(seconds, operation="authenticateDomain"))
        workspace.dns.set("shop.test", brevo_code="ok", dkim_record="ok", dmarc_record="ok")

    def judge(self, workspace):
        assert workspace.machines.get("domain", "shop.test").state == "authenticated"
        assert [address(mail.sender) for mail in workspace.mailbox.all(to=BOB)] == ["news@shop.test"] * 2


class VerifySender(Flow):
    program = "verify_sender"
    printed = [
        ["a code is on its way to jo@acme.test", "Invalid OTP code provided", "jo@acme.test is verified",
         f"hello sent to {BOB}"]
    ]  # fmt: skip

    def arguments(self, _):
        return ["Jo", "jo@acme.test", BOB]

    def act(self, running):
        """Read the code in the mail, and mistype it first."""
        mail = running.until(lambda seconds: running.workspace.mailbox.latest(to="jo@acme.test", wait=seconds))
        running.tell(mail.otp + 1 if mail.otp < 999_999 else mail.otp - 1)
        running.tell(mail.otp)

    def judge(self, workspace):
        assert workspace.machines.get("sender", 2).state == "verified"
        mail = workspace.mailbox.latest(to=BOB)
        assert (address(mail.sender), mail.text) == ("jo@acme.test", "From Jo.")


class FollowMail(Flow):
    program = "follow_mail"
    printed = [
        [f"news sent to {BOB}", f"request {BOB}", f"delivered {BOB}", f"unsubscribed {BOB}", f"{BOB} is blocked",
         "nobody listens any more"]
    ]  # fmt: skip

    def arguments(self, workspace):
        return [workspace.receiver("events").url, "news@acme.test", BOB]

    def act(self, running):
        """Take the calls of the webhook, let time pass, and be the reader who has had enough."""
        workspace = running.workspace
        receiver = workspace.receiver("events")
        self._hand_on(running, receiver, 1)
        workspace.clock.advance(seconds=2)
        self._hand_on(running, receiver, 2)
        workspace.trigger("unsubscribed", to=BOB)
        self._hand_on(running, receiver, 3)

    def _hand_on(self, running, receiver, count):
        """Wait for so many calls, and tell the program of the newest."""
        newest, *_ = running.until(lambda seconds: receiver.calls(count=count, wait=seconds))
        running.tell(json.dumps(newest.body))

    def judge(self, workspace):
        workspace.requests.verify(operation="createWebhook", count=1)
        assert workspace.trigger("delivered", to=BOB) == []


class AnswerMail(Flow):
    program = "answer_mail"
    printed = [["mails to acme.test are taken", f"answered {BOB}: Re: Where is it?", f"1 so far from {BOB}"]]

    def arguments(self, workspace):
        return ["acme.test", workspace.receiver("mails").url, "news@acme.test"]

    def act(self, running):
        """Write a mail when the webhook is there, and hand its call on."""
        workspace = running.workspace
        running.until(lambda seconds: workspace.requests.wait(seconds, operation="createWebhook"))
        workspace.inbound(BOB, "help@acme.test", "Where is it?", "I have waited for a week.")
        (call,) = running.until(lambda seconds: workspace.receiver("mails").calls(count=1, wait=seconds))
        running.tell(json.dumps(call.body))

    def judge(self, workspace):
        (call,) = workspace.receiver("mails").calls()
        (asked,) = call.body["items"]
        workspace.requests.verify(
            operation="sendTransacEmail", json={"headers": {"In-Reply-To": asked["MessageId"]}}, count=1
        )
        mail = workspace.mailbox.latest(to=BOB)
        assert (address(mail.sender), mail.subject) == ("news@acme.test", "Re: Where is it?")


class CancelBatch(Flow):
    program = "cancel_batch"
    printed = [["reminders: queued", "note: queued", "reminders: cancelled", "reminders: nothing to cancel"]]

    def arguments(self, _):
        return ["news@acme.test", BOB, CAROL]

    def judge(self, workspace):
        """What is cancelled is not sent when its hour comes, and the rest is."""
        assert workspace.mailbox.all() == []
        workspace.clock.advance(hours=2)
        assert [(mail.to, mail.subject) for mail in workspace.mailbox.all()] == [("news@acme.test", "Note")]
        states = [mail.state for mail in workspace.machines.instances("scheduled_email")]
        assert sorted(states) == ["cancelled", "cancelled", "sent"]


class ImportContacts(Flow):
    program = "import_contacts"
    printed = [
        [f"{BOB} is new", f"{CAROL} is new", "dan@example.test is new", f"{BOB} is changed", f"{BOB} has plan gold",
         f"{CAROL} has plan free", "dan@example.test has plan free", "3 contacts", "the attribute is gone"]
    ]  # fmt: skip

    def arguments(self, _):
        return []

    def act(self, running):
        for line in (f"{BOB} free", f"{CAROL} free", "dan@example.test free", f"{BOB} gold"):
            running.tell(line)

    def judge(self, workspace):
        workspace.requests.verify(operation="deleteAttribute", count=2)
        assert [exchange.status for exchange in workspace.requests.all(operation="deleteAttribute")] == [404, 204]


class SendNewsletter(Flow):
    program = "send_newsletter"
    printed = [
        ["template June is active", "import completed, 1 invalid", "1 process", "campaign July is draft",
         "campaign July is sent, 1 sent", "campaign: document_not_found", "1 inactive template"]
    ]  # fmt: skip

    def arguments(self, _):
        return ["news@acme.test", BOB]

    def act(self, running):
        """Let the time of the import pass, and that of the campaign."""
        workspace = running.workspace
        for operation in ("importContacts", "sendEmailCampaignNow"):
            running.until(lambda seconds, name=operation: workspace.requests.wait(seconds, operation=name))
            workspace.clock.advance(minutes=5)
            running.tell("go on")

    def judge(self, workspace):
        campaign, *tests = workspace.mailbox.all(to=BOB)
        assert (campaign.subject, campaign.html) == ("June", "<p>News for Bob</p>")
        assert len(tests) == 2
        assert workspace.trigger("opened", to=BOB) == []


class SellCredits(Flow):
    program = "sell_credits"
    scenario = {
        "extends": "empty",
        "solution": "v2",
        "accounts": [{"name": "acme", "role": "master", "pool": {"credits": {"email": 10}}}],
    }
    printed = [["Cafe has 3 credits", "3 mails, then: not_enough_credits", "0 of 3 credits are left"]]

    def arguments(self, _):
        return ["Cafe", "owner@cafe.test", "3", "hello@cafe.test", BOB]

    def act(self, running):
        mail = running.until(lambda seconds: running.workspace.mailbox.latest(to="hello@cafe.test", wait=seconds))
        running.tell(mail.otp)

    def judge(self, workspace):
        assert len(workspace.mailbox.all(to=BOB)) == 3


FLOWS = [flow() for flow in Flow.__subclasses__()]
