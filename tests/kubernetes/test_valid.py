"""The manifests for Kubernetes are valid in each version that is supported, and run this version as nobody."""

import re
from importlib.metadata import version

import kubernetes_validate
import pytest
from manifests import DOCKERFILE, VERSIONS, documents

FILES = ["kubernetes.yaml", "kubernetes-sqlite.yaml", "kubernetes-valkey.yaml", "kubernetes-ingress.yaml"]
#: The containers of others, with the users of their images.
OTHERS = {"haproxy": ("haproxy:2.6", 99), "valkey": ("valkey/valkey:8.1", 999)}
DOCUMENTS = {f"{file}/{row['kind']}/{row['metadata']['name']}": row for file in FILES for row in documents(file)}
PODS = {name: row["spec"]["template"]["spec"] for name, row in DOCUMENTS.items() if "template" in row.get("spec", {})}


@pytest.mark.parametrize("kubernetes", VERSIONS)
@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_manifest_is_valid_for_each_kubernetes_version(document, kubernetes):
    assert kubernetes_validate.validate(document, kubernetes, strict=True) == kubernetes.rpartition(".")[0]


def test_a_mistake_in_a_manifest_is_found():
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate({"specs": {}, **documents("kubernetes.yaml")[-1]}, VERSIONS[-1], strict=True)


@pytest.mark.parametrize("pod", PODS.values(), ids=PODS)
def test_pods_run_without_privileges(pod):
    (container,) = pod["containers"]

    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["automountServiceAccountToken"] is False
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
    }  # fmt: skip


@pytest.mark.parametrize("pod", PODS.values(), ids=PODS)
def test_a_pod_runs_this_version_or_that_of_another_image_as_the_user_of_the_image(pod):
    (container,) = pod["containers"]
    user = int(re.search(r"^USER (\d+):\1$", DOCKERFILE, re.MULTILINE)[1])
    own = (f"registry.example.com/mockserver:{version('brevo-mockserver')}", user)

    assert (container["image"], pod["securityContext"]["runAsUser"]) == OTHERS.get(container["name"], own)


@pytest.mark.parametrize("file", FILES)
def test_selectors_match_existing_pods(file):
    rows = documents(file)
    labels = [row["spec"]["template"]["metadata"]["labels"] for row in rows if "template" in row.get("spec", {})]
    selectors = [row["spec"]["selector"] for row in rows if "selector" in row.get("spec", {})]

    assert [found for found in selectors if found.get("matchLabels", found) not in labels] == []
