"""Objects of coroutines as tests of calls that block use them: what they await is run to its end by an event loop."""

import inspect
from contextlib import contextmanager

from anyio.from_thread import start_blocking_portal

from mockserver.testing.coroutines import Proxy


class BlockingProxy:
    """A handle with coroutines whose coroutines are called like functions."""

    def __init__(self, target, portal):
        self.__dict__.update(_target=target, _portal=portal)

    def __getattr__(self, name):
        return self._given(getattr(self._target, name))

    def __setattr__(self, name, value):
        """`on_leaving` is told of a workspace whose calls block, as it may be a workspace of either variant."""
        setattr(self._target, name, lambda workspace: value(workspace.synchronous))

    def __enter__(self):
        return self._given(self._target.__aenter__())

    def __exit__(self, *raised):
        self._given(self._target.__aexit__(*raised))

    def __repr__(self):
        return repr(self._target).replace("Async", "")

    def _given(self, value):
        if inspect.iscoroutine(value):
            value = self._portal.call(_awaited, value)
        if inspect.ismethod(value):
            return lambda *arguments, **options: self._given(value(*arguments, **options))
        if isinstance(value, list):
            return [self._given(item) for item in value]
        return BlockingProxy(value, self._portal) if isinstance(value, Proxy) else value


@contextmanager
def run_blocking(make, backend):
    """What a coroutine function makes, driven by an event loop of asyncio or trio in a thread of its own."""
    with start_blocking_portal(backend) as portal, BlockingProxy(portal.call(make), portal) as found:
        yield found


async def _awaited(coroutine):
    return await coroutine
