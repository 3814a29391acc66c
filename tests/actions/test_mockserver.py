"""The GitHub action: both halves as a runner starts them, with the files and variables that it gives."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import pytest
import requests
import yaml
from load_balancer import until
from markdown_it import MarkdownIt

_ROOT = Path(__file__).parents[2]
_FOLDER = _ROOT / ".github" / "actions" / "mockserver"
_ACTION = yaml.safe_load((_FOLDER / "action.yml").read_text(encoding="utf-8"))
_PROGRAM = str(Path(sys.executable).parent / "mockserver")
#: What a step may write into the summary: https://docs.github.com/actions/reference/workflow-commands
_MOST_BYTES = 1024 * 1024

pytestmark = [
    pytest.mark.slow,  # each starts programs
    pytest.mark.skipif(shutil.which("node") is None, reason="needs node"),
]


class Job:
    """A job whose only step is the action; what a runner does for one."""

    def __init__(self, folder, **given):
        self.folder = folder
        self.inputs = {name: about.get("default", "") for name, about in _ACTION["inputs"].items()}
        assert given.keys() <= self.inputs.keys()
        self.inputs.update(given)
        self.files = {name: folder / name for name in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_STATE")}
        self.summary_file = folder / "GITHUB_STEP_SUMMARY"
        for path in (*self.files.values(), self.summary_file):
            path.touch()
        self.more = {}

    def run(self, half):
        """How one half ends, and what it prints."""
        state = {f"STATE_{name}": value for name, value in self.told("GITHUB_STATE").items()}
        inputs = {f"INPUT_{name.upper()}": value for name, value in self.inputs.items()}
        files = {name: str(path) for name, path in {**self.files, "GITHUB_STEP_SUMMARY": self.summary_file}.items()}
        outer = {name: value for name, value in os.environ.items() if not name.startswith("MOCKSERVER_")}
        ended = subprocess.run(
            ["node", _FOLDER / _ACTION["runs"][half]], cwd=self.folder, check=False, text=True, timeout=55,
            env={**outer, **inputs, **state, **files, "RUNNER_TEMP": str(self.folder), **self.more},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        return ended.returncode, ended.stdout

    def told(self, name):
        """The values in one of the runner's files."""
        text = self.files[name].read_text(encoding="utf-8")
        found = re.findall(r"^([\w-]+)<<(\S+)\n(.*?)\n\2$", text, re.MULTILINE | re.DOTALL)
        return {name: value for name, _, value in found}

    def is_gone(self):
        """Whether the server has ended, which was asked to and not waited for."""
        try:
            requests.get(f"{self.told('GITHUB_OUTPUT')['url']}/_mock/health", timeout=5)
        except requests.ConnectionError:
            return True
        return False

    @property
    def summary(self):
        return self.summary_file.read_text(encoding="utf-8")


@pytest.fixture
def make_job(tmp_path):
    jobs = []

    def make(**given):
        folder = tmp_path / f"job-{len(jobs)}"
        folder.mkdir()
        jobs.append(Job(folder, **{"program": _PROGRAM, **given}))
        return jobs[-1]

    yield make
    for job in jobs:
        job.inputs.update({"summary": "false", "fail-under": ""})
        job.run("post")


class Shown(NamedTuple):
    """What a reader of a summary sees: the cells of its tables, and the names of all elements."""

    cells: list
    elements: set


def rendered(markdown):
    """A summary as GitHub renders it: Markdown with tables of HTML in it."""
    found = Shown([], set())

    class Reader(HTMLParser):
        inside = False

        def handle_starttag(self, tag, attrs):
            found.elements.add(tag)
            if tag in ("td", "th"):
                found.cells.append("")
                self.inside = True

        def handle_endtag(self, tag):
            self.inside = self.inside and tag not in ("td", "th")

        def handle_data(self, data):
            if self.inside:
                found.cells[-1] += data

    Reader().feed(MarkdownIt("commonmark").render(markdown))
    return found


