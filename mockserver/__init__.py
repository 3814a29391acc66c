"""A high-fidelity, stateful mock of the Brevo administration API, v3."""

from mockserver.app import create_app as create_app
from mockserver.settings import Settings as Settings
