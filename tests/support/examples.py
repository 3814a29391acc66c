"""How many examples a property gets: few in the second command, more in `.ci/run`, many where there is time."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings
from hypothesis.internal.conjecture import engine, providers

#: The profiles, with the share of the examples that a property names. Few are a quarter of them: enough to meet each
#: rule of a history some times, in a quarter of the time. The variable HYPOTHESIS_PROFILE names another one.
SHARES = {"few": 0.25, "more": 0.5, "many": 1.0}
#: What a property has at least, and what one that names no number has where there are many.
LEAST, USUAL = 4, 100

# Hypothesis draws some values out of the constants of all modules that happen to be imported, which depends on the
# tests that ran before in the same process. Without those an example is the same whatever runs beside it.
providers._get_local_constants = providers.Constants  # noqa: SLF001  # there is no setting

# A failing example is made smaller for so many seconds; after the time of a test nothing would be told of it.
engine.MAX_SHRINKING_SECONDS = 15

for _name, _share in SHARES.items():
    settings.register_profile(
        _name,
        max_examples=round(USUAL * _share),
        # The same examples in every run, and no clock that could fail one.
        derandomize=True,
        deadline=None,
        database=None,
        print_blob=False,
        # To explain a failure traces every line, and a history would take longer than a test may.
        phases=[phase for phase in Phase if phase is not Phase.explain],
        # A fixture of a property is a factory, or a workspace that every example resets.
        suppress_health_check=list(HealthCheck),
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "few"))


def examples(most):
    """The settings of a property that has so many examples in the profile `many`."""
    share = SHARES.get(settings.get_current_profile_name(), 1.0)
    return settings(max_examples=max(LEAST, round(most * share)))
