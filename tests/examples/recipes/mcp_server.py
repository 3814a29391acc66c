"""An MCP server with a tool for each operation of the mock, for agents: `mcp_server.py`.

Needs: pip install fastmcp
"""

import json
import os
from urllib.request import urlopen

from fastmcp import FastMCP
from httpx2 import AsyncClient

MOCK = os.environ.get("MOCKSERVER_URL", "http://localhost:8003")


def make_server(url=f"{MOCK}/v3", api_key="any"):
    """Return an MCP server whose tools act on the workspace with that address and that key."""
    with urlopen(f"{MOCK}/_mock/openapi.json", timeout=10) as answer:
        document = json.load(answer)
    client = AsyncClient(base_url=url.removesuffix("/v3"), headers={"api-key": api_key})
    return FastMCP.from_openapi(openapi_spec=document, client=client, name="brevo-mock")


if __name__ == "__main__":
    make_server().run()
