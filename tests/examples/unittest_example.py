"""Without pytest: a server for the class, a workspace for each test."""

import os
import unittest

from brevo import BadRequestError, Brevo

from mockserver import MockServer


class Onboarding(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        url = os.environ.get("MOCKSERVER_URL")
        cls.server = cls.enterClassContext(MockServer.connect(url) if url else MockServer())

    def setUp(self):
        self.workspace = self.server.workspace("onboarding", label=self.id())
        self.addCleanup(self.end)
        self.client = Brevo(api_key=self.workspace.api_key, base_url=self.workspace.url)

    def run(self, result=None):
        self.result = result
        return super().run(result)

    def end(self):
        """Drop the workspace, or leave that of a failed test on a server that runs elsewhere, for its dashboard."""
        if any(test is self for test, _ in self.result.failures + self.result.errors):
            self.workspace.leave("failed")
        else:
            self.workspace.drop()

    def test_a_new_code_replaces_the_old_one(self):
        self.workspace.machines.fire("sender", 2, "resend_otp")
        mail = self.workspace.mailbox.latest(to="ops@acme.test")

        with self.assertRaises(BadRequestError):
            self.client.senders.validate_sender_by_otp(2, otp=123456)
        self.client.senders.validate_sender_by_otp(2, otp=mail.otp)

        self.assertEqual("verified", self.workspace.machines.get("sender", 2).state)


if __name__ == "__main__":
    unittest.main()
