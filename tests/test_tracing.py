"""Coverage traces the first cases of each test, which run the lines that all of its cases run."""

import sys
import threading

import pytest
from tracing import MOST, repeats, untraced


@pytest.fixture
def traced():
    """Traces calls in this thread and in those that it starts, and gives the names of what was called."""
    names, before, of_threads = [], sys.gettrace(), threading.gettrace()

    def trace(frame, *_):
        names.append(frame.f_code.co_name)

    sys.settrace(trace)
    threading.settrace(trace)
    yield names
    sys.settrace(before)
    threading.settrace(of_threads)


def called():
    pass


def called_in_a_thread():
    thread = threading.Thread(target=called)
    thread.start()
    thread.join()


def test_repeated_cases_are_not_traced(traced):
    with untraced():
        called()
        called_in_a_thread()
    assert "called" not in traced


def test_calls_after_the_block_are_traced(traced):
    with untraced():
        pass
    called()
    called_in_a_thread()
    assert traced.count("called") == 2


CASES = """
import pytest

@pytest.fixture(params=["here", "elsewhere"])
def server(request):
    return request.param

@pytest.mark.parametrize("number", range({number}))
def test_numbers(number):
    pass

@pytest.mark.parametrize("number", range({number}))
def test_servers(server, number):
    pass

@pytest.mark.hypothesis
def test_properties():
    pass
"""


def test_cases_repeat_those_before_them_and_other_forms_of_the_server_do_not(pytester):
    pytester.makepyfile(CASES.format(number=MOST + 1))
    items, _ = pytester.inline_genitems("-p", "no:cacheprovider", "-p", "no:asyncio")
    assert [item.name for item in repeats(items)] == [
        f"test_numbers[{MOST}]", f"test_servers[here-{MOST}]", f"test_servers[elsewhere-{MOST}]",
        "test_properties",
    ]  # fmt: skip
