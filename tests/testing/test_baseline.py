"""The baseline of coverage: which points it holds, how it is written, and what is told of changes."""

import subprocess

import pytest

from mockserver.testing import baseline
from mockserver.testing.baseline import BaselineError, compare, points_of, selected

REPORT = {
    "operations": {
        "getSenders": {"calls": 1, "statuses": {"200": 1}, "codes": {}, "fields": {"ip": 1}},
        "createSender": {"calls": 2, "statuses": {"400": 1, "201": 1}, "fields": {"ips[].weight": 1},
                         "codes": {"Sender already exists": {"natural": 1, "injected": 0}}},
    },
    "transitions": {"sender": {"verify": 1, "create": 2}},
}  # fmt: skip
LINES = [
    "createSender: called", "createSender: status 201", "createSender: status 400",
    "createSender: code Sender already exists", "createSender: field ips[].weight", "getSenders: called",
    "getSenders: status 200", "getSenders: field ip", "sender: event create", "sender: event verify",
]  # fmt: skip


@pytest.fixture
def path(tmp_path):
    return tmp_path / "coverage.baseline"


def lines(path):
    return [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


@pytest.fixture
def written(path):
    compare(path, set(LINES), update=True)
    return path


def test_an_update_makes_the_file_with_a_line_for_each_met_point_in_order(path):
    compare(path, points_of(REPORT), update=True)

    assert lines(path) == LINES


def test_a_lost_and_a_new_point_are_told_and_change_nothing_without_an_update(written):
    found = compare(written, {*LINES, "getAccount: called"} - {"sender: event verify"}, update=False)

    assert found == (["sender: event verify"], ["getAccount: called"])
    assert list(baseline.differences(found, written, updated=False)) == [
        "not met any more: sender: event verify",
        f"1 point of {written} not met; if that is meant, remove the line",
        f"1 point more than in {written}; the option update-baseline adds them",
    ]
    assert lines(written) == LINES


def test_an_update_adds_what_is_new_and_keeps_what_is_lost(written):
    found = compare(written, {"getAccount: called"}, update=True)

    assert found.lost == LINES
    assert lines(written) == sorted([*LINES, "getAccount: called"], key=lambda line: line.split(":")[0])


def test_order_blanks_comments_and_lines_that_come_twice_do_not_matter_and_stay_without_news(written):
    written.write_text("\r\n".join(["", "# Ours.", *LINES[::-1], LINES[0], "  "]), encoding="utf-8")
    before = written.read_bytes()

    assert compare(written, set(LINES), update=True) == ([], [])
    assert written.read_bytes() == before


def test_two_branches_that_add_points_merge(tmp_path):
    def git(*words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.test", *words], cwd=tmp_path, check=True)

    path = tmp_path / "coverage.baseline"
    git("init", "-q", "-b", "main")
    (tmp_path / ".gitattributes").write_text("coverage.baseline merge=union\n", encoding="utf-8")
    compare(path, {"getSenders: called"}, update=True)
    git("add", "-A")
    git("commit", "-qm", "first")
    for branch, point in (("one", "getAccount: called"), ("two", "createSender: called")):
        git("checkout", "-q", "-b", branch, "main")
        compare(path, {point}, update=True)
        git("commit", "-qam", branch)
    git("merge", "-q", "one")

    assert baseline.read(path) == {"getSenders: called", "getAccount: called", "createSender: called"}


@pytest.mark.parametrize("name", ["two\nlines", " blanks ", "\x1b[31m", ""])
def test_a_code_that_a_fault_has_made_up_stays_on_its_line(path, name):
    row = {"calls": 1, "statuses": {}, "codes": {name: {"natural": 0, "injected": 1}}, "fields": {}}
    met = points_of({"operations": {"getSenders": row}, "transitions": {}})

    compare(path, met, update=True)

    assert len(lines(path)) == 2
    assert compare(path, met, update=False) == ([], [])


def test_a_file_that_is_no_baseline_is_refused_with_its_line(path):
    for text, told in [
        ("createSender: called\ncreateSender 201\n", ":2: 'createSender 201' is no point"),
        ("createSender: verb 201\n", ":1: 'createSender: verb 201' is no point"),
        ("createSender: status\n", ":1: "),
        ("createSender: code \x1b[31m\n", ":1: "),
        ("<<<<<<< HEAD\ncreateSender: called\n", ":1: a merge has stopped here"),
        ("\ufeff\ud800".encode("utf-8", "surrogatepass"), "is no text in UTF-8"),
    ]:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(BaselineError, match=told.replace("[", r"\[")):
            compare(path, set(), update=True)


def test_a_missing_file_a_folder_and_a_file_that_cannot_be_written_are_refused(tmp_path):
    for name, update, told in [
        ("none", False, "the option update-baseline makes it"), ("", True, "cannot read"), ("", False, "cannot read"),
        ("nowhere/file", True, "cannot write"),
    ]:  # fmt: skip
        with pytest.raises(BaselineError, match=told):
            compare(tmp_path / name, {"getSenders: called"}, update=update)


def test_names_come_from_a_file_by_its_path_unless_it_cannot_be_read(path):
    with pytest.raises(BaselineError, match="cannot read"):
        selected(f"@{path}")
    path.write_text("# Ours.\ngetSenders, createSender  # both\n\nsender\n", encoding="utf-8")
    assert (selected(f"@{path}"), selected("used")) == ("getSenders,createSender,sender", "used")
    path.write_bytes(b"\xff")
    with pytest.raises(BaselineError, match="cannot read"):
        selected(f"@{path}")
