"""The file for Compose has the replicas that HAProxy is configured for, in this version of the image."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

FOLDER = Path(__file__).parents[1] / "examples" / "spread"


@pytest.fixture
def services():
    return yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))["services"]


def test_each_server_of_haproxy_is_a_service_and_called_so(services):
    servers = re.findall(r"server (\w+) (\S+):8003 check", (FOLDER / "haproxy.cfg").read_text(encoding="utf-8"))

    called = {name: row["environment"]["MOCKSERVER_REPLICA"] for name, row in services.items() if "environment" in row}
    assert {service: replica for replica, service in servers} == called


def test_a_replica_is_this_version_of_the_image(services):
    images = {row["image"] for name, row in services.items() if name.startswith("replica-")}

    assert images == {f"registry.example.com/mockserver:{version('brevo-mockserver')}"}


def test_haproxy_waits_for_all_replicas_and_has_the_configuration(services):
    balancer = services["mockserver"]

    assert [*balancer["depends_on"]] == [name for name in services if name.startswith("replica-")]
    assert balancer["volumes"] == ["./haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro"]
