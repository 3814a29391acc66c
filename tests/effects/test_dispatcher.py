"""Tasks are carried out by threads of their own: how many at once, how many wait, in which order, and until when."""

import queue
import threading
import time
from collections import Counter

import pytest

from mockserver.core.workspaces.storage import StorageError
from mockserver.effects.dispatcher import Dispatcher, Task

PATIENCE = 10


class Hold:
    """Tasks that go on until they are let go."""

    def __init__(self):
        self.begun = Counter()
        self._lock = threading.Lock()
        self._begun, self._done = threading.Semaphore(0), threading.Semaphore(0)
        self._over = threading.Event()

    def task(self, host=""):
        def work():
            with self._lock:
                self.begun[host] += 1
            self._begun.release()
            self._over.wait(PATIENCE)

        return Task(work, lambda _: self._done.release(), host=host)

    def let_go(self):
        self._over.set()

    def await_begun(self, number):
        assert all(self._begun.acquire(timeout=PATIENCE) for _ in range(number))

    def await_done(self, number):
        assert all(self._done.acquire(timeout=PATIENCE) for _ in range(number))


@pytest.fixture
def hold():
    found = Hold()
    yield found
    found.let_go()


@pytest.fixture
def make():
    made = []

    def dispatcher(**options):
        made.append(Dispatcher(**options))
        return made[-1]

    yield dispatcher
    for found in made:
        found.close()


def test_full_queue_refuses_further_tasks(make, hold):
    dispatcher = make(threads=2, concurrency=2, waiting=3)
    taken = [dispatcher.submit(hold.task()) for _ in range(2)]
    hold.await_begun(2)

    taken += [dispatcher.submit(hold.task()) for _ in range(5)]

    assert taken == [True] * 5 + [False] * 2
    hold.let_go()
    hold.await_done(5)


def test_a_task_does_not_wait_for_one_that_has_just_begun(make, hold):
    dispatcher = make()
    for _ in range(16):
        assert dispatcher.submit(hold.task())
    hold.await_begun(16)
    hold.let_go()
    hold.await_done(16)


def test_a_host_leaves_threads_for_others(make, hold):
    dispatcher = make(threads=3, concurrency=2)
    for host in ("a", "a", "a", "a", "b"):
        dispatcher.submit(hold.task(host))
    hold.await_begun(3)

    assert hold.begun == {"a": 2, "b": 1}
    hold.let_go()
    hold.await_done(5)


def test_task_is_skipped_when_no_longer_wanted(make, hold):
    dispatcher = make(threads=1)
    dispatcher.submit(hold.task())
    hold.await_begun(1)
    dispatcher.submit(Task(lambda: hold.begun.update(["unwanted"]), lambda _: None, lambda: False))
    dispatcher.submit(hold.task())

    hold.let_go()
    hold.await_done(2)

    assert "unwanted" not in hold.begun


def test_a_task_that_fails_leaves_its_thread_to_the_next(make, hold, caplog):
    dispatcher = make(threads=1)
    dispatcher.submit(Task(lambda: 1 / 0, lambda _: None))
    dispatcher.submit(hold.task())
    hold.let_go()
    hold.await_done(1)

    assert "ZeroDivisionError" in caplog.text


class TimingOut(threading.Condition):
    """A condition whose next wait does `meanwhile`, and has timed out then."""

    meanwhile = None

    def wait(self, timeout=None):
        if self.meanwhile is None:
            return super().wait(timeout)
        meanwhile, self.meanwhile = self.meanwhile, None
        meanwhile()
        return False


@pytest.mark.parametrize("queue_task", [Dispatcher.submit, lambda dispatcher, task: dispatcher.repeat(task, 0.01)])
def test_task_is_carried_out_when_the_only_thread_has_just_been_idle_for_too_long(make, hold, queue_task):
    dispatcher = make(threads=1)
    dispatcher._changed = TimingOut()  # noqa: SLF001  # the moment is too short to be hit from outside
    dispatcher._changed.meanwhile = lambda: queue_task(dispatcher, hold.task())  # noqa: SLF001  # as above
    dispatcher.submit(hold.task())
    hold.let_go()
    hold.await_done(2)


def test_what_waits_and_what_is_under_way_is_unfinished(make, hold):
    dispatcher = make(threads=1)
    dispatcher.submit(hold.task())
    hold.await_begun(1)
    dispatcher.submit(hold.task())

    assert dispatcher.unfinished == 2


def test_closed_dispatcher_refuses_tasks(make, hold):
    dispatcher = make()
    dispatcher.close()

    assert not dispatcher.submit(hold.task())


# ---------------------------------------------------------------------- once more, later


class Log:
    """Tasks that tell when they are done; one is repeated once, after so many seconds."""

    def __init__(self, dispatcher):
        self._dispatcher, self._done = dispatcher, queue.Queue()

    def task(self, name):
        return Task(lambda: name, self._done.put)

    def submit(self, name, wanted):
        assert self._dispatcher.submit(self.task(name)._replace(wanted=wanted))

    def failing(self, name, after):
        return Task(lambda: name, lambda _: self._dispatcher.repeat(self.task(name), after))

    def next(self):
        return self._done.get(timeout=PATIENCE)


def test_a_task_is_repeated_when_its_time_has_come(make):
    dispatcher = make(threads=1)
    log = Log(dispatcher)
    began = time.monotonic()

    dispatcher.submit(log.failing("a", after=0.05))

    assert log.next() == "a"
    assert time.monotonic() - began >= 0.05


def test_other_tasks_are_done_while_one_waits_to_be_repeated(make):
    dispatcher = make(threads=1)
    log = Log(dispatcher)
    dispatcher.submit(log.failing("later", after=60))

    dispatcher.submit(log.task("now"))

    assert log.next() == "now"
    assert dispatcher.unfinished >= 1


def test_a_task_is_asked_again_whether_it_is_wanted_while_the_store_is_away(make, monkeypatch):
    monkeypatch.setattr("mockserver.effects.dispatcher._AWAY_S", 0.01)
    log = Log(make(threads=1))
    asked = []

    def wanted():
        asked.append(1)
        if len(asked) < 3:
            raise StorageError("the store is away")
        return True

    log.submit("a", wanted)

    assert (log.next(), len(asked)) == ("a", 3)


def test_what_is_due_sooner_is_repeated_first(make):
    dispatcher = make(threads=1)
    log = Log(dispatcher)

    dispatcher.submit(log.failing("second", after=0.5))
    dispatcher.submit(log.failing("first", after=0.05))

    assert [log.next(), log.next()] == ["first", "second"]


def test_a_task_is_repeated_however_many_wait(make, hold):
    dispatcher = make(threads=1, waiting=1)
    log = Log(dispatcher)
    dispatcher.submit(hold.task())
    hold.await_begun(1)
    dispatcher.submit(log.failing("again", after=0))
    hold.let_go()

    assert log.next() == "again"


def test_closed_dispatcher_repeats_no_task(make):
    dispatcher = make(threads=1)
    log = Log(dispatcher)
    dispatcher.close()

    dispatcher.repeat(log.task("again"), 0)

    assert dispatcher.unfinished == 0
