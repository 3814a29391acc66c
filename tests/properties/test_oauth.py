"""OAuth reads any address and any list of scopes, or refuses it."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

from hypothesis import assume, given
from hypothesis import strategies as st

from mockserver.resources.oauth import apps, discovery
from mockserver.resources.oauth.authorization import add_query

#: Text that can be UTF-8.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
MEMBERS = st.dictionaries(TEXT.filter(bool), TEXT, min_size=1, max_size=5)
#: Addresses that an app can register, with queries of its own.
URIS = st.builds(
    "{}{}{}".format,
    st.sampled_from(
        [
            "https://app.test", "http://127.0.0.1:8080", "https://[::1]:9", "myapp://done", "myapp://", "my.app:",
            "HTTPS://A.test",
        ]
    ),
    st.sampled_from(["", "/", "//", "/callback", "///callback", "/a&b", "/a=b;c", "/%3F"]),
    st.sampled_from(["", "?", "?a=1", "?a=1&", "?a", "?=", "?code=own&state=own", "?a=%20+", "??", "?a=1?"]),
)  # fmt: skip
#: Text that is nearly an address.
NEARLY = st.text("htps:/.@[]#?\\%;, javscript0-9\t\r\n\x00é", max_size=40).map("https://a.test/".__add__) | st.text(
    "https:/jav@[].;#?\\%, \t\n", max_size=40
)
SCOPES = st.sampled_from([*discovery.CATALOGUE, "nothing:read", "ALL", "", "all\tall"])


# ---------------------------------------------------------------------- the way back


@given(URIS, MEMBERS)
def test_the_way_back_begins_with_the_address_as_it_was_registered(uri, members):
    found = add_query(uri, members)
    assert found.startswith(uri)
    assert urlsplit(found)[:3] == urlsplit(uri)[:3]


@given(URIS, MEMBERS)
def test_the_way_back_says_what_the_address_said_and_then_the_answer(uri, members):
    found = urlsplit(add_query(uri, members)).query
    own = parse_qsl(urlsplit(uri).query, keep_blank_values=True)
    assert parse_qsl(found, keep_blank_values=True) == [*own, *members.items()]


@given(URIS, MEMBERS)
def test_the_way_back_is_one_line_of_ascii(uri, members):
    found = add_query(uri, members)
    assert found.isascii()
    assert found.isprintable()
    assert not set(found) & set(' "<>\\#')


# ---------------------------------------------------------------------- what can be registered


@given(URIS)
def test_a_good_address_can_be_registered(uri):
    assume(urlsplit(uri).scheme not in ("http", "https") or urlsplit(uri).netloc)
    assert apps.redirect_uri_problem(uri) is None


@given(NEARLY | TEXT)
def test_any_other_text_is_refused_or_leads_where_it_seems_to(uri):
    if apps.redirect_uri_problem(uri) is not None:
        return
    parts = urlsplit(uri)
    assert uri.isascii()
    assert uri.isprintable()
    assert not set(uri) & set(" #")
    assert parts.scheme
    assert parts.scheme not in ("javascript", "data", "vbscript", "file", "about", "blob")
    if parts.scheme in ("http", "https"):
        assert re.fullmatch(r"https?://[A-Za-z0-9._~\[\]:-]+([/?].*)?", uri, re.IGNORECASE)
        assert (parts.username, parts.password) == (None, None)
        assert "\\" not in uri


@given(URIS, st.sampled_from(["#", "#a", "\r\n", "\x00", " ", "\t", "é"]), st.integers(0, 60))
def test_forbidden_characters_make_any_address_invalid(uri, bad, place):
    assert apps.redirect_uri_problem(uri[:place] + bad + uri[place:]) is not None


# ---------------------------------------------------------------------- scopes


@given(st.lists(st.from_regex(r"[!-~]+", fullmatch=True)), st.integers(1, 3))
def test_scopes_are_split_at_blanks_each_once_in_their_order(names, blanks):
    assert discovery.split_scopes((" " * blanks).join(names)) == tuple(dict.fromkeys(names))
    assert discovery.split_scopes(f" {' '.join(names)} ") == tuple(dict.fromkeys(names))


@given(TEXT)
def test_splitting_scopes_twice_changes_nothing(text):
    found = discovery.split_scopes(text)
    assert discovery.split_scopes(" ".join(found)) == found
    assert all(name and " " not in name for name in found)


@given(st.lists(SCOPES, unique=True), st.lists(st.sampled_from(list(discovery.CATALOGUE)), unique=True))
def test_permitted_scopes_are_held_or_open_to_all(asked, held):
    more = discovery.uncovered_scopes(asked, held)
    assert set(more) <= set(asked)
    for name in set(asked) - set(more):
        assert name in held or "all" in held or name in ("openid", "profile", "email", "offline_access")
        assert name in discovery.CATALOGUE


@given(
    st.lists(SCOPES, unique=True),
    st.lists(st.sampled_from(list(discovery.CATALOGUE)), unique=True),
    st.sampled_from(list(discovery.CATALOGUE)),
)
def test_more_scopes_permit_no_fewer_requests(asked, held, another):
    assert set(discovery.uncovered_scopes(asked, [*held, another])) <= set(discovery.uncovered_scopes(asked, held))
    assert discovery.uncovered_scopes(held, held) == []
