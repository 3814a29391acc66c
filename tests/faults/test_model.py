"""Any list of rules and any requests: the first active rule that matches hits, and the counts add up."""

from __future__ import annotations

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

OPERATIONS = {
    "getSenders": ("GET", "/v3/senders"),
    "getAccount": ("GET", "/v3/account"),
    "getWebhooks": ("GET", "/v3/webhooks"),
    "createSender": ("POST", "/v3/senders"),
    None: ("GET", "/v3/no/such"),
}
STATUSES = [500, 502, 503, 504]

matches = st.fixed_dictionaries(
    {},
    optional={
        "operation": st.lists(st.sampled_from([name for name in OPERATIONS if name]), min_size=1, max_size=3),
        "method": st.sampled_from(["GET", "POST"]),
        "path": st.sampled_from(["/v3/senders", "/v3/*", "/v3/a*", "*such"]),
        "query": st.fixed_dictionaries({"a": st.integers(0, 1)}),
        "headers": st.fixed_dictionaries({"x-a": st.sampled_from(["0", "1"])}),
        "json": st.fixed_dictionaries({"a": st.integers(0, 1)}),
    },
)
rules = st.fixed_dictionaries(
    {"match": matches, "status": st.sampled_from(STATUSES)},
    optional={
        "times": st.integers(1, 3),
        "after": st.integers(0, 3),
        "ttl_s": st.integers(0, 5),
        "probability": st.sampled_from([0, 1]),
    },
)
requests = st.fixed_dictionaries(
    {
        "operation": st.sampled_from(list(OPERATIONS)),
        "query": st.sampled_from([None, 0, 1]),
        "header": st.sampled_from([None, "0", "1"]),
        "json": st.sampled_from([None, 0, 1]),
        "wait": st.integers(0, 2),
    }
)


class Model:
    """What a rule is, in as few words as possible."""

    def __init__(self, rule):
        self.rule = rule
        self.hits = self.seen = 0

    def matches(self, request):
        match = self.rule["match"]
        method, path = OPERATIONS[request["operation"]]
        beginning, star, end = match.get("path", path).partition("*")
        return (
            request["operation"] in match.get("operation", [request["operation"]])
            and method == match.get("method", method)
            and (path.startswith(beginning) and path.endswith(end) if star else path == beginning)
            and match.get("query", {"a": request["query"]})["a"] == request["query"]
            and match.get("headers", {"x-a": request["header"]})["x-a"] == request["header"]
            and match.get("json", {"a": request["json"]})["a"] == request["json"]
        )

    def is_active(self, now):
        return self.hits < self.rule.get("times", now + 1_000) and now < self.rule.get("ttl_s", now + 1)

    def takes(self, request, now):
        if not self.is_active(now) or not self.matches(request):
            return False
        self.seen += 1
        hit = self.seen > self.rule.get("after", 0) and self.rule.get("probability", 1) == 1
        self.hits += hit
        return hit


def ask(api, request):
    method, path = OPERATIONS[request["operation"]]
    query = "" if request["query"] is None else f"?a={request['query']}"
    headers = {} if request["header"] is None else {"X-A": request["header"]}
    body = {} if request["json"] is None else {"json": {"a": request["json"]}}
    found = api.request(method, path + query, headers=headers, **body)
    return found.headers.get("X-Mock-Fault"), found.status_code


@pytest.fixture(scope="module")
def applications():
    return {}


@pytest.fixture
def model_api(make_api, scenario, applications):
    """One application for all examples, each of which begins with a reset."""
    return applications.setdefault("one", make_api(scenario, key="master-key"))


@examples(120)
@given(rules=st.lists(rules, max_size=5), requests=st.lists(requests, min_size=1, max_size=25))
def test_the_first_active_rule_that_matches_hits(model_api, rules, requests):
    api = model_api
    assert api.post("/_mock/reset").status_code == 200
    items = [{"fault": "error", "code": "internal_error", "id": f"r{n}", **rule} for n, rule in enumerate(rules)]
    assert api.put("/_mock/faults", json={"items": items}).status_code == 200
    models, now = [Model(rule) for rule in rules], 0

    for request in requests:
        if request["wait"]:
            api.advance(f"PT{request['wait']}S")
            now += request["wait"]
        hit = next((n for n, model in enumerate(models) if model.takes(request, now)), None)
        name, status = ask(api, request)
        assert name == (None if hit is None else f"r{hit}")
        assert (status == rules[hit]["status"]) if hit is not None else (status not in STATUSES)

    found = api.get("/_mock/faults").json["items"]
    assert [rule["hits"] for rule in found] == [model.hits for model in models]
    assert [rule["active"] for rule in found] == [model.is_active(now) for model in models]
    assert sum(exchange.fault is not None for exchange in api.workspace.journal) == sum(model.hits for model in models)
