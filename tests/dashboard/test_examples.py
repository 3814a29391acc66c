"""Commands of curl on the pages: each can be made as it stands, whatever the server asks of its callers."""

import re
from html import unescape

import pytest

from mockserver.dashboard.application import PAGES

TOKEN = "s3cret"
AUTHORIZATION = '-H "Authorization: Bearer $MOCKSERVER_CONTROL_TOKEN"'
ADDRESSES = [
    *(page.name for page in PAGES),
    "machines/sender", "machines/domain", "machines/scheduled_email", "machines/delivery", "machines/oauth_grant",
    "machines/contacts", "machines/apps", "machines/stubs",
    "mail/received", "requests?kinds=control", "state/add", "state/change", "state/scenarios",
    "webhooks/list", "webhooks/receivers", "webhooks/receivers/mine", "webhooks/trigger",
]  # fmt: skip
#: The pages of an empty workspace on which there is nothing to call.
WITHOUT = {"state/scenarios", "search"}


def commands(api, address, scheme="https"):
    text = api.get(f"/_mock/ui/{address}", base_url=f"{scheme}://localhost").text
    found = re.findall(r'data-copy="(curl [^"]*)"|<code>(curl [^<]*)</code>', text)
    return {unescape(copied or shown) for copied, shown in found}


@pytest.fixture
def guarded(make_api):
    """An empty workspace of a server that asks for a control token."""
    api = make_api("empty", control_token=TOKEN)
    api.client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {TOKEN}"
    return api


def test_all_commands_of_a_page_reach_a_server_with_tls_and_a_token(guarded):
    for address in ADDRESSES:
        found = commands(guarded, address)

        assert bool(found) == (address not in WITHOUT), address
        for command in found:
            assert command.startswith("curl --insecure "), command
            assert (AUTHORIZATION in command) == ("/_mock/" in command.split(" -d ")[0] and "/receiver/" not in command)


def test_a_server_without_both_is_called_by_shorter_commands(api):
    found = commands(api, "clock", "http")

    assert found
    assert not any("--insecure" in command or AUTHORIZATION in command for command in found)


def test_a_recorded_call_is_made_again_with_the_token(guarded):
    call = guarded.post("/_mock/clock/advance", json={"by": "PT15M"}).headers["X-Mock-Call"]

    [command] = commands(guarded, f"requests/calls/{call}")

    assert AUTHORIZATION in command
