"""Whatever happens to contacts, lists, templates, campaigns and credits: an independent model agrees."""

from __future__ import annotations

import pytest
from random_marketer import RandomMarketer


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_model_agrees_with_every_step(make_api, seed):
    RandomMarketer(make_api("empty"), seed).play(150)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 20))
def test_model_agrees_with_ten_thousand_steps(make_api, seed):
    RandomMarketer(make_api("empty"), seed).play(1_000)
