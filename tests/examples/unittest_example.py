"""Without pytest: a workspace for each test, and what went wrong in it if the test fails."""

import unittest

from brevo import BadRequestError, Brevo

from mockserver import WorkspaceTestCase


class Onboarding(WorkspaceTestCase):
    scenario = "onboarding"

    def setUp(self):
        super().setUp()
        self.client = Brevo(api_key=self.workspace.api_key, base_url=self.workspace.url)

    def test_a_new_code_replaces_the_old_one(self):
        self.workspace.machines.fire("sender", 2, "resend_otp")
        mail = self.workspace.mailbox.latest(to="ops@acme.test")

        with self.assertRaises(BadRequestError):
            self.client.senders.validate_sender_by_otp(2, otp=123456)
        self.client.senders.validate_sender_by_otp(2, otp=mail.otp)

        self.assertEqual("verified", self.workspace.machines.get("sender", 2).state)


if __name__ == "__main__":
    unittest.main()
