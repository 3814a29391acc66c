"""What is under way in a world goes on as if nothing had happened while something is added to it."""

MORE = {"senders": [{"name": "More", "email": "more@acme.test"}]}


def test_a_call_that_is_under_way_is_made_once(world, peer, later):
    peer.answers = ["hold"]
    world.trigger("delivered")
    peer.await_calls(1)

    world.seed(MORE)
    waiting = later(world.deliveries.all, state="delivered", wait=9)
    peer.lets_go.set()

    assert [len(found.attempts) for found in waiting()] == [1]
    assert len(peer.bodies) == 1


def test_a_move_of_the_clock_goes_on(world, peer, later, await_watcher):
    peer.answers = ["hold"]
    world.trigger("delivered")
    peer.await_calls(1)
    moving = later(world.clock.advance, "PT5M")
    await_watcher()

    world.seed(MORE)
    peer.lets_go.set()

    moving()
    assert [found.state for found in world.deliveries.all()] == ["delivered"]
    assert world.clock.now.minute == 5


def test_a_call_that_waits_for_its_retry_is_made_when_it_was_due(world, peer):
    peer.answers = [429]
    world.trigger("delivered")
    world.clock.advance("PT1M")

    world.seed(MORE)
    world.clock.advance("PT9M")

    assert [[attempt.status for attempt in found.attempts] for found in world.deliveries.all()] == [[429, 200]]
