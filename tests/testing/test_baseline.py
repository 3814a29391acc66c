"""The baseline of coverage: which points it holds, how it is written, and what is told of changes."""

import subprocess

import pytest

from mockserver.testing import baseline
from mockserver.testing.baseline import BaselineError, compare, points_of, selected

REPORT = {
    "operations": {
        "getSenders": {"calls": 1, "statuses": {"200": 1}, "codes": {}, "fields": {"ip": 1}},
        "createSender": {
            "calls": 2,
            "statuses": {"400": 1, "201": 1},
            "codes": {"Sender already exists": {"natural": 1, "injected": 0}},
            "fields": {"ips[].weight": 1},
        },
    },
    "transitions": {"sender": {"verify": 1, "create": 2}},
}
LINES = [
    "createSender: called",
    "createSender: status 201",
    "createSender: status 400",
    "createSender: code Sender already exists",
    "createSender: field ips[].weight",
    "getSenders: called",
    "getSenders: status 200",
    "getSenders: field ip",
    "sender: event create",
    "sender: event verify",
]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "coverage.baseline"


def lines(path):
    return [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


@pytest.fixture
def written(path):
    compare(path, set(LINES), update=True)
    return path


def test_the_points_of_a_report_are_what_was_met():
    assert points_of(REPORT) == set(LINES)


def test_an_update_makes_the_file_with_a_line_for_each_point_in_order(path):
    compare(path, points_of(REPORT), update=True)

    assert lines(path) == LINES


def test_a_point_that_is_not_met_any_more_is_lost(written):
    found = compare(written, set(LINES) - {"sender: event verify"}, update=False)

    assert found == (["sender: event verify"], [])
    assert list(baseline.told(found, written, updated=False)) == [
        "not met any more: sender: event verify",
        f"1 point of {written} not met; if that is meant, remove the line",
    ]


def test_a_new_point_is_told_and_stays_out_without_an_update(written):
    found = compare(written, {*LINES, "getAccount: called"}, update=False)

    assert found == ([], ["getAccount: called"])
    assert "1 point more than in" in next(baseline.told(found, written, updated=False))
    assert lines(written) == LINES


def test_an_update_adds_what_is_new_and_keeps_what_is_lost(written):
    found = compare(written, {"getAccount: called"}, update=True)

    assert found.lost == LINES
    assert lines(written) == sorted([*LINES, "getAccount: called"], key=lambda line: line.split(":")[0])


def test_an_update_without_news_leaves_the_file_as_it_is(written):
    written.write_text("# Ours.\n" + "\n".join(LINES[::-1]), encoding="utf-8")
    before = written.read_bytes()

    compare(written, set(LINES), update=True)

    assert written.read_bytes() == before


def test_order_blanks_comments_and_lines_that_come_twice_do_not_matter(written):
    text = "\r\n".join(["", "# Ours.", *LINES[::-1], LINES[0], "  "])
    written.write_text(text, encoding="utf-8")

    assert compare(written, set(LINES), update=False) == ([], [])


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


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("createSender: called\ncreateSender 201\n", ":2: 'createSender 201' is no point"),
        ("createSender: verb 201\n", ":1: 'createSender: verb 201' is no point"),
        ("createSender: status\n", ":1: "),
        ("createSender: code \x1b[31m\n", ":1: "),
        ("<<<<<<< HEAD\ncreateSender: called\n", ":1: a merge has stopped here"),
        ("\ufeff\ud800".encode("utf-8", "surrogatepass"), "is no text in UTF-8"),
    ],
)
def test_a_file_that_is_no_baseline_is_refused_with_its_line(path, text, told):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())

    with pytest.raises(BaselineError, match=told.replace("[", r"\[")):
        compare(path, set(), update=True)


def test_a_baseline_that_is_not_there_is_refused_with_advice(path):
    with pytest.raises(BaselineError, match="the option update-baseline makes it"):
        compare(path, set(), update=False)


@pytest.mark.parametrize("update", [True, False])
def test_a_folder_is_no_baseline(tmp_path, update):
    with pytest.raises(BaselineError, match="cannot read"):
        compare(tmp_path, set(), update=update)


def test_a_file_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(BaselineError, match="cannot write"):
        compare(tmp_path / "nowhere" / "file", {"getSenders: called"}, update=True)


def test_names_come_from_a_file_by_its_path(tmp_path):
    path = tmp_path / "used.txt"
    path.write_text("# Ours.\ngetSenders, createSender  # both\n\nsender\n", encoding="utf-8")

    assert selected(f"@{path}") == "getSenders,createSender,sender"
    assert selected("used") == "used"


@pytest.mark.parametrize("content", [None, b"\xff"])
def test_a_file_of_names_that_cannot_be_read_is_told(tmp_path, content):
    path = tmp_path / "used.txt"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(BaselineError, match="cannot read"):
        selected(f"@{path}")
