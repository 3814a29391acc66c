"""The package exports the names that its users import."""

import pytest

import mockserver
import mockserver.app


@pytest.mark.parametrize("name", sorted({*mockserver.__all__} - {"__version__"}))
def test_every_exported_name_can_be_imported(name):
    assert getattr(mockserver, name).__name__ == name


def test_dir_names_what_is_imported_on_first_use():
    assert set(mockserver.__all__) <= set(dir(mockserver))
    assert "create_app" in dir(mockserver.app)


def test_the_package_exports_these_names_only():
    with pytest.raises(AttributeError, match="module 'mockserver' has no attribute 'Mocksever'"):
        _ = mockserver.Mocksever
