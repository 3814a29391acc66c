"""Which differences between a value that was told and one that is published make no difference."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.resources.domains.lookup import Question, compare

CODE = "brevo-code:0a1b2c3d4e5f60718293a4b5c6d7e8f9"
DKIM = "v=DKIM1; k=rsa; p=MIGfMA0GCSqG/SIb3+DQEBAQUAA4GN"
DMARC = "v=DMARC1; p=none; rua=mailto:rua@dmarc.brevo.com"
HOST = "b1.acme-test.dkim.brevo.com"

BLANKS = st.text(" \t", max_size=3)
BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def status(record, told, *values):
    return compare(
        Question(record, "name.test", "TXT", told), SimpleNamespace(values=values, failure=None, detail="")
    ).status


@given(tags=st.permutations(["v=DKIM1", "k=rsa", "p=MIGfMA0GCSqG/SIb3+DQEBAQUAA4GN"]), data=st.data())
def test_blanks_and_order_of_the_tags_of_a_key_make_no_difference(tags, data):
    published = ";".join(f"{data.draw(BLANKS)}{tag.replace('=', data.draw(BLANKS) + '=', 1)}" for tag in tags)
    published += data.draw(st.sampled_from(["", ";", " ; "]))

    assert status("dkim_record", DKIM, published) == "ok"


@given(place=st.integers(0, len("MIGfMA0GCSqG/SIb3+DQEBAQUAA4GN") - 1), sign=st.sampled_from(BASE64))
def test_every_sign_of_a_key_counts(place, sign):
    start, end = DKIM[: 18 + place], DKIM[19 + place :]
    published = f"{start}{sign}{end}"

    assert status("dkim_record", DKIM, published) == ("ok" if published == DKIM else "wrong")


@given(others=st.lists(st.text(max_size=20), max_size=5), place=st.integers(0, 5))
def test_a_record_is_found_among_others(others, place):
    published = [*others[:place], CODE, *others[place:]]

    assert status("brevo_code", CODE, *published) == "ok"


@given(flips=st.lists(st.booleans(), min_size=len(HOST), max_size=len(HOST)), dot=st.sampled_from(["", "."]))
def test_case_and_last_dot_of_a_name_make_no_difference(flips, dot):
    published = "".join(sign.upper() if flip else sign for sign, flip in zip(HOST, flips, strict=True))

    assert status("dkim1Record", HOST, published + dot) == "ok"


@given(
    policy=st.sampled_from(["none", "quarantine", "REJECT"]), end=st.sampled_from(["", ";", "; pct=50", ";sp=none;"])
)
def test_every_dmarc_policy_with_reports_is_accepted(policy, end):
    assert status("dmarc_record", DMARC, f"v=DMARC1;p={policy} ; rua=mailto:a@b.test,mailto:c@d.test{end}") == "ok"


@given(st.lists(st.text(max_size=60), min_size=1, max_size=4), st.sampled_from([CODE, DKIM, DMARC]))
def test_no_value_is_too_odd_to_be_judged(published, told):
    record = {CODE: "brevo_code", DKIM: "dkim_record", DMARC: "dmarc_record"}[told]
    expected = "ok" if told in published else {"brevo_code": ("missing", "wrong")}.get(record, ("wrong",))

    assert status(record, told, *published) in expected


@pytest.mark.parametrize(
    ("record", "told", "published"),
    [
        ("dkim_record", DKIM, f'"{DKIM}"'), ("dkim_record", DKIM, f"{DKIM}; p=another"),
        ("dkim_record", DKIM, DKIM.replace("; p", " p")), ("dkim_record", DKIM, DKIM.replace("k=rsa", "k=ed25519")),
        ("dkim_record", DKIM, DKIM.lower()), ("dkim_record", DKIM, ""), ("brevo_code", CODE, CODE.replace(":", "=")),
        ("brevo_code", CODE, f'"{CODE}"'), ("brevo_code", CODE, f"{CODE}0"), ("dkim1Record", HOST, f"{HOST}.acme.test"),
        ("dmarc_record", DMARC, "p=none; v=DMARC1; rua=mailto:a@b.test"),
        ("dmarc_record", DMARC, "v=DMARC1; rua=mailto:a@b.test"),
        ("dmarc_record", DMARC, "v=DMARC1; p=nothing; rua=mailto:a@b.test"),
        ("dmarc_record", DMARC, "v=dmarc1; p=none; rua=mailto:a@b.test"),
        ("dmarc_record", DMARC, "v=DMARC1 p=none rua=mailto:a@b.test"),
    ],
)  # fmt: skip
def test_what_mail_servers_would_not_take_is_wrong(record, told, published):
    assert status(record, told, published) == "wrong"
