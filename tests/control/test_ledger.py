"""The ledger beside the fidelity record."""

from urllib.parse import urljoin

from mockserver.evidence.fidelity import LEDGER


def test_a_source_of_the_fidelity_record_leads_to_the_section_that_it_names(api):
    record = api.get("/_mock/fidelity").json
    source = record["operations"]["getWebhooks"]["fields"][0]["source"].split(", ")[-1]

    path, _, section = urljoin("/_mock/fidelity", source).partition("#")
    page = api.get(path)

    assert (page.status_code, page.mimetype, section) == (200, "text/html", "2.13")
    assert f'<a id="{section}"></a>2.13 List webhooks' in page.text


def test_the_ledger_needs_no_control_token(make_api):
    assert make_api("empty", control_token="secret").get(f"/_mock/{LEDGER}").status_code == 200


def test_links_within_the_ledger_can_be_followed_and_nothing_is_loaded(api):
    page = api.get(f"/_mock/{LEDGER}")

    assert '<a href="#2.13">2.13</a>' in page.text
    assert "<!-- generated" not in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]


def test_what_looks_like_html_in_it_is_text(api):
    assert "Sub-account &lt;id&gt; is not valid" in api.get(f"/_mock/{LEDGER}").text
