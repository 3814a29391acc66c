"""What others import, and where it comes from."""

import pytest

import mockserver


@pytest.mark.parametrize("name", sorted({*mockserver.__all__} - {"__version__"}))
def test_what_is_exported_is_there(name):
    assert getattr(mockserver, name).__name__ == name


def test_nothing_else_is():
    with pytest.raises(AttributeError, match="module 'mockserver' has no attribute 'Mocksever'"):
        _ = mockserver.Mocksever
