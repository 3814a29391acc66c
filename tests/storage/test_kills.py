"""`kill -9` at moments that a seed chooses: what was acknowledged is there, and nothing that nobody did."""

from random import Random

import pytest
from examples import rounds
from storage.lives import Lives
from storage.moments import Moment


@pytest.fixture
def kill(tmp_path, place):
    """Kills servers again and again at moments that follow from a seed, and holds after each what has to be there."""

    def run(seed, count):
        random = Random(seed)
        with Lives(random.getrandbits(32), place, tmp_path) as lives:
            for number, moment in enumerate(Moment.drawn(random, count)):
                try:
                    lives.live(moment)
                except BaseException as error:
                    error.add_note(f"after {number} kills by the seed {seed}, on the way to the {moment}")
                    raise
            lives.come_to_rest()

    return run


def test_workspaces_are_as_some_first_steps_have_left_them_after_a_kill(kill):
    kill(1, 6)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(2, 2 + rounds(5)))
def test_workspaces_are_as_some_first_steps_have_left_them_after_many_kills(kill, seed):
    kill(seed, 20)
