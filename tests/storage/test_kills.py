"""`kill -9` at moments that a seed chooses: what was promised is there, and nothing that nobody did."""

from random import Random

import pytest
from examples import rounds
from storage.lives import Lives
from storage.moments import Moment


@pytest.fixture
def kill(tmp_path, record_property):
    """Kills a server again and again at moments that follow from a seed, and holds after each what has to be there."""

    def run(seed, count, sync):
        random = Random(seed)
        with Lives(random.getrandbits(32), tmp_path / "store.db", sync) as lives:
            for number, moment in enumerate(Moment.drawn(random, count)):
                try:
                    lives.live(moment)
                except BaseException as error:
                    error.add_note(f"after {number} kills by the seed {seed}, on the way to the {moment}")
                    raise
            lives.come_to_rest()
        record_property("seconds that gone changes were old at most", lives.longest_gone_s)

    return run


def test_workspaces_are_as_some_first_steps_have_left_them_after_a_kill(kill):
    kill(1, 7, "background")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 2 + rounds(5)))
@pytest.mark.parametrize("sync", ["background", "always"])
def test_workspaces_are_as_some_first_steps_have_left_them_after_many_kills(kill, seed, sync):
    kill(seed, 20, sync)