# ---------------------------------------------------------------------- a whole job


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    """A job that has sent requests, hostile ones among them, with what both halves have printed."""
    folder = tmp_path_factory.mktemp("job")
    (folder / "own.yaml").write_text("description: a folder's own\nextends: onboarding\n", encoding="utf-8")
    job = Job(
        folder, program=_PROGRAM, scenarios=str(folder), scenario="own", tls="true", token="open sesame",
        arguments="--seed  5",
    )  # fmt: skip
    job.began = job.run("main")
    variables = job.told("GITHUB_ENV")
    job.health = requests.get(f"{variables['MOCKSERVER_URL']}/_mock/health", timeout=5).json()
    outputs = job.told("GITHUB_OUTPUT")
    job.over_tls = requests.get(f"{outputs['tls-url']}/_mock/health", verify=outputs["ca"], timeout=5).json()
    base = variables["BREVO_BASE_URL"]
    with requests.Session() as session:
        session.headers["api-key"] = variables["BREVO_API_KEY"]
        session.get(f"{base}/senders", timeout=5)
        for path in _HOSTILE:
            session.get(f"{base}/{path}", timeout=5)
    job.ended = job.run("post")
    return job


#: Addresses that try to leave their cell: as HTML, as Markdown, as a line of its own, as a command to the runner.
_HOSTILE = [
    "</code></td></tr></table><img src=x><script>alert(1)</script>",
    "a|b|%0A%0A# heading%0A%0A![x](http://x.test/)",
    "`code` **bold** [link](http://x.test/) @user #1",
    "%0A::error::from outside%0A",
    "%E2%80%AEgnp.exe%00%1B[31m",
]


def test_the_first_half_starts_the_server_with_the_inputs_and_masks_the_token(job):
    status, output = job.began

    assert status == 0, output
    assert output.startswith("::add-mask::open sesame\n")
    assert job.health["scenario"] == job.over_tls["scenario"] == "own"


def test_the_steps_that_follow_know_where_the_server_is(job):
    outputs = job.told("GITHUB_OUTPUT")
    url = outputs["url"]

    assert outputs.keys() == _ACTION["outputs"].keys()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url)
    assert outputs["base-url"] == f"{url}/v3"
    assert outputs["tls-url"].startswith("https://127.0.0.1:")
    assert job.told("GITHUB_ENV") == {
        "MOCKSERVER_URL": url, "BREVO_API_URL": f"{url}/v3", "BREVO_BASE_URL": f"{url}/v3",
        "BREVO_API_KEY": outputs["api-key"], "MOCKSERVER_TOKEN": "open sesame",
    }  # fmt: skip


def test_the_second_half_ends_well_and_ends_the_server(job):
    assert job.ended == (0, "")
    until(job.is_gone, "the server ends")


def test_the_summary_shows_coverage_operations_and_the_requests_with_what_was_wrong(job):
    cells = rendered(job.summary).cells

    assert re.search(r"^[\d.]+ % of the contract was met\.$", job.summary, re.MULTILINE)
    assert cells[cells.index("getSenders") :][:3] == ["getSenders", "1", "200: 1"]
    assert "/v3/senders" in cells
    assert any(cell.startswith("unknown route: no operation has the path") for cell in cells)


def test_hostile_requests_stay_in_their_cells(job):
    shown = rendered(job.summary)

    assert shown.elements == {"h2", "p", "table", "tr", "th", "td", "code", "details", "summary"}
    assert any("</code></td></tr></table><img src=x>" in cell for cell in shown.cells)
    assert any("**bold** [link](http://x.test/)" in cell for cell in shown.cells)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", job.summary)
    assert not re.search(r"^::", job.summary, re.MULTILINE)


# ---------------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"program": "no-such-program"}, "there is no program no-such-program"),
        ({"tls": "yes"}, "tls is true or false, not yes"),
        ({"timeout": "soon"}, "timeout is a whole number of seconds, not soon"),
        ({"port": "http"}, "port is a number, not http"),
        ({"port": "1\n::warning::x"}, "port is a number, not 1%0A::warning::x"),
    ],
)
def test_an_input_that_is_wrong_fails_the_step_with_a_sentence(make_job, given, sentence):
    status, output = make_job(**given).run("main")

    assert status == 1
    assert output.splitlines() == [f"::error title=mockserver::{sentence}"]


