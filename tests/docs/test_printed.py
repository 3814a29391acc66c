"""README and pages print what is so: a test runs each block of a shell, and compares each output."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests
import yaml
from background_server import in_background
from cli_runner import invoke
from ports import free_port
from printed import BLOCKS, PAGES, ROOT, block, codes, commands, shell_blocks

#: The tests that run blocks, with the beginnings of the first lines that are no comments. Blocks of the language `sh`
#: are run by test_documents.py, and those below `<!-- example: ... -->` by the tests of the examples.
_INSTALL = "python3 -m venv .venv && .venv/bin/pip install -c .ci/constraints.txt "
_RUN = {
    "test_first_command_starts_the_server_or_says_that_its_port_is_taken": [f"{_INSTALL}'.[server]' &&"],
    "test_pip_pipx_and_uvx_install_what_a_page_names": ["pipx install", "pip install", "pip uninstall"],
    "tests/docs/test_npm.py::test_the_first_test_of_the_guide_for_node_passes_in_an_empty_folder": [
        "npm install --save-dev vitest", "npx vitest run", "npm install --save-dev jest", "npx jest",
    ],
    "tests/docs/test_npm.py::test_the_typed_client_of_the_guide_for_node_compiles_in_an_empty_folder": [
        "curl -s localhost:8003/_mock/control.json",
    ],
    "tests/docs/test_npm.py::test_the_typed_receiver_compiles_in_an_empty_folder": ["npm install zod"],
    "test_pytest_starts_the_server_of_the_printed_command": ["pytest -n 4 --mockserver-command"],
    "test_bisect_prints_what_the_page_shows": ["mockserver bisect"],
    "test_artifacts_are_written_and_replayed_as_printed": [
        'curl "http://localhost:8003/w/NAME/_mock/report', "pytest --mockserver-artifacts",
        "mockserver verify artifacts/*", "mockserver serve &", "mockserver verify artifacts/test_it",
    ],
    "test_journal_is_exported_as_printed": ["mockserver requests --har"],
    "test_server_with_tls_prints_what_the_page_shows": ["$ mockserver serve --tls", "$ curl --cacert"],
    "test_site_of_the_tests_is_built_as_printed": [f"{_INSTALL}-e '.[server,docs]'"],
    "test_schema_is_written_as_printed": ["mockserver scenarios schema"],
    "test_errors_of_a_scenario_are_printed_as_the_page_shows": ["$ mockserver scenarios check"],
}  # fmt: skip
#: Why no test runs some blocks; the options in them are looked at all the same.
_NOT_RUN = {
    "it runs this test; .ci/run runs it as printed": [f"{_INSTALL}-e '.[test]'"],
    "two terminals and Redis; tests/storage starts servers with these options": [
        "mockserver serve --port 8003 --store"
    ],
    "it asks the real service; tests/drift has one on this machine": ["$ BREVO_API_KEY"],
    "needs a container engine; .ci/run builds and runs the image": ["docker build", "docker run", "$ docker run"],
    "programs of the reader; tests/clients runs Java, Go and PHP so": ["$ keytool"],
    "variables of the reader's network": ["export NO_PROXY", "export PIP_CERT"],
}
#: The tests that compare printed outputs, with the beginnings of these.
_COMPARED = {
    "test_failed_check_of_requests_prints_what_the_page_shows": ["expected at least 1"],
    "test_failed_unittest_prints_what_the_page_shows": ["AssertionError: 'verified'"],
    "test_report_of_a_varied_test_prints_what_the_page_shows": ["------------------------------ mockserver vary"],
    "test_bisect_prints_what_the_page_shows": ["fails when"],
    "tests/drift/test_service.py::test_report_on_the_page_of_documentation_is_printed": ["same "],
    "test_expectations_are_printed_as_the_page_shows": ["ok: state"],
    "test_useless_expectation_is_refused_as_the_page_shows": ["onboarding.yaml:8: expect[2]"],
    "test_report_of_a_failed_test_prints_what_the_page_shows": ["---------------------------------- mockserver ---"],
    "tests/examples/test_recipes.py::test_the_program_of_agents_prints_what_the_page_shows": ["attempt 1"],
    "tests/flows/test_guide.py::test_the_reason_is_shown_that_the_journal_has": ["getSmtpReport is not"],
}  # fmt: skip
#: Blocks of text that nothing prints.
_NO_OUTPUT = {"lines of a file": ["coverage.baseline merge"]}
#: Plugins of these tests, which take long to load and have no part in what a page shows.
_WITHOUT = " ".join(f"-p no:{name}" for name in ("cacheprovider", "schemathesis", "hypothesispytest", "anyio", "faker"))
_SLOW = pytest.mark.slow


def row_of(table, found):
    """Return the key of a table for a block, or an empty text."""
    return next((key for key, starts in table.items() if found.first.startswith(tuple(starts))), "")


def is_test(name):
    """Whether a test of this name is there, in a file of its own or else in this one."""
    path, _, function = name.rpartition("::")
    file = ROOT / path if path else Path(__file__)
    return file.is_file() and f"\ndef {function}(" in file.read_text(encoding="utf-8")


_OTHERS = [row for row in shell_blocks() if row.language != "sh" and not row.example]
_OUTPUTS = [row for row in BLOCKS if row.language == "text" and not row.example and row not in _OTHERS]


@pytest.mark.parametrize("found", _OTHERS, ids=str)
def test_block_of_a_shell_is_run_by_a_test_or_excused(found):
    assert row_of(_NOT_RUN, found) or is_test(row_of(_RUN, found)), "add it to a table above, or write `sh`"


@pytest.mark.parametrize("found", _OUTPUTS, ids=str)
def test_printed_output_is_compared_by_a_test(found):
    assert row_of(_NO_OUTPUT, found) or is_test(row_of(_COMPARED, found)), "add it to the tables above"


@pytest.mark.parametrize(
    "table", [_RUN, _NOT_RUN, _COMPARED, _NO_OUTPUT], ids=["run", "not run", "compared", "no output"]
)
def test_tables_of_blocks_name_only_blocks_that_are_there(table):
    lines = [row.first for row in BLOCKS]
    starts = [start for rows in table.values() for start in rows]

    assert [start for start in starts if not any(line.startswith(start) for line in lines)] == []


def test_stories_and_examples_are_blocks_that_other_tests_run():
    """Those of the contract and of headings that repeat would be left out."""
    assert not [row for row in shell_blocks() if row.language == "sh" and row.page.startswith("docs/contract/")]
    missing = {
        row.example for row in shell_blocks() if row.example and not (ROOT / "tests/examples" / row.example).is_file()
    }
    assert missing == set()


# ---------------------------------------------------------------------- options and names, which cost nothing


def _printed_commands(page):
    for found in shell_blocks():
        if found.page == page:
            yield from commands(found.text)
    for code in codes(page):
        yield from commands(code)


_COMMANDS = sorted(
    {(page, (words[0].rpartition("/")[2], *words[1:])) for page in PAGES for words in _printed_commands(page)}
)


def _commands_named(*names):
    return [(page, words) for page, words in _COMMANDS if words[0] in names and words[1:]]


@pytest.mark.parametrize("page", sorted({page for page, _ in _commands_named("mockserver")}))
def test_page_names_commands_and_options_that_exist(page):
    refused = [
        " ".join(words)
        for found, words in _commands_named("mockserver")
        if found == page and not words[1].isupper() and not _is_understood(words[1:])
    ]

    assert refused == []


def _is_understood(words):
    """Whether a command knows its options; one at the end may lack its value."""
    place = words.index("--") if "--" in words else len(words)
    return any(
        invoke([*words[:place], *more, "--help", *words[place:]]).exit_code == 0
        and "Usage: " in invoke([*words[:place], *more, "--help", *words[place:]]).stdout
        for more in ((), ("1",))
    )


_PORT = re.search(r"^EXPOSE (\d+)$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)[1]
#: Options of `docker run` on pages, with the words that each takes.
_DOCKER_OPTIONS = {"--rm": 1, "--read-only": 1, "-p": 2, "-u": 2, "-v": 2, "-e": 2, "--add-host": 2}


@pytest.mark.parametrize(
    ("page", "words"), [row for row in _commands_named("docker") if row[1][1] == "run" and row[1][2:]]
)
def test_docker_line_fits_the_image(page, words):
    """Ports of the container, and arguments of the program that the image starts."""
    given, rest = [], list(words[2:])
    while rest and rest[0] in _DOCKER_OPTIONS:
        count = _DOCKER_OPTIONS[rest[0]]
        given.append(rest[:count])
        rest = rest[count:]
    image, *arguments = rest
    inside = {row[1].rpartition(":")[2] for row in given if row[0] == "-p"}

    assert image in ("mockserver", "IMAGE"), page
    assert inside <= {_PORT, *(arguments[place + 1] for place, word in enumerate(arguments) if "port" in word)}
    assert not arguments or _is_understood(arguments)


@pytest.mark.parametrize(("page", "words"), [row for row in _commands_named("docker") if row[1][1] == "build"])
def test_docker_builds_the_image_that_pages_run(page, words):
    assert words[2:4] in ((), ("-t", "mockserver")), page


_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_EXTRAS = set(_PROJECT["optional-dependencies"])
_KNOWN = {re.split(r"[\[<>=~;]", row)[0] for rows in _PROJECT["optional-dependencies"].values() for row in rows}


@pytest.mark.parametrize(("page", "words"), _commands_named("pip", "pipx", "uvx"))
def test_line_that_installs_names_packages_and_extras_that_exist(page, words):
    for word in words[1:]:
        name, _, extras = word.rstrip("]").partition("[")
        assert {*filter(None, extras.split(","))} <= _EXTRAS, page
        if words[1] == "install" and re.fullmatch(r"[a-z][\w-]+", name) and name != "install":
            assert name in _KNOWN
        assert not name.endswith(".whl") or name.startswith(f"./brevo_mockserver-{_PROJECT['version']}-")


@pytest.mark.parametrize(("page", "words"), _commands_named("kubectl"))
def test_kubectl_line_names_what_a_manifest_has(page, words):
    manifests = [yaml.safe_load_all(path.read_text()) for path in (ROOT / "tests/examples").glob("kubernetes*.yaml")]
    names = {f"{row['kind'].lower()}/{row['metadata']['name']}" for rows in manifests for row in rows}
    for word in words[1:]:
        assert "/" not in word or "=" in word or word in names, page
        assert not word.endswith(".yaml") or (ROOT / "tests/examples" / word).is_file()


# ---------------------------------------------------------------------- how blocks are run


def shell(script, folder, *, status=0, port="1", **environment):
    """Return what a script prints, both streams, with another port for 8003."""
    ended = subprocess.run(
        ["bash", "-c", script.replace("8003", port)], cwd=folder, env=_environment(port, environment), check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
    )  # fmt: skip
    assert status is None or ended.returncode == status, ended.stdout
    return ended.stdout


def _environment(port, more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MOCKSERVER_", "PYTEST_"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    own = {"PATH": path, "COLUMNS": "80", "PYTEST_ADDOPTS": _WITHOUT, "MOCKSERVER_PORT": port, "NO_PROXY": "*"}
    return {**kept, **own, **more}


def port_of(root):
    return root.rpartition(":")[2]


@contextmanager
def taken_port():
    """Yield a port at which another HTTP server answers."""

    class Other(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_error(404)

        do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815  # the names that the base class looks for

        def log_message(self, *_):
            pass

    with in_background(ThreadingHTTPServer(("127.0.0.1", 0), Other)) as server:
        yield str(server.server_address[1])


def normalised(text):
    """Return a text without what differs from run to run: names of workspaces, ports."""
    text = re.sub(r"\bw-[0-9a-f]{8}\b", "w-NAME", text)
    return re.sub(r"(127\.0\.0\.1|localhost):\d+", r"\1:PORT", text)


def program(folder, name, text):
    """Write a program that stands in for another one of that name, and return the PATH with it."""
    path = folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return f"{path.parent}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


# ---------------------------------------------------------------------- a port that is taken


_STARTS = [
    row for row in shell_blocks()
    if re.search(r"mockserver serve|(?<!-)\b(?:while|until) ", row.text)
    and not re.search(r"uvx|pipx|docker|/pip ", row.text)
]  # fmt: skip


@_SLOW
@pytest.mark.parametrize("found", _STARTS, ids=str)
def test_block_that_starts_a_server_ends_if_port_8003_is_taken(found, tmp_path):
    with taken_port() as port:
        script = found.text.replace("$ ", "", 1) if found.language == "console" else found.text
        script = re.sub(r"8004|redis://\S+", lambda match: port if match[0] == "8004" else "memory", script)
        script += "" if "--port 0" in script else "\nwait"
        printed, is_over = ended(script.replace("8003", port), tmp_path, port)

    written = "".join(path.read_text() for path in tmp_path.glob("*log*"))
    assert is_over, printed
    assert "--port 0" in script or f"127.0.0.1:{port}: [Errno" in printed + written, printed


def ended(script, folder, port):
    """Return what a script prints in 20 seconds, and whether it is over then; all that it has started is killed."""
    with (folder / "output").open("w+", encoding="utf-8") as output:
        process = subprocess.Popen(
            ["bash", "-c", script], cwd=folder, env=_environment(port, {}), stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)
        is_over = process.poll() is not None
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        output.seek(0)
        return output.read(), is_over


@_SLOW
@pytest.mark.timeout(600)
def test_first_command_starts_the_server_or_says_that_its_port_is_taken(tmp_path):
    (line,) = {block("README.md", "python3 -m venv .venv && .venv/bin/pip install -c .ci/constraints.txt '.[server]'"),
               block("docs/start.md", "python3 -m venv")}  # fmt: skip
    folder = checkout(tmp_path)
    port = str(free_port())
    with subprocess.Popen(
        ["bash", "-c", line.replace("&& .venv/bin/mockserver", "&& exec .venv/bin/mockserver")], cwd=folder, text=True,
        env=_environment(port, {"PIP_NO_CACHE_DIR": "0"}), stdout=subprocess.PIPE,
    ) as server:  # fmt: skip
        try:
            first = next(row for row in server.stdout if row.startswith("http"))
            health = requests.get(f"{first.strip()}/_mock/health", timeout=10).json()
            refused = shell(line, folder, status=1, port=port)
        finally:
            server.terminate()

    assert (first, health["status"]) == (f"http://127.0.0.1:{port}\n", "ok")
    assert f"cannot listen on 127.0.0.1:{port}: " in refused


def checkout(tmp_path):
    """Return a copy of this project as a checkout has it."""
    ignored = shutil.ignore_patterns(".venv", "node_modules", ".git", "__pycache__", ".*_cache", "build", "dist")
    return shutil.copytree(ROOT, tmp_path / "checkout", ignore=ignored)


# ---------------------------------------------------------------------- what is installed


@pytest.fixture(scope="module")
def wheels(shared_files):
    """A folder with a wheel of this project, from which pip installs it by its name."""

    def build(folder):
        subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True,
                       capture_output=True)  # fmt: skip

    return shared_files.make("wheels-of-pages", build)


def _installing():
    """Return the lines of pages that install something by pip, uvx or pipx, and start no server."""
    found = {code for page in PAGES for code in codes(page) if re.match(r"(?:pip|pipx|uvx) \w+ ", code)}
    found |= {line for row in shell_blocks() for line in row.text.splitlines() if re.match(r"(?:pip|pipx) ", line)}
    found |= {code for page in PAGES for code in codes(page) if code.startswith("uvx --from")}
    return sorted(line for line in found if "pip list" not in line)


@_SLOW
@pytest.mark.timeout(900)
def test_pip_pipx_and_uvx_install_what_a_page_names(wheels, tmp_path):
    """By the name of the distribution, as after its first release, and by a path, as before it."""
    folder = checkout(tmp_path)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    for wheel in wheels.glob("*.whl"):
        shutil.copy(wheel, folder)
    environment = {
        "PATH": f"{tmp_path / 'env' / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin",
        "PIP_FIND_LINKS": f"{os.environ.get('PIP_FIND_LINKS', '')} {wheels}".strip(), "UV_FIND_LINKS": str(wheels),
        "PIPX_HOME": str(tmp_path / "pipx"), "PIPX_BIN_DIR": str(tmp_path / "pipx-bin"), "PIP_NO_COMPILE": "0",
        "UV_NATIVE_TLS": "1", "UV_CACHE_DIR": str(tmp_path / "uv"),
    }  # fmt: skip
    shell("pip install -q pipx uv", folder, **environment)
    for line in _installing():
        command = line.replace("/path/to/checkout", str(folder)).replace("mockserver serve", "mockserver --version")
        is_path = "/path/to/checkout" in line or "'.[" in line
        if line.startswith("pip install") and not is_path:
            shell(command, folder, **environment, PIP_DRY_RUN="1")
        else:
            shell(command, folder, **environment)

    assert len(_installing()) > 10


# ---------------------------------------------------------------------- commands on a server


@_SLOW
def test_journal_is_exported_as_printed(serve, tmp_path):
    shell(block("docs/howto/journal.md", "mockserver requests --har"), tmp_path, port=port_of(serve()))

    assert '"creator"' in (tmp_path / "requests.har").read_text(encoding="utf-8")


@_SLOW
def test_schema_is_written_as_printed(tmp_path):
    shell(block("docs/reference/scenarios.md", "mockserver scenarios schema"), tmp_path)

    assert (tmp_path / "scenario.schema.json").read_text() == (ROOT / "scenarios/scenario.schema.json").read_text()


@_SLOW
def test_completion_is_installed_as_printed(tmp_path):
    command = "mockserver completion bash --install"
    assert f"`{command}`" in (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")

    printed = shell(command, tmp_path, HOME=str(tmp_path))

    assert [path.name for path in tmp_path.rglob("mockserver*")], printed


@_SLOW
def test_server_with_tls_prints_what_the_page_shows(tmp_path):
    shown = block("docs/howto/tls.md", "$ mockserver serve --tls").splitlines()
    port = str(free_port())
    with subprocess.Popen(
        ["bash", "-c", f"exec {shown[0].removeprefix('$ ')}"], cwd=tmp_path, text=True, env=_environment(port, {}),
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        try:
            printed = server.stdout.readline()
            added = shell(block("docs/howto/tls.md", "$ curl --cacert").removeprefix("$ "), tmp_path, port=port)
        finally:
            server.terminate()

    assert normalised(printed) == normalised(f"{shown[1]}\n")
    assert '"fault":"expired_certificate"' in added


def test_site_of_the_tests_is_built_as_printed():
    """The fixture `site` builds it with these options."""
    line = block("docs/project/contributing.md", "python3 -m venv").splitlines()[-1]
    conftest = (ROOT / "tests/docs/conftest.py").read_text(encoding="utf-8")

    options = re.findall(r" (-[\w-]+)", line.partition("sphinx-build")[2])
    assert re.search(r"_STRICT = \((.*)\)", conftest)[1] == ", ".join(f'"{option}"' for option in options)


# ---------------------------------------------------------------------- tests that fail

_FAILING = """
import pytest, requests
def call(method, path, key, json=None):
    return requests.request(method, path, headers={"api-key": key}, json=json, timeout=10)
