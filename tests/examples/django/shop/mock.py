"""The mock for Django's tests: a workspace for each test, and settings that lead to it."""

from django.test import override_settings

from mockserver import WorkspaceTestCase


class WithMock(WorkspaceTestCase):
    """What a test case inherits, before Django's own class, to have `self.workspace`."""

    scenario = "onboarding"

    def setUp(self):
        super().setUp()
        self.enterContext(override_settings(BREVO_BASE_URL=self.workspace.url, BREVO_API_KEY=self.workspace.api_key))
