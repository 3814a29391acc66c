"""The fixture `async_mockserver` in suites of coroutines, whichever plugin runs them."""

import pytest

pytestmark = pytest.mark.slow  # each suite is a program of its own

SUITES = {
    "pytest-asyncio, strict": (["-p", "no:anyio"], "@pytest.mark.asyncio"),
    "pytest-asyncio, auto": (["-p", "no:anyio", "-o", "asyncio_mode=auto"], ""),
    "anyio, under asyncio and trio": (["-p", "no:asyncio"], "@pytest.mark.anyio"),
}
#: How many tests each suite has: anyio runs each once for each library.
PASSED = {"anyio, under asyncio and trio": 6}

SUITE = """
import anyio
import pytest
import requests


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request):
    return request.param


{mark}
async def test_both_fixtures_are_the_same_workspace(mockserver, async_mockserver):
    await async_mockserver.clock.freeze()
    assert mockserver.clock.frozen
    assert await async_mockserver.clock.now == mockserver.clock.now


{mark}
@pytest.mark.mockserver(scenario="onboarding")
async def test_a_code_is_waited_for(async_mockserver):
    def product():
        body, headers = {{"name": "News", "email": "new@acme.test"}}, {{"api-key": async_mockserver.api_key}}
        with requests.Session() as session:
            session.trust_env = False
            session.post(f"{{async_mockserver.url}}/senders", json=body, headers=headers)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(anyio.to_thread.run_sync, product)
        mail = await async_mockserver.mailbox.latest(to="new@acme.test", wait=10)
    assert mail.otp


{mark}
async def test_a_second_workspace_has_both_forms_as_well(mockserver_server):
    with mockserver_server.workspace("corporate-v2") as workspace:
        await workspace.asynchronous.clock.advance(hours=1)
        assert workspace.asynchronous.synchronous.url == workspace.url
"""


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_of_coroutines_uses_the_workspace_of_its_test(pytester, suite):
    options, mark = SUITES[suite]
    pytester.makepyfile(test_it=SUITE.format(mark=mark))
    others = [part for name in ("schemathesis", "hypothesispytest", "faker") for part in ("-p", f"no:{name}")]
    loop = [] if "no:asyncio" in options else ["-o", "asyncio_default_fixture_loop_scope=function"]

    found = pytester.runpytest_subprocess("-W", "error", *others, *options, *loop)

    found.assert_outcomes(passed=PASSED.get(suite, 3))
