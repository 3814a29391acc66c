"""The manifest for one server in memory agrees with the image, and its pod does what it says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import requests
from manifests import DOCKERFILE, documents

_DOCUMENTS = documents("kubernetes.yaml")
_BY_KIND = {document["kind"]: document for document in _DOCUMENTS}
_POD = _BY_KIND["Deployment"]["spec"]["template"]
(_CONTAINER,) = _POD["spec"]["containers"]


def test_the_service_leads_to_the_port_of_the_image():
    (port,) = _BY_KIND["Service"]["spec"]["ports"]

    assert re.search(rf"^EXPOSE {port['port']}$", DOCKERFILE, re.MULTILINE)
    assert port["targetPort"] == _CONTAINER["ports"][0]["name"]
    assert _CONTAINER["ports"][0]["containerPort"] == port["port"]
    assert _BY_KIND["Service"]["spec"]["selector"] == _POD["metadata"]["labels"]
    assert _BY_KIND["Deployment"]["spec"]["selector"]["matchLabels"] == _POD["metadata"]["labels"]


def test_the_pod_gets_what_stands_beside_it():
    (reference,) = [entry["valueFrom"]["secretKeyRef"] for entry in _CONTAINER["env"] if "valueFrom" in entry]
    ((volume,), (mount,)) = _POD["spec"]["volumes"], _CONTAINER["volumeMounts"]

    assert reference["name"] == _BY_KIND["Secret"]["metadata"]["name"]
    assert reference["key"] in _BY_KIND["Secret"]["stringData"]
    assert volume["configMap"]["name"] == _BY_KIND["ConfigMap"]["metadata"]["name"]
    assert f"MOCKSERVER_SCENARIOS={mount['mountPath']}\n" in DOCKERFILE


def mounted(folder):
    """The ConfigMap as the kubelet mounts it: links to links, which it replaces at once when the map changes."""
    (folder / "..2026_11_23").mkdir()
    (folder / "..data").symlink_to("..2026_11_23")
    for name, text in _BY_KIND["ConfigMap"]["data"].items():
        (folder / "..2026_11_23" / name).write_text(text, encoding="utf-8")
        (folder / name).symlink_to(Path("..data") / name)
    return folder


@pytest.fixture(scope="module")
def pod(tmp_path_factory):
    """The program with the environment of the pod, and with what Kubernetes adds for a service called mockserver."""
    folder = mounted(tmp_path_factory.mktemp("scenarios"))
    environment = {entry["name"]: entry.get("value", "secret") for entry in _CONTAINER["env"]}
    injected = {
        "MOCKSERVER_PORT": "tcp://10.96.0.7:8003", "MOCKSERVER_SERVICE_HOST": "10.96.0.7",
        "MOCKSERVER_SERVICE_PORT": "8003", "MOCKSERVER_SERVICE_PORT_HTTP": "8003",
        "MOCKSERVER_PORT_8003_TCP": "tcp://10.96.0.7:8003", "MOCKSERVER_PORT_8003_TCP_ADDR": "10.96.0.7",
    }  # fmt: skip
    outer = {name: value for name, value in os.environ.items() if not name.startswith("MOCKSERVER_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "mockserver", "serve", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env={**outer, **environment, **injected, "MOCKSERVER_SCENARIOS": str(folder)},
    )  # fmt: skip
    yield process.stdout.readline().strip()
    process.terminate()
    process.communicate(timeout=10)


def test_the_pod_is_ready_alive_and_has_the_scenario_of_the_config_map(pod):
    paths = [_CONTAINER[probe]["httpGet"]["path"] for probe in ("readinessProbe", "livenessProbe")]
    assert [requests.get(f"{pod}{path}", timeout=5).status_code for path in paths] == [200, 200]

    found = requests.get(f"{pod}/_mock/health", timeout=5).json()
    senders = requests.get(f"{pod}/v3/senders", headers={"api-key": "any"}, timeout=5).json()["senders"]

    assert found["scenario"] == _CONTAINER["env"][0]["value"]
    assert [sender["name"] for sender in senders] == ["News"]


def test_the_pod_asks_for_the_token_of_the_secret(pod):
    def ask(**headers):
        return requests.get(f"{pod}/_mock/workspaces", headers=headers, timeout=5).status_code

    assert (ask(), ask(Authorization="Bearer secret")) == (401, 200)
