"""What is somebody's gets a made-up value in its place, and the same one wherever it stands."""

import json
from ipaddress import ip_address

from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from tables import tables

from mockserver.beyond.replacements import Replacements

#: The parametrized cases by test.
CASES = tables(__file__)


def test_personal_value_is_replaced_by_a_placeholder():
    for text, replaced in CASES["a_value_of_somebody_is_replaced"]:
        assert Replacements().text(text) == replaced


def test_impersonal_value_stays_unchanged():
    for text in (
        "", " ", ".", "::", "@", "a@", "@b", "Hello, Ada.", "12:30:45", "2026-01-15T09:00:00.000+00:00", "1.2.3", "4.5",
        "5c6cfa04-eed9-42c2-8b5c-6d470d978e9d", "{{ params.link }} and {% if contact.ID %}", "image.png, report.csv",
        "e.g. this", "127.0.0.1", "::1", "http://127.0.0.1:8003", "localhost", "example.com", "acme.test", "%", "'",
        "request.json", "ada@acme.test", "a@mail.example.org", "a..b.com..", "999.1.1.1", "100%",
    ):  # fmt: skip
        assert Replacements().text(text) == text


def test_the_same_value_has_the_same_replacement_everywhere():
    found = Replacements().value([{"email": "ada@acme.com"}, "acme.com", "<a href='mailto:ada@acme.com'>"])
    assert found == [{"email": "user1@host1.test"}, "host1.test", "<a href='mailto:user1@host1.test'>"]


def test_names_of_members_are_replaced_as_well():
    assert Replacements().value({"ada@acme.com": 1}) == {"user1@host1.test": 1}


def test_values_other_than_text_stay_unchanged():
    assert Replacements().value([1, 2.5, True, None, {}, []]) == [1, 2.5, True, None, {}, []]


def test_replaced_values_are_counted_by_kind():
    replacements = Replacements()
    replacements.text("ada@acme.com, ada@acme.com, bob@acme.com at 10.0.0.1")
    assert replacements.counts == {"key": 0, "e-mail address": 2, "host": 1, "IP address": 1}


def test_there_are_replacements_for_any_number_of_addresses():
    replacements = Replacements()
    found = [replacements.text(f"10.0.{number // 256}.{number % 256}") for number in range(1, 1_000)]

    assert len(set(found)) == len(found)
    assert found[761] == "203.0.113.254"
    assert found[762] == "2001:db8::2fb"
    assert all(ip_address(address).is_reserved or not ip_address(address).is_global for address in found)


PIECES = [
    "ada", "@", "acme.com", ".", ":", "%40", "'", "10.0.0.7", "::", "{{", "}}", "//", "-", "bücher.de", " ", "xkeysib-",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@examples(300)
def test_random_text_stays_unchanged_when_replaced_again(text):
    replaced = Replacements().text(text)
    assert "ada@acme.com" not in replaced
    assert Replacements().text(text) == replaced


JSON = st.recursive(
    st.text(max_size=8) | st.none() | st.integers(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=4), inner),
)


@given(JSON)
@examples(100)
def test_a_value_keeps_its_form(value):
    def form(found):
        if isinstance(found, dict):
            return [form(inner) for inner in found.values()]
        return [form(inner) for inner in found] if isinstance(found, list) else type(found)

    assert form(Replacements().value(value)) == form(value)
    json.dumps(Replacements().value(value))
