"""The manifest for replicas that share their workspaces: each finds the engine, and any one may go."""

import re

from manifests import named

FILE = "kubernetes-valkey.yaml"
DEPLOYMENT = named(FILE, "Deployment", "mockserver")["spec"]
(CONTAINER,) = DEPLOYMENT["template"]["spec"]["containers"]
ENVIRONMENT = {entry["name"]: entry for entry in CONTAINER["env"]}
ENGINE = named(FILE, "StatefulSet", "valkey")["spec"]
(VALKEY,) = ENGINE["template"]["spec"]["containers"]


def test_the_store_is_the_service_of_the_engine_with_the_password_that_it_asks_for():
    (port,) = named(FILE, "Service", "valkey")["spec"]["ports"]
    (password,) = [entry for entry in VALKEY["env"] if entry["name"] == "STORE_PASSWORD"]

    assert ENVIRONMENT["MOCKSERVER_STORE"]["value"] == f"redis://:$(STORE_PASSWORD)@valkey:{port['port']}/0"
    assert ENVIRONMENT["STORE_PASSWORD"] == password
    assert VALKEY["args"][:2] == ["--requirepass", "$(STORE_PASSWORD)"]
    # Kubernetes fills in only variables that stand above.
    names = [*ENVIRONMENT]
    above = names[: names.index("MOCKSERVER_STORE")]

    assert set(re.findall(r"\$\((\w+)\)", ENVIRONMENT["MOCKSERVER_STORE"]["value"])) <= set(above)


def test_a_disruption_or_a_roll_out_takes_one_replica_of_three_at_most():
    budget = named(FILE, "PodDisruptionBudget", "mockserver")["spec"]

    assert DEPLOYMENT["replicas"] == 3
    assert budget["maxUnavailable"] == DEPLOYMENT["strategy"]["rollingUpdate"]["maxUnavailable"] == 1
    assert budget["selector"] == DEPLOYMENT["selector"]


def test_the_engine_forgets_nothing_that_was_answered():
    options = dict(zip(VALKEY["args"][::2], VALKEY["args"][1::2], strict=True))
    (claim,) = ENGINE["volumeClaimTemplates"]

    assert (options["--appendonly"], options["--appendfsync"]) == ("yes", "always")
    assert options["--maxmemory-policy"] == "noeviction"
    assert [mount["name"] for mount in VALKEY["volumeMounts"]] == [claim["metadata"]["name"]]


def test_only_the_mock_reaches_the_engine():
    policy = named(FILE, "NetworkPolicy", "valkey")["spec"]
    (rule,) = policy["ingress"]

    assert policy["podSelector"] == ENGINE["selector"]
    assert rule["from"] == [{"podSelector": DEPLOYMENT["selector"]}]
