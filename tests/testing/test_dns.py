def test_records_are_read_and_set_one_by_one(workspace):
    assert workspace.dns.get("acme.test") == ("missing", "missing", "missing")

    assert workspace.dns.set("acme.test", dkim_record="wrong", brevo_code="ok") == ("ok", "wrong", "missing")
    assert workspace.dns.get("ACME.test").dkim_record == "wrong"


def test_all_names_that_dns_knows_are_listed_with_the_accounts_that_have_them(workspace):
    workspace.dns.set("zoë.test", brevo_code="ok")

    (found,) = workspace.dns.all("zoë")

    assert (found.name, found.shown_as) == ("xn--zo-ija.test", "zoë.test")
    assert (found.records.brevo_code, found.accounts) == ("ok", [])
    assert [row.account for row in workspace.dns.all("acme.test")[0].accounts] == ["acme"]
