"""What the benchmarks share: figures are shown at once."""

import pytest


@pytest.fixture
def show(capsys):
    def print_now(line):
        with capsys.disabled():
            print(f"\n  {line}", end="")

    return print_now
