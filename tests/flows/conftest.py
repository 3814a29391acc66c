"""The flows judge what they leave behind, and pytest shows what it was."""

import pytest

pytest.register_assert_rewrite("real_flows")
