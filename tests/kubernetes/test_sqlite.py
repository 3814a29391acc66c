"""The manifest for a store on a volume: the file is on the volume, and the next pod goes on with it."""

import os
import re
import subprocess
import sys
from contextlib import contextmanager

import pytest
import requests
from manifests import DOCKERFILE, named

SET = named("kubernetes-sqlite.yaml", "StatefulSet", "mockserver")["spec"]
POD = SET["template"]["spec"]
(CONTAINER,) = POD["containers"]
ENVIRONMENT = {entry["name"]: entry.get("value", "secret") for entry in CONTAINER["env"]}


def test_the_file_is_on_the_volume_and_the_volume_belongs_to_the_user_of_the_image():
    (claim,) = SET["volumeClaimTemplates"]
    (place,) = [mount["mountPath"] for mount in CONTAINER["volumeMounts"] if mount["name"] == claim["metadata"]["name"]]

    assert ENVIRONMENT["MOCKSERVER_STORE"] == f"sqlite:{place}/mockserver.sqlite"
    assert POD["securityContext"]["fsGroup"] == POD["securityContext"]["runAsUser"]
    assert f"install -d -o 10001 -g 10001 -m 700 {place}\n" in DOCKERFILE
    # No two pods have the file.
    assert SET["replicas"] == 1
    assert claim["spec"]["accessModes"] == ["ReadWriteOncePod"]


def test_the_service_leads_to_the_port_of_the_image():
    service = named("kubernetes.yaml", "Service", SET["serviceName"])["spec"]
    (port,) = service["ports"]

    assert re.search(rf"^EXPOSE {port['port']}$", DOCKERFILE, re.MULTILINE)
    assert CONTAINER["ports"] == [{"name": port["targetPort"], "containerPort": port["port"]}]


@contextmanager
def running(folder):
    """The program with the environment of the pod and a folder for its volume; it ends as Kubernetes ends a pod."""
    outer = {name: value for name, value in os.environ.items() if not name.startswith("MOCKSERVER_")}
    store = {"MOCKSERVER_STORE": f"sqlite:{folder}/mockserver.sqlite"}
    process = subprocess.Popen(
        [sys.executable, "-m", "mockserver", "serve", "--port", "0"], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, env={**outer, **ENVIRONMENT, **store},
    )  # fmt: skip
    with process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            process.wait(timeout=POD["terminationGracePeriodSeconds"])


@pytest.mark.slow
def test_the_next_pod_has_the_workspaces_of_the_last_one(tmp_path):
    with running(tmp_path) as root:
        token = {"Authorization": "Bearer secret"}
        key = requests.post(f"{root}/_mock/workspaces", headers=token, timeout=30).json()["api_key"]

    with running(tmp_path) as root:
        assert requests.get(f"{root}/v3/account", headers={"api-key": key}, timeout=30).status_code == 200
        probes = [CONTAINER[probe]["httpGet"]["path"] for probe in ("readinessProbe", "livenessProbe")]
        assert [requests.get(f"{root}{path}", timeout=30).status_code for path in probes] == [200, 200]