"""


def failure(tmp_path, body, *options, status=1, **environment):
    """Return the report of pytest on a file with tests."""
    (tmp_path / "test_it.py").write_text(_FAILING + body, encoding="utf-8")
    return shell(" ".join(["pytest", *options]), tmp_path, status=status, **environment)


@_SLOW
def test_failed_check_of_requests_prints_what_the_page_shows(tmp_path):
    printed = failure(tmp_path, """
def test_it(mockserver):
    call("POST", f"{mockserver.url}/senders", "any", {"name": "Jo", "email": "jo@acme.test"})
    mockserver.requests.verify(operation="createSender", json_exactly={"email": "jo@acme.test"})
""")  # fmt: skip

    shown = block("docs/guides/pytest.md", "expected at least 1").splitlines()
    lines = [re.sub(r"^E {7}(AssertionError: )?", "", line) for line in printed.splitlines() if line.startswith("E  ")]
    assert lines == shown


@_SLOW
def test_report_of_a_varied_test_prints_what_the_page_shows(tmp_path):
    printed = failure(tmp_path, """
@pytest.mark.mockserver(vary=0)
def test_it(mockserver):
    assert 0
""")  # fmt: skip

    shown = block("docs/guides/vary.md", "----").splitlines()
    assert [line for line in shown if line not in printed.splitlines()] == []


@_SLOW
def test_report_of_a_failed_test_prints_what_the_page_shows(tmp_path):
    with taken_port() as receiver:
        printed = failure(tmp_path, f"""
