import importlib.metadata

import django
import pytest
from brevo import Brevo
from django.conf import settings
from django.test import Client, override_settings
from faker import Faker

settings.configure(ROOT_URLCONF="shop", ALLOWED_HOSTS=["testserver"], DATABASES={}, BREVO_URL=None, BREVO_KEY=None)
django.setup()


@pytest.fixture(scope="session", autouse=True)
def _old_libraries():
    """The suite shows nothing if it runs with other libraries, or with the server."""
    installed = {row.metadata["Name"].lower(): row.version for row in importlib.metadata.distributions()}
    old = {"flask": "2.3", "marshmallow": "3.20", "click": "8.0", "urllib3": "1.26", "faker": "20.", "pyjwt": "2.8"}
    assert {name: installed[name].startswith(version) for name, version in old.items()} == dict.fromkeys(old, True)
    assert "uvicorn" not in installed


@pytest.fixture
def person():
    """Somebody, made up by Faker 20."""
    faker = Faker()
    faker.seed_instance(7)
    return {"name": faker.name(), "email": "somebody@acme.test"}


@pytest.fixture
def brevo(mockserver):
    return Brevo(mockserver.url, mockserver.api_key)


@pytest.fixture
def shop(mockserver):
    """A client of the pages, which call the workspace of the test."""
    with override_settings(BREVO_URL=mockserver.url, BREVO_KEY=mockserver.api_key):
        yield Client()
