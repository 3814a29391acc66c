"""Whatever a stub's expressions give is an effect that can be performed, or refused with a sentence."""

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from mockserver.beyond.effects import check, perform, read
from mockserver.core.contract.errors import ServiceError

SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(max_size=8)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["email", "name", "content", "url", "a", "sms"]), inner, max_size=3)
    ),
    max_leaves=5,
)
PARTY = st.sampled_from(["a@b.test", "A <a@b.test>", {"email": "b@b.test", "name": "B"}])
TEXT = st.text(max_size=8)
#: What each member may be; of one in eight any value stands in its place.
MEMBERS = {
    "to": PARTY | st.lists(PARTY, min_size=1, max_size=3),
    "from": PARTY,
    "cc": PARTY,
    "bcc": st.lists(PARTY, max_size=2),
    "reply_to": PARTY,
    "subject": TEXT,
    "text": TEXT,
    "html": TEXT,
    "headers": st.dictionaries(st.sampled_from(["X-A", "To", "Content-Type"]), TEXT, max_size=2),
    "tags": st.lists(TEXT, max_size=2),
    "message_id": st.sampled_from(["<1@a.test>", "<2@a.test>"]),
    "attachments": st.lists(
        st.sampled_from([{"name": "a", "content": "QQ=="}, {"url": "https://a.test/b"}]), max_size=2
    ),
    "params": st.dictionaries(st.just("a"), VALUES, max_size=1),
    "event": st.sampled_from(["delivered", "hardBounce", "opened"]),
    "after": st.sampled_from(["PT0S", "PT1H", "P36525D"]),
    "payload": st.dictionaries(st.sampled_from(["tags", "event", "email"]), VALUES, max_size=2),
}


def members(needed, *optional):
    """A mapping of these members."""
    found = {name: st.one_of(*[MEMBERS[name]] * 7, VALUES) for name in (*needed, *optional)}
    return st.fixed_dictionaries(
        {name: found[name] for name in needed}, optional={name: found[name] for name in optional}
    )


CONTENT = members(
    ("to",), "from", "cc", "bcc", "reply_to", "subject", "text", "html", "headers", "tags", "message_id",
    "attachments", "params",
)  # fmt: skip
EFFECTS = st.one_of(
    st.fixed_dictionaries({"mail": CONTENT}),
    members(("event",), "to", "after", "payload", "subject", "tags", "message_id"),
    st.fixed_dictionaries({"credits": st.integers(-9, 1) | VALUES}),
    st.dictionaries(st.sampled_from(["mail", "event", "credits", "when"]), VALUES, max_size=3),
)


@pytest.fixture
def here(performer):
    return performer()


@given(st.lists(EFFECTS, max_size=3))
@examples(400)
def test_effects_are_performed_or_refused(here, written):
    try:
        effects = [read(row) for row in written]
        check(effects, here.caller)
    except (ValueError, ServiceError):
        return
    perform(effects, here.caller)
    here.workspace.catch_up()

    assert here.api.get("/_mock/mailbox").status_code == 200
    state = here.api.get("/_mock/state").json
    assert here.api.put("/_mock/state", json=state).status_code == 200
