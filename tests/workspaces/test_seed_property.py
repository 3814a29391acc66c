"""Seeding adds to a running workspace what loading the workspace's own document with the additions in it would give."""

import copy
import json

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from state_comparison import equal

from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.scenario.dump import dump
from mockserver.scenario.load import load

OF_THE_WORKSPACE = {"accounts", "description", "strict", "behaviour", "faults", "dns", "oauth_apps"}

few = st.integers(1, 4)
ids = st.integers(1, 6)
emails = st.builds("{}@b{}.test".format, st.sampled_from("abcdefgh"), few)
domains = st.builds("d{}.test".format, few)


def rows(**members):
    return st.lists(st.fixed_dictionaries(members.pop("required", {}), optional=members), max_size=3)


ANSWER = st.sampled_from(("ok", "missing"))
DNS = st.fixed_dictionaries({}, optional=dict.fromkeys(("brevo_code", "dkim_record", "dmarc_record"), ANSWER))
RESOURCES = {
    "senders": rows(
        required={"name": st.just("S"), "email": emails},
        id=ids,
        state=st.sampled_from(("verified", "awaiting_verification")),
    ),
    "domains": rows(
        required={"name": domains}, state=st.sampled_from(("pending", "verified", "authenticated")), dns=DNS
    ),
    "webhooks": rows(required={"url": st.just("http://127.0.0.1:9/"), "events": st.just(["delivered"])}, id=ids),
    "inbound_events": rows(
        required={"date": st.builds("-PT{}H".format, few), "sender": emails, "recipient": emails},
    ),
    "campaigns": rows(required={"name": st.just("C")}, id=ids, share=st.sampled_from("xyz")),
    "scheduled_emails": rows(required={"to": emails, "scheduled_at": st.builds("PT{}H".format, few)}),
    "attributes": st.fixed_dictionaries({}, optional={"normal": st.lists(st.sampled_from("ABC"), max_size=2)}),
    "plan": st.just([{"type": "free", "credits": 5}]),
    "address": st.fixed_dictionaries({}, optional={"city": st.just("Berlin"), "street": st.just("Weg")}),
    "generate": st.fixed_dictionaries({}, optional={"senders": few, "domains": few, "campaigns": few}),
}
SAID = {"company_name": st.just("Co"), "users": rows(required={"email": emails}), "revoked_keys": st.just(["gone"])}
ASSIGNED = st.fixed_dictionaries(
    {}, optional={"credits": st.fixed_dictionaries({}, optional={"email": st.integers(0, 2000), "sms": few})}
)
ACCOUNTS = st.lists(
    st.one_of(
        st.fixed_dictionaries({"name": st.sampled_from(("acme", "other", "new"))}, optional={**RESOURCES, **SAID}),
        st.fixed_dictionaries({"name": st.just("eu")}, optional={**RESOURCES, "assigned": ASSIGNED}),
        st.fixed_dictionaries(
            {"name": st.just("asia"), "role": st.just("sub_account"), "of": st.just("acme")},
            optional={**RESOURCES, "assigned": ASSIGNED, "id": st.integers(1000001, 1000009)},
        ),
        st.fixed_dictionaries({"name": st.just("acme"), "pool": ASSIGNED}),
    ),
    max_size=3,
    unique_by=lambda account: account["name"],  # one that comes twice is refused
)
PARTS = st.fixed_dictionaries(
    {},
    optional={
        **RESOURCES,
        "accounts": ACCOUNTS,
        "dns": st.dictionaries(domains, DNS, max_size=2),
        "behaviour": st.sampled_from(({"otp_lifetime": "PT1M"}, {"authenticate_domain": {"attempts": 2}})),
        "faults": rows(required={"fault": st.just("unavailable")}, id=st.sampled_from(("one", "two"))),
        "strict": st.booleans(),
    },
).filter(bool)


def laid(before, value, name=""):
    if isinstance(before, dict) and isinstance(value, dict) and name != "authenticate_domain":
        return {**before, **{key: laid(before.get(key), inner, key) for key, inner in value.items()}}
    return [*before, *value] if isinstance(before, list) and isinstance(value, list) else value


def whole(state, part):
    """The document of a workspace with a partial one laid into it."""
    state = copy.deepcopy(state)
    accounts = state["accounts"]
    for key, value in part.items():
        if key == "accounts":
            for item in value:
                same = next((row for row in accounts if row["name"] == item["name"]), None)
                if same is None:
                    accounts.append(copy.deepcopy(item))
                else:
                    same.update(laid(same, item))
        else:
            home = state if key in OF_THE_WORKSPACE else accounts[0]
            home[key] = laid(home.get(key), value, key)
    return state


@pytest.fixture
def story_api(make_api, story):
    return make_api(story)


@examples(60)
@given(parts=st.lists(PARTS, min_size=1, max_size=3))
def test_seeding_equals_loading_a_merged_document(story_api, parts):
    assert story_api.post("/_mock/reset").status_code == 200
    for part in parts:
        before = dump(story_api.workspace)
        try:
            expected = dump(load(whole(before, part), name="default"))
        except ScenarioError as error:
            expected, mistakes = before, error.mistakes
        else:
            mistakes = ()

        answer = story_api.post("/_mock/seed", json=part)

        assert (answer.status_code == 200) is not bool(mistakes), answer.json
        assert without_links(dump(story_api.workspace)) == without_links(expected)


def without_links(document):
    """A document as JSON without what has caused what: only what was added by a call has a cause."""
    found = json.loads(json.dumps(document))
    found["resume"].pop("links", None)
    return found


def test_nothing_that_happens_in_a_trial_reaches_the_workspace(story_api, monkeypatch):
    workspace = story_api.workspace
    before, state, feed = dump(workspace), copy.deepcopy(workspace.state), workspace.feed.last
    trial = workspace.dry_run()

    monkeypatch.setattr(type(story_api.app.store), "default", trial)  # so that calls act on it
    story_api.post("/v3/domains", json={"name": "new.test"})
    story_api.put("/_mock/dns/acme.test", json={"dkim_record": "missing", "dmarc_record": "missing"})
    for _ in range(2):
        assert story_api.delete("/v3/senders/1").status_code == 204 or dump(trial) != before

    assert dump(trial) != before
    assert equal(workspace.state, state)
    assert workspace.feed.last == feed