def test_a_server_that_does_not_start_fails_the_step_with_its_log_and_the_second_half_does_nothing(make_job):
    job = make_job(scenario="nowhere")
    status, output = job.run("main")

    stop, *log, go, error = output.splitlines()
    assert status == 1
    assert error.startswith("::error title=mockserver::the server has ended: unknown scenario 'nowhere'")
    assert stop.startswith("::stop-commands::")
    assert go == f"::{stop.removeprefix('::stop-commands::')}::"
    assert "unknown scenario 'nowhere'" in "\n".join(log)
    assert (job.run("post"), job.summary) == ((0, ""), "")


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("Usage: x\n\nError: No such option '--nope'.\nTry 'x --help' for help.\n", "No such option '--nope'."),
        ("docker: no such image\n\nRun 'docker run --help' for more information\n", "no such image"),
        ("first\nlast\n", "last"),
        ("", "it has said nothing"),
    ],
)
def test_the_sentence_says_what_the_program_has_said(make_job, tmp_path, said, sentence):
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\nprintf %s {shlex.quote(said)} >&2\n")
    program.chmod(0o755)

    output = make_job(program=str(program)).run("main")[1]

    assert output.splitlines()[-1] == f"::error title=mockserver::the server has ended: {sentence}"


def test_without_an_interpreter_nothing_else_is_tried(make_job):
    output = make_job(program="", python="python-of-nobody").run("main")[1]

    assert len(output.splitlines()) == 2
    assert output.splitlines()[-1].startswith("::error title=mockserver::the server cannot be installed")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"fail-under": "5"}, "0.0 %25 of the contract was met, and 5 %25 are wanted"),
        ({"fail-under": "much"}, "Invalid value for '--fail-under'"),
        ({"fail-under": "5", "of": "nothing"}, "there is no operation or state machine 'nothing'"),
    ],
)
def test_too_little_coverage_or_a_wrong_gate_fails_the_job_and_ends_the_server(make_job, given, sentence):
    job = make_job(**given)
    job.run("main")

    status, output = job.run("post")

    assert status == 1
    assert output.splitlines()[-1].startswith("::error title=mockserver::")
    assert sentence in output.splitlines()[-1]
    until(job.is_gone, "the server ends")


def test_enough_coverage_lets_the_job_pass(make_job):
    job = make_job(**{"fail-under": "0", "journal": "0"})
    job.run("main")

    assert job.run("post")[0] == 0
    assert "<details>" not in job.summary


@pytest.mark.parametrize(
    ("of", "line"),
    [
        ("", "{} % of the contract was met."),
        ("used", "{} % of the contract (--of <code>used</code>) was met."),
        ("getSenders,createSender", "{} % of the contract (--of <code>getSenders,createSender</code>) was met."),
    ],
)
def test_the_summary_shows_the_figure_of_the_gate_when_a_part_of_the_contract_is_selected(make_job, of, line):
    job = make_job(**{"fail-under": "100", "of": of})
    job.run("main")
    requests.get(f"{job.told('GITHUB_OUTPUT')['url']}/v3/senders", headers={"api-key": "any"}, timeout=5)

    _, output = job.run("post")
    percent = re.search(r"([\d.]+) %25 of the contract", output)[1]
    assert line.format(percent) in job.summary


def test_a_server_that_was_ended_before_gives_no_report(make_job):
    job = make_job()
    job.run("main")
    os.kill(int(job.told("GITHUB_STATE")["pid"]), 9)

    status, output = job.run("post")

    assert status == 1
    assert output.startswith("::error title=mockserver::no report of the mock server: ")


# ---------------------------------------------------------------------- large summaries


def test_a_summary_is_never_larger_than_the_runner_takes(tmp_path):
    """A thousand requests whose addresses are as long as an address may be, in characters of four bytes."""
    entry = {"at": "2026", "workspace": "w", "method": "GET", "path": "/" + "&😀" * 4000, "query": {}, "status": 404,
             "reason": "'" * 4000}  # fmt: skip
    operations = {f"o{n}" * 99: {"calls": 1, "statuses": {}} for n in range(9)}
    coverage = {"percent": 1, "totals": {}, "operations": operations}
    (tmp_path / "given.json").write_text(json.dumps([coverage, [entry] * 1000]), encoding="utf-8")
    program = f"""
        const {{ summary }} = require({json.dumps(str(_FOLDER / "summary.js"))})
        process.stdout.write(summary(...require({json.dumps(str(tmp_path / "given.json"))})))
    """

    text = subprocess.run(["node", "-e", program], capture_output=True, check=True).stdout

    assert _MOST_BYTES / 2 < len(text) < _MOST_BYTES
    assert re.search(rb"^\d+ more are not shown\.$", text, re.MULTILINE)
    assert len(rendered(text.decode()).cells) > 1000