@pytest.mark.mockserver(scenario="onboarding")
def test_it(mockserver):
    key = mockserver.api_key
    mockserver.faults.add("server_error", id="f1", match={{"operation": "getAccount"}})
    call("GET", f"{{mockserver.url}}/compnies", key)
    call("GET", f"{{mockserver.url}}/account", key)
    for _ in range(2):
        call("PUT", f"{{mockserver.url}}/senders/2/validate", key, {{"otp": 111111}})
    call("GET", f"{{mockserver.url}}/senders", "another")
    mockserver.seed({{"webhooks": [{{"url": "http://127.0.0.1:{receiver}/hook", "events": ["delivered"]}}]}})
    mockserver.trigger("delivered", to="bob@acme.test")
    mockserver.clock.advance(minutes=16)
    mockserver.clock.advance(seconds=3155760001)
""")  # fmt: skip

    assert normalised(block("docs/howto/failures.md", "----")) in normalised(printed)


@_SLOW
def test_failed_unittest_prints_what_the_page_shows(tmp_path):
    text = (ROOT / "tests/examples/unittest_example.py").read_text(encoding="utf-8")
    broken = "\n".join(line for line in text.splitlines() if "otp=mail.otp" not in line)
    (tmp_path / "test_it.py").write_text(broken, encoding="utf-8")

    printed = shell("python test_it.py", tmp_path, status=1)

    assert normalised(block("docs/guides/unittest.md", "AssertionError")) in normalised(printed)


@_SLOW
def test_pytest_starts_the_server_of_the_printed_command(tmp_path):
    """With a program for `uvx` that runs what is installed here."""
    (tmp_path / "test_it.py").write_text(
        "def test_it(mockserver):\n    assert mockserver.clock.now\n", encoding="utf-8"
    )
    path = program(
        tmp_path, "uvx", '#!/bin/sh\n[ "$1 $2" = "--from brevo-mockserver[server]" ] && shift 2 && exec "$@"\n'
    )

    printed = shell(block("docs/guides/pytest.md", "pytest -n 4 --mockserver-command"), tmp_path, PATH=path)

    assert "1 passed" in printed


@_SLOW
def test_artifacts_are_written_and_replayed_as_printed(tmp_path):
    page = "docs/howto/failures.md"
    body = (
        'def test_fails(mockserver):\n    call("GET", f"{mockserver.url}/senders", mockserver.api_key)\n    assert 0\n'
    )
    port = str(free_port())

    printed = failure(tmp_path, body, block(page, "pytest --mockserver-artifacts").removeprefix("pytest ").strip())
    (folder,) = (tmp_path / "artifacts").iterdir()
    replayed = shell(block(page, "mockserver verify artifacts/*"), tmp_path)
    started, kept = block(page, "mockserver serve &").splitlines()
    until = re.sub(r"test_it-\S+", folder.name, block(page, "mockserver verify artifacts/test_it"))
    report = block(page, "curl").replace("NAME", "default")
    script = (
        f"{started} trap 'kill $!' EXIT; mockserver wait; {kept}\n{until.replace('--until 12', '--until 1')}\n{report}"
    )
    again = shell(f"{script}", tmp_path, port=port)

    assert re.fullmatch(r"test_it-py-test_fails-[0-9a-f]{8}", folder.name)
    assert "1 failed" in printed
    assert "same" in replayed
    assert again.count(f"http://127.0.0.1:{port}/w/") >= 2
    assert "mockserver report on workspace default: " in again


@_SLOW
def test_bisect_prints_what_the_page_shows(tmp_path):
    """Of programs in the place of the reader's own, which expect no CNAME records."""
    program(
        tmp_path, "npm", f'#!/bin/sh\nexec "{sys.executable}" "{ROOT}/tests/vary/program.py" dkim "{tmp_path}/runs"\n'
    )
    for name in ("pytest", "go"):
        shutil.copy(tmp_path / "bin" / "npm", tmp_path / "bin" / name)
    path = f"{tmp_path / 'bin'}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    for line in block("docs/guides/vary.md", "mockserver bisect").splitlines():
        printed = shell(f"{line} 2>/dev/null", tmp_path, status=None, PATH=path)
        assert "seed 7" in line or printed == block("docs/guides/vary.md", "fails when")


