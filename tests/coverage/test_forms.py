"""The forms of the report, and how one is asked for."""

import hashlib
import re
import subprocess
import sys
from base64 import b64encode
from xml.etree import ElementTree as ET

import pytest
import web_page

from mockserver.core.traffic.coverage import Coverage
from mockserver.coverage.forms import to_junit, to_text
from mockserver.coverage.report import report
from mockserver.resources.registry import FURTHER_MACHINES, FURTHER_OPERATIONS, RESOURCES

#: The machines that percentages count: those of the API.
COUNTED = [row for room in RESOURCES if room.is_counted for row in room.lifecycles]

MEDIA = {"json": "application/json", "text": "text/plain", "html": "text/html", "junit": "application/xml"}


# ---------------------------------------------------------------------- asking


def test_a_form_is_asked_for_by_its_name_or_its_kind(api):
    for form, media in MEDIA.items():
        assert api.get(f"/_mock/coverage?format={form}").mimetype == media
    for accept, media in (
        *((media, media) for media in MEDIA.values()),
        ("text/xml", "application/xml"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"),
        ("*/*", "application/json"),
        ("image/png", "application/json"),
        ("text/plain;q=0.5, application/json;q=0.4", "text/plain"),
    ):
        assert api.get("/_mock/coverage", headers={"Accept": accept}).mimetype == media


def test_server_start_imports_no_coverage_reports():
    """What makes reports is imported by the first that is asked for."""
    code = "import sys, mockserver; mockserver.create_app(); sys.exit('mockserver.coverage' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ---------------------------------------------------------------------- text


def test_the_text_tells_totals_operations_and_gaps(played, coverage, contract_size):
    text = played.get("/_mock/coverage?format=text").text

    found = coverage(played)
    of_operations = found["totals"]["operations"]["percent"]
    assert text.startswith(f"{found['percent']} % of the contract met\n")
    assert re.search(rf"^  operations +7 of +{contract_size.operations} +{of_operations} %$", text, re.MULTILINE)
    assert re.search(r"^  validateSenderByOtp +4 +1 of 3 +2 of 6 +-$", text, re.MULTILINE)
    assert "  createSender: `The sum of all IP weights must equal 100` never met\n" in text


def test_a_part_without_points_has_no_percentage(played):
    text = played.get("/_mock/coverage?format=text&of=getAccount").text
    html = played.get("/_mock/coverage?format=html&of=getAccount").text

    assert re.search(r"^  transitions +0 of +0 +-$", text, re.MULTILINE)
    assert re.search(r">transitions</th>\s*<td[^>]*>0 of 0</td>\s*<td[^>]*>-</td>\s*<td[^>]*></td>", html)


def test_the_text_marks_what_only_faults_have_shown(api):
    api.put("/v3/senders/2/validate", json={"otp": 1}, headers={"X-Mock-Fault": "otp_expired"})

    assert re.search(
        r"^  validateSenderByOtp .* 1 by faults$", api.get("/_mock/coverage?format=text").text, re.MULTILINE
    )


def test_no_line_of_the_text_is_longer_than_100_columns(played):
    every = Coverage()
    for name, rows in report(every).operations.items():
        every.answers[name, 999] += 10**7
        every.codes.update({(name, row.point.name, True): 1 for row in rows if row.point.kind == "codes"})

    for text in (played.get("/_mock/coverage?format=text").text, to_text(report(every))):
        assert max(map(len, text.splitlines())) <= 100


def test_the_text_can_be_cut_short(played):
    found = report(played.workspace.coverage)

    assert to_text(found, most=2).endswith(
        f"first:\n  {found.missing[0]}\n  {found.missing[1]}\n  and {len(found.missing) - 2} more\n"
    )


# ---------------------------------------------------------------------- HTML


def test_the_page_has_a_table_per_operation_and_machine_and_lists_what_is_missing_in_its_order(
    played, coverage, contract_size
):
    page = web_page.read(played.get("/_mock/coverage?format=html").text)

    sections = [section.attributes["id"] for section in page.all("section")]
    assert len(sections) == contract_size.operations + len(FURTHER_OPERATIONS) + len(COUNTED)
    assert sum(len(section.all("table")) for section in page.all("section")) == len(sections)
    assert {*coverage(played)["operations"], "machine-sender"} <= set(sections)
    told = page.by_id("validateSenderByOtp").text.replace("\N{MULTIPLICATION SIGN}", "x")
    assert "Called 4 x; 1 of 3 statuses, 2 of 6 codes" in told
    assert "code OTP code has expired 1 x and 1 x injected documented" in told
    assert "status 204 never documented" in told
    listed = [item.text for item in page.all("li")]
    assert listed == [sentence.replace("`", "") for sentence in coverage(played)["missing"]]


def test_the_page_runs_nothing_and_asks_for_nothing(played):
    answer = played.get("/_mock/coverage?format=html")
    page = web_page.read(answer.text)

    assert page.all("script") == []
    assert [value for row in page.below() for name, value in row.attributes.items() if name in ("src", "href")] == [
        "data:,"
    ]
    assert not any(name.startswith("on") or name == "style" for row in page.below() for name in row.attributes)
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


def test_the_policy_lets_the_pages_own_style_through(played):
    answer = played.get("/_mock/coverage?format=html")
    (style,) = web_page.read(answer.text).all("style")

    digest = b64encode(hashlib.sha256(style.raw().encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in answer.headers["Content-Security-Policy"]
    assert "prefers-color-scheme: dark" in style.raw()


def test_the_page_escapes_what_a_fault_has_said(api):
    fault = '{"fault": "error", "code": "<script>alert(1)</script>", "force": true}'
    assert api.get("/v3/account", headers={"X-Mock-Fault": fault}).json["code"].startswith("<script>")

    page = web_page.read(api.get("/_mock/coverage?format=html").text)

    assert page.all("script") == []
    assert "<script>alert(1)</script>" in page.by_id("getAccount").text


# ---------------------------------------------------------------------- JUnit


@pytest.fixture
def suites(played):
    return ET.fromstring(played.get("/_mock/coverage?format=junit").data)


def test_there_is_a_case_per_point_and_a_missing_point_is_skipped(suites):
    cases = suites.findall("testsuite[@name='createDomain']/testcase")

    assert [case.get("name") for case in cases] == [
        "called", "status 200", "status 400", "code Domain already exists in your account", "code missing_parameter",
        "code invalid_parameter",
    ]  # fmt: skip
    assert {case.find("skipped").get("message") for case in cases} == {"never met"}
    cases = suites.findall("testsuite[@name='updateSender']/testcase")
    passed = [case.get("name") for case in cases if case.find("skipped") is None]
    assert passed == ["called", "status 204", "status 404", "code document_not_found", "field name"]


def test_there_is_a_suite_per_operation_and_machine_with_the_numbers_of_the_totals(
    suites, played, coverage, contract_size
):
    assert (suites.tag, {suite.tag for suite in suites}) == ("testsuites", {"testsuite"})
    assert len(suites) == contract_size.operations + len(COUNTED) - len(FURTHER_MACHINES)
    totals = coverage(played)["totals"].values()
    of, met = sum(row["of"] for row in totals), sum(row["met"] for row in totals)

    assert (int(suites.get("tests")), int(suites.get("skipped"))) == (of, of - met)
    assert len(suites.findall("testsuite/testcase")) == of
    for suite in suites:
        assert int(suite.get("tests")) == len(suite.findall("testcase"))
        assert int(suite.get("skipped")) == len(suite.findall("testcase/skipped"))
        assert (suite.get("failures"), suite.get("errors")) == ("0", "0")


def test_a_case_says_that_only_a_fault_has_shown_it():
    coverage = Coverage()
    coverage.answers["validateSenderByOtp", 400] += 1
    coverage.codes["validateSenderByOtp", "OTP code has expired", True] += 1

    suites = ET.fromstring(to_junit(report(coverage)))

    case = suites.find(".//testcase[@name='code OTP code has expired']")
    assert [child.tag for child in case] == ["system-out"]
