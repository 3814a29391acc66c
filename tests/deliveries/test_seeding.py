"""Calls and advances that are under way in a workspace go on while a partial document is added to it."""

MORE = {"senders": [{"name": "More", "email": "more@acme.test"}]}


def test_a_call_that_is_under_way_is_made_once(workspace, peer, later):
    peer.answers = ["hold"]
    workspace.trigger("delivered")
    peer.await_calls(1)

    workspace.seed(MORE)
    waiting = later(workspace.deliveries.all, state="delivered", wait=9)
    peer.lets_go.set()

    assert [len(found.attempts) for found in waiting()] == [1]
    assert len(peer.bodies) == 1


def test_a_move_of_the_clock_goes_on(workspace, peer, later, await_watcher):
    peer.answers = ["hold"]
    workspace.trigger("delivered")
    peer.await_calls(1)
    moving = later(workspace.clock.advance, "PT5M")
    await_watcher()

    workspace.seed(MORE)
    peer.lets_go.set()

    moving()
    assert [found.state for found in workspace.deliveries.all()] == ["delivered"]
    assert workspace.clock.now.minute == 5


def test_a_call_that_waits_for_its_retry_is_made_when_it_was_due(workspace, peer):
    peer.answers = [429]
    workspace.trigger("delivered")
    workspace.clock.advance("PT1M")

    workspace.seed(MORE)
    workspace.clock.advance("PT9M")

    assert [[attempt.status for attempt in found.attempts] for found in workspace.deliveries.all()] == [[429, 200]]
