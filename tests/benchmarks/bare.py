"""The mock without journal, coverage, metrics and faults, to see what they cost; its scenario is the argument."""

import sys
from types import SimpleNamespace

from mockserver import Settings, create_app
from mockserver.app.runtime import Runtime
from mockserver.core.traffic.exchange import Exchange
from mockserver.web.server.server import address, bind
from mockserver.web.service import rate_limit
from mockserver.web.service.exchange import answer
from mockserver.web.service.handlers import authenticate
from mockserver.web.service.service import Service


def bare(self, request, route):
    """The answer alone."""
    caller = authenticate(request, route, self._store, None, None)  # it is called with keys only
    workspace = caller.workspace
    headers = [("sib-request-id", workspace.ids.request())]
    counted = SimpleNamespace(method=request.method, path=request.path, at=workspace.now)
    rate_limit.count(workspace, caller.account, counted, headers)
    reply = route.endpoint.answer(caller, request, EXCHANGE)
    return answer(reply.body, reply.status, headers)


EXCHANGE = Exchange(id="", at=None, method="GET", path="", query="", headers=(), body=b"", params={})
Service.answer = bare
listener = bind("127.0.0.1", 0)
print(address(listener), flush=True)
Runtime(create_app(Settings(scenario=sys.argv[1])), listener).run()