# ---------------------------------------------------------------------- where the server comes from


@pytest.mark.engine
def test_an_image_is_started_as_a_container_that_the_second_half_removes(make_job, tmp_path):
    """With a real engine; as that one may have no network by default, `docker run` is given one."""
    (tmp_path / "own.yaml").write_text("description: mine\n", encoding="utf-8")
    network = f"action-{os.getpid()}"
    docker = "/usr/bin/docker" if Path("/usr/bin/docker").exists() else shutil.which("docker")
    shim = tmp_path / "docker"
    shim.write_text(
        f'#!/bin/sh\n[ "$1" != run ] || {{ shift; set -- run --network {network} "$@"; }}\nexec {docker} "$@"\n'
    )
    shim.chmod(0o755)
    subprocess.run([docker, "network", "create", network], check=True, stdout=subprocess.DEVNULL)
    try:
        job = make_job(image=os.environ["MOCKSERVER_TEST_IMAGE"], scenario=str(tmp_path / "own.yaml"), token="secret",
                       tls="true", arguments="--seed 7", **{"fail-under": "50"})  # fmt: skip
        job.more = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "MOCKSERVER_KEYS": "known"}
        status, output = job.run("main")
        assert status == 0, output
        url = job.told("GITHUB_OUTPUT")["url"]
        senders = requests.get(f"{url}/v3/senders", headers={"api-key": "nobody's"}, timeout=5)
        outputs = job.told("GITHUB_OUTPUT")
        over_tls = requests.get(f"{outputs['tls-url']}/_mock/health", verify=outputs["ca"], timeout=5)
        status, output = job.run("post")
        left = subprocess.run([docker, "ps", "-aq", "--filter", f"network={network}"], capture_output=True, check=True)
    finally:
        subprocess.run([docker, "network", "rm", network], check=True, stdout=subprocess.DEVNULL)

    assert senders.status_code == 401
    assert over_tls.json()["scenario"] == "/scenario.yaml"
    assert status == 1
    assert "of the contract was met, and 50 %25 are wanted" in output
    assert left.stdout == b""


@pytest.fixture
def python(tmp_path):
    """An interpreter whose environments have the program already, and a pip that writes down what it is asked for."""
    path, asked = tmp_path / "python", tmp_path / "asked"
    pip = f'#!/bin/sh\nprintf "%s\\n" "$@" > {asked}\n'
    path.write_text(
        f'#!/bin/sh\nmkdir -p "$3/bin"\nln -s {_PROGRAM} "$3/bin/mockserver"\n'
        f'cat > "$3/bin/pip" <<\'end\'\n{pip}end\nchmod +x "$3/bin/pip"\n',
        encoding="utf-8",
    )
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("version", "source"),
    [("", ["--constraint", f"{_ROOT}/.ci/constraints.txt", f"{_ROOT}[server]"]),
     ("1.2.3", ["brevo-mockserver[server]==1.2.3"])],
    ids=["of the ref", "of a release"],
)  # fmt: skip
def test_without_a_program_the_server_is_installed_into_an_environment_of_its_own(make_job, python, version, source):
    """`checks` of the workflows installs it in truth; here pip would take half of the time of all tests of a job."""
    job = make_job(program="", python=str(python), version=version)

    status, output = job.run("main")

    assert status == 0, output
    assert python.with_name("asked").read_text(encoding="utf-8").splitlines()[-len(source) :] == source
    assert Path(job.told("GITHUB_STATE")["program"]).is_relative_to(job.folder)
    assert requests.get(f"{job.told('GITHUB_OUTPUT')['url']}/_mock/health", timeout=5).json()["status"] == "ok"
