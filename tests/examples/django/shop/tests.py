"""The tests of the shop: `django-admin test --settings shop.settings --pythonpath .`."""

from brevo import Brevo
from django.test import LiveServerTestCase, TestCase

from shop.mock import WithMock
from shop.models import Bounce


class Senders(WithMock, TestCase):
    def test_a_sender_proves_its_address(self):
        sender = self.client.post("/senders", {"name": "Jo", "email": "jo@acme.test"}).json()["id"]
        mail = self.workspace.mailbox.latest(to="jo@acme.test")

        answer = self.client.post(f"/senders/{sender}/code", {"code": mail.otp})

        self.assertEqual(204, answer.status_code)
        self.assertEqual("verified", self.workspace.machines.get("sender", sender).state)

    def test_a_late_code_is_told_to_the_user(self):
        self.workspace.clock.advance(minutes=16)

        answer = self.client.post("/senders/2/code", {"code": 123456})

        self.assertEqual({"error": "OTP code has expired"}, answer.json())


class Hooks(WithMock, LiveServerTestCase):
    """Django listens on a port, so that the mock can call it."""

    def test_a_bounce_is_remembered(self):
        client = Brevo(api_key=self.workspace.api_key, base_url=self.workspace.url)
        client.webhooks.create_webhook(url=f"{self.live_server_url}/hooks/brevo", events=["hardBounce"])

        self.workspace.trigger("hardBounce", to="bob@example.test")

        self.assertTrue(self.workspace.deliveries.all(state="delivered", wait=5))
        self.assertEqual(["bob@example.test"], [bounce.email for bounce in Bounce.objects.all()])
