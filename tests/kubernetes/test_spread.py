"""The manifest for three replicas has HAProxy as the guide has it, and the replicas that this counts."""

import os
import shutil
import subprocess

import pytest
from manifests import EXAMPLES, named

SPREAD = "spread/kubernetes.yaml"


@pytest.fixture
def haproxy_cfg():
    return named(SPREAD, "ConfigMap", "mockserver-haproxy")["data"]["haproxy.cfg"]


@pytest.fixture
def replicas():
    return named(SPREAD, "StatefulSet", "replica")["spec"]


def test_haproxy_is_configured_as_in_the_guide_but_for_the_addresses(haproxy_cfg):
    text = (EXAMPLES / "spread" / "haproxy.cfg").read_text(encoding="utf-8")
    for number in range(3):
        address = f'"replica-{number}.replicas.${{NAMESPACE}}.svc.cluster.local:8003"'
        text = text.replace(f"server {number} replica-{number}:8003", f"server {number} {address}")

    assert haproxy_cfg == text


def test_each_backend_is_a_pod_of_the_set(haproxy_cfg, replicas):
    service = named(SPREAD, "Service", replicas["serviceName"])["spec"]
    numbers = range(replicas["replicas"])

    assert service["clusterIP"] == "None"
    assert [number for number in numbers if f"backend replica-{number} " not in haproxy_cfg] == []
    assert f"backend replica-{len(numbers)} " not in haproxy_cfg
    assert f"mod({len(numbers)})" in haproxy_cfg


def test_a_replica_is_called_as_its_pod_is_numbered(replicas):
    (container,) = replicas["template"]["spec"]["containers"]
    (source,) = [row["valueFrom"] for row in container["env"] if row["name"] == "MOCKSERVER_REPLICA"]

    assert source == {"fieldRef": {"fieldPath": "metadata.labels['apps.kubernetes.io/pod-index']"}}


def test_a_disruption_takes_one_replica_at_most():
    assert named(SPREAD, "PodDisruptionBudget", "replica")["spec"]["maxUnavailable"] == 1


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("haproxy") is None, reason="haproxy is not installed: apt-get install haproxy")
def test_haproxy_takes_its_configuration(haproxy_cfg, tmp_path):
    file = tmp_path / "haproxy.cfg"
    file.write_text(haproxy_cfg, encoding="utf-8")

    checked = subprocess.run(
        ["haproxy", "-c", "-f", str(file)], env={**os.environ, "NAMESPACE": "tests"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip

    assert checked.returncode == 0, checked.stderr
