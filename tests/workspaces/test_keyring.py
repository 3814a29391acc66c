"""Keys that the mock draws are known again, and no two accounts ever share one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mockserver.core.state.identifiers import Keyring, api_key, is_drawn

BODIES = st.text("0123456789abcdef", min_size=64, max_size=64)


@given(body=BODIES)
def test_every_key_that_is_drawn_is_known_as_such(body):
    assert is_drawn(api_key(body))


@given(
    body=BODIES,
    place=st.integers(8, 71),
    sign=st.sampled_from("0123456789abcdef"),
)
def test_altered_api_key_is_not_recognised(body, place, sign):
    key = api_key(body)
    changed = key[:place] + sign + key[place + 1 :]

    assert is_drawn(changed) == (changed == key)


@given(text=st.text(max_size=100) | st.from_regex(r"xkeysib-[0-9a-f]{64}-[0-9A-Za-z]{16}", fullmatch=True))
def test_random_text_is_no_api_key(text):
    assert not is_drawn(text)


KEYS = st.lists(st.none() | st.lists(st.sampled_from("abcdef"), max_size=3, unique=True), min_size=1, max_size=5)


@given(documents=st.lists(KEYS, min_size=1, max_size=5), first=st.none() | st.just("first"))
def test_a_keyring_never_gives_a_key_twice_and_keeps_its_own(documents, first):
    ring = Keyring(1, "w", first=first)
    gone = set()
    own = []
    for wanted in documents:
        before, own = own, ring.own(wanted, gone)
        drawn = [key for keys in own for key in keys if ring.leads(key)]
        assert len(set(drawn)) == len(drawn)
        for place, (keys, named) in enumerate(zip(own, wanted, strict=True)):
            count = (1 if named is None else len(named)) + (place == 0 and first is not None)
            assert all(key == first or is_drawn(key) for key in keys[:count])
            assert keys[count:] == (named or [])
        assert not gone & set(drawn)
        assert ring.own(own, gone) == own  # what it has written, it reads
        gone |= {key for keys in before for key in keys if ring.leads(key)} - set(drawn) - {first}
