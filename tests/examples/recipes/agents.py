"""An agent is tried again and again on the same world, and judged by what it has left behind, not by what it says."""

import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from mockserver import MockServer

#: The world, and how it has to look in the end: the task is done, and nothing else has happened.
WORLD = {
    "extends": "onboarding",
    "expect": [
        {"path": "state.senders[email=ops@acme.test].state", "equals": "verified"},
        {"path": "journal[operation=deleteSender]", "absent": True, "hold": True},
        {"only": ["senders"], "hold": True},
    ],
}


def agent(workspace, attempt):
    """Take the place of an agent, which gets `workspace.url` and `workspace.api_key`: the first attempt goes wrong."""
    workspace.machines.fire("sender", 2, "resend_otp")
    otp = workspace.mailbox.latest(to="ops@acme.test").otp
    call(workspace, "PUT", "/senders/2/validate", {"otp": 111111 if attempt == 1 else otp})
    if attempt == 2:
        call(workspace, "DELETE", "/senders/1")


def call(workspace, method, path, body=None):
    """Call the API as a tool of the agent does; a refusal is its answer as well."""
    request = Request(
        f"{workspace.url}{path}", json.dumps(body).encode(), {"api-key": workspace.api_key}, method=method
    )
    try:
        with urlopen(request, timeout=10) as answer:
            return answer.read()
    except HTTPError as refused:
        with refused:
            return refused.read()


with MockServer(WORLD) as server:
    world = server.workspace()
    for attempt in (1, 2, 3):
        world.reset()  # the same senders, clock and codes as before
        agent(world, attempt)
        failed = [expectation for expectation in world.expectations() if not expectation.satisfied]
        print(f"attempt {attempt}: {'failed' if failed else 'passed'}")
        for expectation in failed:
            print(f"  {expectation}")
