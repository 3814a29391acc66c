"""What OAuth makes of texts from outside: addresses, scopes, credentials and forms, whatever stands in them."""

from __future__ import annotations

import re
from base64 import b64encode
from urllib.parse import parse_qsl, quote, quote_plus, unquote_plus, urlencode, urlsplit

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Request

from mockserver.core.contract.errors import ServiceError
from mockserver.resources.oauth import apps, discovery
from mockserver.resources.oauth.apps import App
from mockserver.resources.oauth.authorization import add_query
from mockserver.web.endpoints.request import query_pairs, read_form

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


def outcome(call, *arguments):
    """What comes of a call: a value, or the status and the code of a refusal."""
    try:
        return call(*arguments), None
    except ServiceError as error:
        return None, (error.status, error.code.code)


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
def test_splitting_again_changes_nothing(text):
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


# ---------------------------------------------------------------------- credentials

CREDENTIAL = st.from_regex(r"[A-Za-z0-9._~-]{1,40}", fullmatch=True)
SECRET = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)


@pytest.fixture
def workspace_with_app(make_api):
    """A workspace into which an example puts the one app that it is about."""
    workspace = make_api("empty").workspace

    def holding(client_id, secret):
        table = workspace.state.table(App)
        table.clear()
        table[client_id] = App(client_id, secret, "App", (), (), public=secret is None, account="default")
        return workspace

    return holding


def basic(text):
    return f"Basic {b64encode(text.encode()).decode()}"


@given(CREDENTIAL, SECRET)
def test_an_app_proves_itself_by_basic_encoded_or_not_and_by_the_form(workspace_with_app, client_id, secret):
    workspace_with_app = workspace_with_app(client_id, secret)
    ways = [
        (basic(f"{client_id}:{secret}"), {}),
        (basic(f"{quote_plus(client_id)}:{quote_plus(secret)}"), {}),
        (basic(f"{quote(client_id)}:{quote(secret, safe='')}"), {"client_id": client_id}),
        (basic(f"{client_id}:{secret}").replace("Basic", "bASIC"), {}),
        ("", {"client_id": client_id, "client_secret": secret}),
        ("Bearer x", {"client_id": client_id, "client_secret": secret}),
    ]
    assert [apps.authenticate(workspace_with_app, *way).client_id for way in ways] == [client_id] * len(ways)


@given(CREDENTIAL, SECRET, SECRET)
def test_no_other_secret_proves_it(workspace_with_app, client_id, secret, guess):
    assume(secret not in (guess, unquote_plus(guess)))
    workspace_with_app = workspace_with_app(client_id, secret)
    for header, form in (
        (basic(f"{client_id}:{guess}"), {}),
        ("", {"client_id": client_id, "client_secret": guess}),
        ("", {"client_id": client_id}),
    ):
        with pytest.raises(ServiceError) as refused:
            apps.authenticate(workspace_with_app, header, form)
        assert (refused.value.status, refused.value.code.code) == (401, "invalid_client")


@given(CREDENTIAL, SECRET)
def test_a_public_app_has_nothing_to_prove_and_no_secret(workspace_with_app, client_id, guess):
    workspace_with_app = workspace_with_app(client_id, None)
    assert apps.authenticate(workspace_with_app, "", {"client_id": client_id}).public
    assert apps.authenticate(workspace_with_app, basic(f"{client_id}:"), {}).public
    with pytest.raises(ServiceError):
        apps.authenticate(workspace_with_app, "", {"client_id": client_id, "client_secret": guess})


@given(
    st.binary(max_size=40).map(lambda raw: f"Basic {b64encode(raw).decode()}")
    | st.text(st.characters(max_codepoint=255), max_size=40).map("Basic ".__add__)
    | st.text(st.characters(max_codepoint=255), max_size=40),
    st.dictionaries(st.sampled_from(["client_id", "client_secret"]), SECRET),
)
def test_any_header_is_refused_or_that_of_an_app(workspace_with_app, header, form):
    found, error = outcome(apps.authenticate, workspace_with_app("app", "s3cret"), header, form)
    if error is not None:
        assert error in ((401, "invalid_client"), (400, "invalid_request"))
        return
    assert found.client_id == "app"
    assert header == basic("app:s3cret") or form == {"client_id": "app", "client_secret": "s3cret"}


# ---------------------------------------------------------------------- forms

FORM = "application/x-www-form-urlencoded"


def request(raw, kind=FORM):
    return Request(EnvironBuilder(method="POST", data=raw, content_type=kind).get_environ())


@given(MEMBERS)
def test_a_form_says_what_was_written_into_it_but_for_what_is_empty(members):
    found = read_form(request(urlencode(members)))
    assert found == {name: value for name, value in members.items() if value}
    assert dict(query_pairs(urlencode(members))) == members


@given(MEMBERS, st.data())
def test_a_member_that_comes_twice_is_refused_whatever_it_says(members, data):
    name = data.draw(st.sampled_from(list(members)))
    pairs = [*members.items(), (name, data.draw(TEXT))]
    with pytest.raises(ServiceError, match="must not be given twice"):
        read_form(request(urlencode(data.draw(st.permutations(pairs)))))


@given(st.binary(max_size=60) | st.text("a=&%f0+;\xff", max_size=60).map(lambda text: text.encode("latin-1")))
def test_any_body_is_a_form_of_text_or_refused(raw):
    found, error = outcome(read_form, request(raw))
    if error is not None:
        assert error == (400, "invalid_request")
        return
    for text in (*found, *found.values()):
        text.encode()
    assert all(found.values())


@given(MEMBERS, st.sampled_from(["", "text/plain", "application/json", "multipart/form-data; boundary=x", f"{FORM}x"]))
def test_only_declared_forms_are_read(members, kind):
    with pytest.raises(ServiceError) as refused:
        read_form(request(urlencode(members), kind))
    assert refused.value.status == 400


@given(st.integers(0, 200))
def test_a_form_has_a_bounded_number_of_members(number):
    body = "&".join(f"a{index}=1" for index in range(number))
    found, _ = outcome(read_form, request(body))
    assert (found is not None) == (number <= 50)
