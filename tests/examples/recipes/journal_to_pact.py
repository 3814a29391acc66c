"""A consumer contract for Pact, of the requests that a product has made: `journal_to_pact.py WORKSPACE FOLDER`.

Needs: pip install brevo-mockserver pact-python
"""

import os
import sys

from pact import Pact, match

from mockserver import MockServer


def write_pact(workspace, folder, consumer="shop", provider="brevo"):
    """Write each kind of request once, with its answer, by whose types the provider is verified."""
    pact = Pact(consumer, provider).with_specification("V3")
    seen = set()
    for exchange in reversed(workspace.requests.all()):
        if exchange.operation is None or exchange.answer is None or (exchange.operation, exchange.status) in seen:
            continue
        seen.add((exchange.operation, exchange.status))
        interaction = pact.upon_receiving(f"{exchange.operation}: {exchange.status}").given(workspace.scenario)
        interaction.with_request(exchange.method, exchange.path)
        for name, value in exchange.query.items():
            interaction.with_query_parameter(name, value)
        if exchange.request.body is not None:
            interaction.with_body(exchange.request.body)
        interaction.will_respond_with(exchange.status)
        if exchange.answer.body is not None:
            interaction.with_body(match.like(exchange.answer.body))
    pact.write_file(folder, overwrite=True)


if __name__ == "__main__":
    name, folder = sys.argv[1:]
    with MockServer.connect(os.environ.get("MOCKSERVER_URL", "http://localhost:8003")) as server:
        (found,) = (workspace for workspace in server.workspaces() if workspace.name == name)
        write_pact(found, folder)