# ---------------------------------------------------------------------- scenarios and answers

_SHOP = """\
extends: emtpy
seed: twelve
accounts:
  - {name: shop, api_keys: ["shop key\\n"]}
  - {name: sub, role: sub_account, of: acme}
senders:
  - {name: Ada, email: ada@localhost}
  - {name: Bo, email: bo@acme.test, state: awaiting_verification, otp: 12345}
webhooks:
  - {url: "https://a.test/", events: [delivred, opend]}
faults:
  - {fault: server_error, match: {operation: createSendr}}
"""


@_SLOW
def test_errors_of_a_scenario_are_printed_as_the_page_shows(tmp_path):
    (tmp_path / "shop.yaml").write_text(_SHOP, encoding="utf-8")
    command, *shown = block("docs/reference/scenarios.md", "$ mockserver scenarios check").splitlines()

    assert shell(command.removeprefix("$ "), tmp_path, status=1).splitlines() == shown


def _expecting():
    (text,) = [row.text for row in BLOCKS if row.page == "docs/howto/expectations.md" and row.first == "senders:"]
    return text


@_SLOW
def test_useless_expectation_is_refused_as_the_page_shows(tmp_path):
    (tmp_path / "onboarding.yaml").write_text(_expecting().replace("    hold: true\n", "", 1), encoding="utf-8")

    printed = shell("mockserver scenarios check onboarding.yaml", tmp_path, status=1)

    assert block("docs/howto/expectations.md", "onboarding.yaml:8") in printed


def test_expectations_are_printed_as_the_page_shows(make_workspace):
    """After two senders were verified, of which one was not there."""
    workspace = make_workspace(yaml.safe_load(_expecting()))
    workspace.seed({"senders": [{"id": 3, "name": "Bo", "email": "bo@acme.test", "state": "awaiting_verification"}]})
    for sender, address in ((2, "jo@acme.test"), (3, "bo@acme.test")):
        workspace.machines.fire("sender", sender, "resend_otp")
        otp = workspace.mailbox.latest(to=address).otp
        url, headers = f"{workspace.url}/senders/{sender}/validate", {"api-key": workspace.api_key}
        assert requests.put(url, json={"otp": otp}, headers=headers, timeout=10).status_code == 204

    shown = block("docs/howto/expectations.md", "ok:").splitlines()
    assert [str(row) for row in workspace.expectations()] == shown
