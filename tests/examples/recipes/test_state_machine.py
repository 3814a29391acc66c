"""A state machine of Hypothesis finds the order of calls in which the product's own code and the service disagree."""

import brevo
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mockserver import MockServer


class Senders:
    """The code under test: what a product wraps around the client, with a list of its own."""

    def __init__(self, client):
        self._senders = client.senders
        self.verified = {}

    def add(self, email):
        return self._senders.create_sender(name=email.partition("@")[0], email=email).id

    def confirm(self, sender, otp):
        try:
            self._senders.validate_sender_by_otp(sender, otp=otp)
        except brevo.BadRequestError:
            return False
        self.verified[sender] = True
        return True

    def remove(self, sender):
        self._senders.delete_sender(sender)
        self.verified.pop(sender, None)


class SendersMachine(RuleBasedStateMachine):
    """Add, confirm and remove senders in any order, and let codes run out."""

    server = MockServer({"accounts": [{"name": "acme", "api_keys": ["acme-key"]}]})  # ends with the program

    def __init__(self):
        super().__init__()
        self.workspace = self.server.workspace()
        self.client = brevo.Brevo(api_key=self.workspace.api_key, base_url=self.workspace.url)
        self.senders = Senders(self.client)
        self.added = {}  # addresses, by the ids of their senders
        self.count = 0

    def teardown(self):
        self.workspace.drop()

    @rule()
    def add(self):
        email = f"sender{self.count}@acme.test"
        self.count += 1
        self.added[self.senders.add(email)] = email

    @precondition(lambda self: self.added)
    @rule(data=st.data(), late=st.booleans())
    def confirm(self, data, late):
        sender = data.draw(st.sampled_from(sorted(self.added)))
        mail = self.workspace.mailbox.latest(to=self.added[sender])
        if late:
            self.workspace.clock.advance(minutes=16)
        self.senders.confirm(sender, mail.otp)

    @precondition(lambda self: self.added)
    @rule(data=st.data())
    def remove(self, data):
        sender = data.draw(st.sampled_from(sorted(self.added)))
        del self.added[sender]
        self.senders.remove(sender)

    @invariant()
    def what_the_product_believes_is_true(self):
        told = {sender.id for sender in self.client.senders.get_senders().senders or [] if sender.active}
        assert set(self.senders.verified) == told


TestSenders = SendersMachine.TestCase
_PHASES = set(Phase) - {Phase.explain}  # explaining traces each line, and takes ten times as long
TestSenders.settings = settings(max_examples=20, stateful_step_count=15, deadline=None, phases=_PHASES)
