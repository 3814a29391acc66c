"""A second plugin of pytest, which tells that another distribution has replaced parts of the first.

Both distributions call their plugin `mockserver`, and pytest loads one of that name only, perhaps the other's.
"""

from __future__ import annotations

import pytest

from mockserver.settings.distribution import breakage, warning


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to run where it is not sure whose fixtures tests would get, unless neither plugin is wanted."""
    if config.pluginmanager.is_blocked("mockserver"):
        return
    if (sentence := breakage() or warning()) is not None:
        raise pytest.UsageError(sentence)
