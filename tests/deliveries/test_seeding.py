"""Calls and advances that are under way in a workspace go on while a partial document is added to it."""

MORE = {"senders": [{"name": "More", "email": "more@acme.test"}]}


def test_call_under_way_is_made_once_and_an_advance_continues_despite_seeding(
    hooked_workspace, peer, later, await_watcher
):
    peer.answers = ["hold"]
    hooked_workspace.trigger("delivered")
    peer.await_calls(1)
    waiting = later(hooked_workspace.deliveries.all, state="delivered", wait=9)
    moving = later(hooked_workspace.clock.advance, "PT5M")
    await_watcher(2)

    hooked_workspace.seed(MORE)
    peer.lets_go.set()

    assert [len(found.attempts) for found in waiting()] == [1]
    moving()
    assert len(peer.bodies) == 1
    assert hooked_workspace.clock.now.minute == 5


def test_a_call_that_waits_for_its_retry_is_made_when_it_was_due(hooked_workspace, peer):
    peer.answers = [429]
    hooked_workspace.trigger("delivered")
    hooked_workspace.clock.advance("PT1M")

    hooked_workspace.seed(MORE)
    hooked_workspace.clock.advance("PT9M")

    assert [[attempt.status for attempt in found.attempts] for found in hooked_workspace.deliveries.all()] == [
        [429, 200]
    ]
