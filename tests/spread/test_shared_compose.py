"""The files for replicas that share workspaces: nginx leads to the services of Compose, and these to one engine."""

import re
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

FOLDER = Path(__file__).parents[1] / "examples" / "shared"
NGINX = (FOLDER / "nginx.conf").read_text(encoding="utf-8")


@pytest.fixture
def services():
    return yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))["services"]


def test_nginx_leads_to_each_replica_and_waits_for_it(services):
    servers = re.findall(r"server (\S+):8003;", NGINX)

    assert servers == [name for name in services if name.startswith("replica-")]
    assert [*services["mockserver"]["depends_on"]] == servers


def test_the_replicas_are_this_version_of_the_image_with_one_store(services):
    replicas = [row for name, row in services.items() if name.startswith("replica-")]

    assert {row["image"] for row in replicas} == {f"registry.example.com/mockserver:{version('brevo-mockserver')}"}
    assert {row["environment"]["MOCKSERVER_STORE"] for row in replicas} == {"redis://valkey:6379/0"}
    assert "valkey" in services


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed: apt-get install nginx-light")
def test_nginx_takes_its_configuration(tmp_path):
    file = tmp_path / "nginx.conf"
    file.write_text(re.sub(r"replica-\d:", "127.0.0.1:", NGINX), encoding="utf-8")

    checked = subprocess.run(
        ["nginx", "-t", "-q", "-c", str(file), "-p", str(tmp_path), "-g", "error_log stderr; pid nginx.pid;"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert checked.returncode == 0, checked.stderr
