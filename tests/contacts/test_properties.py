"""Whatever is done with contacts and lists, in whatever order: what is counted and found agrees with what there is."""

from __future__ import annotations

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from mockserver.resources.contacts.rows import Contact, ContactList, Identifiers

EMAILS, PHONES, IDS = ["ada@acme.test", "Bob@acme.test"], ["33612345678", "+4915112345"], ["crm-1", "crm-2"]
SOME = st.sampled_from
LISTS = st.lists(st.integers(1, 3), max_size=2)
MEMBERS = st.fixed_dictionaries(
    {},
    optional={
        "email": SOME(EMAILS),
        "ext_id": SOME(IDS),
        "attributes": st.fixed_dictionaries(
            {}, optional={"EMAIL": SOME(EMAILS), "SMS": SOME([*PHONES, "", None]), "CITY": SOME(["Rome", ""])}
        ),
        "listIds": LISTS,
        "unlinkListIds": LISTS,
        "emailBlacklisted": st.booleans(),
        "updateEnabled": st.booleans(),
        "forceMerge": st.booleans(),
    },
)
CHOSEN = st.fixed_dictionaries({"ids": st.lists(st.integers(1, 4), min_size=1, max_size=2)})
CALLS = st.one_of(
    st.tuples(st.just("POST"), st.just(""), MEMBERS),
    st.tuples(st.just("PUT"), SOME(["/1", "/2", "/3"]), MEMBERS),
    st.tuples(st.just("DELETE"), SOME(["/1", "/2", "/lists/3", "/folders/2", "/attributes/normal/CITY"]), st.none()),
    st.tuples(st.just("POST"), SOME(["/lists/1/contacts/add", "/lists/1/contacts/remove"]), CHOSEN),
    st.tuples(st.just("POST"), st.just("/lists/2/contacts/remove"), st.just({"all": True})),
    st.tuples(st.just("PUT"), st.just("/lists/1"), st.just({"folderId": 2})),
)  # fmt: skip
SCENARIO = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "attributes": {"normal": ["CITY"]},
    "contact_folders": [{"id": 2, "name": "Shops"}],
    "contact_lists": [{"name": "a"}, {"name": "b"}, {"name": "c", "folder_id": 2}],
}


@pytest.fixture
def after(make_api):
    """The account of a workspace after these calls, none of which has failed on the side of the server."""
    api = make_api("empty")

    def called(calls):
        assert api.post("/_mock/reset", json={"scenario": SCENARIO}).status_code == 200
        for method, path, body in calls:
            options = {} if body is None else {"json": body}
            assert api.request(method, f"/v3/contacts{path}", **options).status_code in (201, 204, 400, 404)
        return api, api.workspace.state.first_account

    return called


@examples(150)
@given(st.lists(CALLS, max_size=12))
def test_lists_have_the_contacts_that_are_in_them_and_count_the_blacklisted_ones(after, calls):
    _, account = after(calls)

    contacts = account.rows_of(Contact)
    for number, found in account.rows_of(ContactList).items():
        members = {row.id for row in contacts.values() if number in row.lists}
        assert found.members.keys() == members
        assert found.blacklisted == sum(contacts[member].email_blacklisted for member in members)
    assert {number for row in contacts.values() for number in row.lists} <= account.rows_of(ContactList).keys()


@examples(150)
@given(st.lists(CALLS, max_size=12))
def test_index_has_exactly_the_identifiers_of_contacts(after, calls):
    _, account = after(calls)

    wanted = {}
    for row in account.rows_of(Contact).values():
        keys = {"email_id": row.email, "phone_id": row.phone, "ext_id": row.ext_id}
        wanted |= {f"{kind} {value}": row.id for kind, value in keys.items() if value}
    assert account.record(Identifiers) == wanted


@examples(60)
@given(st.lists(CALLS, max_size=12))
def test_the_written_state_gives_the_same_state(after, calls):
    api, account = after(calls)
    state, stored = api.get("/_mock/state").json, account.stored

    assert api.put("/_mock/state", json=state).status_code == 200

    assert api.get("/_mock/state").json == state
    assert api.workspace.state.first_account.stored == stored
