import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.core.text.addresses import (
    ascii_form,
    below_registrable,
    comparable,
    is_host_name,
    registrable,
    unicode_form,
)


def test_every_spelling_of_a_name_has_one_form():
    for name, form in [
        ("Acme.Test", "acme.test"), ("BÜCHER.test", "xn--bcher-kva.test"), ("bu\u0308cher.test", "xn--bcher-kva.test"),
        ("straße.test", "xn--strae-oqa.test"), ("\uff41cme\uff0etest", "acme.test"),
        ("bücher。test", "xn--bcher-kva.test"), ("Acme.test.", "acme.test."), ("bücher。test。。", "bücher。test。。"),
        ("XN--BCHER-KVA.test", "xn--bcher-kva.test"), ("ü..test", "ü..test"), ("\ud800.test", "\ud800.test"),
    ]:  # fmt: skip
        assert ascii_form(name) == form


@given(st.text())
def test_second_normalisation_of_a_domain_changes_nothing(name):
    assert ascii_form(ascii_form(name)) == ascii_form(name)


def test_a_name_is_shown_as_people_write_it_as_far_as_that_can_be_seen():
    for name, form in [
        ("acme.test", "acme.test"), ("xn--bcher-kva.xn--zo-ija.test", "bücher.zoë.test"),
        ("xn--99999999.test", "xn--99999999.test"), ("xn--.test", "xn--.test"),
        ("xn--ab-g4t.test", "xn--ab-g4t.test"), ("xn--ab-zd9k.test", "xn--ab-zd9k.test"),
    ]:  # fmt: skip
        assert unicode_form(name) == form


def test_invalid_domain_names_are_rejected():
    for name in [
        "1.2.3.4", "acme.1", "acme.0x1f", "[::1]", "::1", "localhost", "", ".", "a..test", "-a.test", "a-.test",
        "a_b.test", "a b.test", "acme.test\n", "ü.test", "x" * 64 + ".test", "x." * 125 + "test",
    ]:  # fmt: skip
        assert not is_host_name(name)


@pytest.mark.parametrize("name", ["acme.test", "1.2.3.test", "xn--bcher-kva.test", "a.1a", "x" * 63 + ".test"])
def test_valid_domain_names_are_accepted(name):
    assert is_host_name(name)


def test_equal_addresses_compare_equal_in_every_spelling():
    assert comparable("Ops@BÜCHER.test") == comparable("ops@xn--bcher-kva.test") == "ops@xn--bcher-kva.test"


def test_a_name_has_one_label_more_than_its_public_suffix():
    for name, top, below in [
        ("acme.test", "acme.test", ""), ("news.acme.test", "acme.test", "news"), ("a.b.acme.com", "acme.com", "a.b"),
        ("acme.co.uk", "acme.co.uk", ""), ("news.acme.co.uk", "acme.co.uk", "news"), ("co.uk", "co.uk", ""),
        ("a.b.ck", "a.b.ck", ""), ("x.acme.xn--55qx5d.cn", "acme.xn--55qx5d.cn", "x"),
        ("a.acme.internal", "acme.internal", "a"),
    ]:  # fmt: skip
        assert (registrable(name), below_registrable(name)) == (top, below)
