"""What a failed test's world tells, as the plugin appends it to the test's report."""

from mockserver.testing.sessions.failure import SHOWN, report


def test_equal_requests_one_after_the_other_are_one_line(world, ask):
    for path in ("/account", "/senders", "/senders", "/senders", "/account"):
        ask(world, "GET", path)

    lines = report(world).splitlines()

    assert [line.split("/v3")[1] for line in lines] == ["/account 200", "/senders 200 (3 times)", "/account 200"]


def test_it_is_said_how_much_is_left_out(world, ask):
    for number in range(SHOWN + 5):
        ask(world, "GET", f"/senders?ip=198.51.100.{number}")

    first, *lines = report(world).splitlines()

    assert first == "(not shown: lines: 5)"
    assert len(lines) == SHOWN


def test_requests_that_are_too_old_to_be_folded_are_counted(world, ask):
    for _ in range(201):
        ask(world, "GET", "/account")

    assert report(world).splitlines()[0] == "(not shown: older requests: 1)"


def test_a_call_that_failed_is_told_with_its_last_outcome(world, ask):
    receiver = world.receiver()
    receiver.answer(status=404)
    ask(world, "POST", "/webhooks", json={"url": receiver.url, "events": ["delivered"]})

    world.trigger("delivered")
    world.deliveries.all(state="dropped", wait=5)

    assert f"    delivered to {receiver.url}: answered with 404, dropped after 1 attempt" in report(world)


def test_a_call_that_went_well_is_not_told(world, ask):
    receiver = world.receiver()
    ask(world, "POST", "/webhooks", json={"url": receiver.url, "events": ["delivered"]})

    world.trigger("delivered")
    world.deliveries.all(state="delivered", wait=5)

    assert "webhook calls" not in report(world)


def test_the_mails_are_told_with_their_codes(world, ask):
    ask(world, "POST", "/senders", json={"name": "Jo", "email": "jo@acme.test"})

    code = world.mailbox.latest(to="jo@acme.test").otp

    assert f"    to jo@acme.test: Verify your sender, one-time code {code}" in report(world)


def test_the_faults_are_told_with_their_hits(world, ask):
    fault = world.faults.add("server_error", times=1)
    ask(world, "GET", "/account")

    assert f"faults:\n    server_error ({fault.id}): 1 hit" in report(world)


def test_a_world_that_is_gone_says_so(world):
    world.drop()

    assert report(world).startswith("the journal cannot be read: 404: ")
