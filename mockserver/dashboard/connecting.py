"""Lines of code that lead a client to an account of a workspace, to be copied."""

from __future__ import annotations

import json
from shlex import quote
from typing import NamedTuple


class Connection(NamedTuple):
    """Where a client finds an account."""

    #: The root address of the server, without a slash at its end.
    root: str
    #: The base address of the workspace, for clients of the service.
    url: str
    #: The key that opens the account.
    key: str
    #: The name of the scenario of the workspace, or empty where that has none by which it could be loaded again.
    scenario: str


class Lines(NamedTuple):
    """Lines of code in one language, with what stands above them."""

    title: str
    text: str


def lines(found: Connection) -> list[Lines]:
    """The lines for each language, as `docs/howto/sending.md` and the guides have them."""
    return [
        Lines("Shell", _shell(found)),
        Lines("Python, with brevo-python", _python(found)),
        Lines("A test in Python, in a workspace of its own", _pytest(found)),
        Lines("JavaScript, with @getbrevo/brevo", _javascript(found)),
    ]


def _shell(found: Connection) -> str:
    variables = {
        "MOCKSERVER_URL": found.root,
        "BREVO_API_URL": found.url,
        "BREVO_BASE_URL": found.url,
        "BREVO_API_KEY": found.key,
    }
    return "\n".join(f"export {name}={quote(value)}" for name, value in variables.items())


def _python(found: Connection) -> str:
    return f"""from brevo import Brevo

client = Brevo(api_key={_text(found.key)}, base_url={_text(found.url)})"""


def _pytest(found: Connection) -> str:
    imported = "import pytest\n" if found.scenario else ""
    marker = f"@pytest.mark.mockserver(scenario={_text(found.scenario)})\n" if found.scenario else ""
    return f"""# MOCKSERVER_URL={quote(found.root)} pytest
{imported}from brevo import Brevo


{marker}def test_account(mockserver):
    client = Brevo(api_key=mockserver.api_key, base_url=mockserver.url)
    assert client.account.get_account().email"""


def _javascript(found: Connection) -> str:
    return f"""import {{ BrevoClient }} from "@getbrevo/brevo";

const client = new BrevoClient({{
  apiKey: {_text(found.key)},
  baseUrl: {_text(found.url)},
}});"""


def _text(value: str) -> str:
    """A text as Python and JavaScript both write it."""
    return json.dumps(value, ensure_ascii=False)
