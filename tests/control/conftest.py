"""What tests of the control API share."""

import pytest


class Clock:
    """A clock in seconds that a test sets."""

    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()
