"""How often random tests are repeated: seldom for each change, and as often as they name in the nightly run."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings
from hypothesis.internal.conjecture import engine, providers

#: The profiles, with their share of the repetitions that a test names. A quarter meets each rule of a history several
#: times. The variable HYPOTHESIS_PROFILE names the profile; the nightly run uses `many`.
SHARES = {"few": 0.25, "many": 1.0}
#: The least examples of a property, and the examples in `many` of a property that names no number.
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


def rounds(most):
    """Return the repetitions of a random test that is repeated `most` times in the profile `many`."""
    return max(1, round(most * SHARES.get(settings.get_current_profile_name(), 1.0)))


def examples(most):
    """Return the settings of a property that has `most` examples in the profile `many`."""
    return settings(max_examples=max(LEAST, rounds(most)))
