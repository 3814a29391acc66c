import pytest

from mockserver import MockServerError


def test_records_are_read_and_set_one_by_one(workspace):
    assert workspace.dns.get("acme.test") == ("missing", "missing", "missing")

    assert workspace.dns.set("acme.test", dkim_record="wrong", brevo_code="ok") == ("ok", "wrong", "missing")
    assert workspace.dns.get("ACME.test").dkim_record == "wrong"


def test_a_domain_is_authenticated_once_its_records_are_published(workspace, ask):
    assert ask(workspace, "PUT", "/senders/domains/acme.test/authenticate").status == 400

    workspace.dns.set("acme.test", brevo_code="ok", dkim_record="ok", dmarc_record="ok")

    assert ask(workspace, "PUT", "/senders/domains/acme.test/authenticate").status == 200


def test_records_that_do_not_exist_and_a_domain_that_is_no_host_name_are_refused(workspace):
    for records, path in [({"spf": "ok"}, "/spf"), ({"dkim_record": "gone"}, "/dkim_record"), ({}, "")]:
        with pytest.raises(MockServerError) as refusal:
            workspace.dns.set("acme.test", **records)
        assert (refusal.value.status, [error["path"] for error in refusal.value.errors]) == (400, [path])
    with pytest.raises(MockServerError, match="not a host name"):
        workspace.dns.get("no host")


def test_all_names_that_dns_knows_are_listed_with_the_accounts_that_have_them(workspace):
    workspace.dns.set("zoë.test", brevo_code="ok")

    (found,) = workspace.dns.all("zoë")

    assert (found.name, found.shown_as) == ("xn--zo-ija.test", "zoë.test")
    assert (found.records.brevo_code, found.accounts) == ("ok", [])
    assert [row.account for row in workspace.dns.all("acme.test")[0].accounts] == ["acme"]
