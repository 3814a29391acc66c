"""A second pytest plugin, which reports conflicts with another distribution.

Both distributions call their plugin `mockserver`, and pytest loads only one plugin of that name.
"""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to run with possibly foreign fixtures, unless the plugin is blocked."""
    from mockserver.settings.distribution import breakage, warning  # noqa: PLC0415  # after coverage has begun

    if config.pluginmanager.is_blocked("mockserver"):
        return
    if (sentence := breakage() or warning()) is not None:
        raise pytest.UsageError(sentence)
