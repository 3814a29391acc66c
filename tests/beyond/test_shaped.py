"""`shape`: the documented status with the smallest valid body, marked as no truth."""

import pytest

from mockserver.beyond.catalogue import catalogue


@pytest.fixture(scope="module")
def shaping(make_api):
    return make_api({"behaviour": {"beyond": "shape"}})


def test_each_operation_is_answered_with_its_status_and_its_smallest_body(shaping):
    for operation in catalogue().values():
        answer = shaping.request(operation.method, operation.path.replace("{", "").replace("}", "~"))

        assert (answer.status_code, answer.headers["X-Mock-Beyond"]) == (operation.status, operation.id)
        assert answer.text == (f"{operation.body}\n" if operation.body else "")
        assert answer.headers["X-Mock-Answered"] == "shaped"


def test_the_bodies_are_those_of_the_clients_models(shaping):
    assert shaping.get("/v3/categories/7").json == {
        "id": "1",
        "name": "",
        "isDeleted": False,
        "createdAt": "2026-01-01T00:00:00Z",
        "modifiedAt": "2026-01-01T00:00:00Z",
    }


def test_journal_warns_about_a_shaped_answer(shaping):
    shaping.post("/v3/categories", json={"email": "bob@example.test"})

    found = shaping.get("/_mock/requests").json["items"][0]
    assert found["warnings"] == [
        "createUpdateCategory was not carried out: the answer is a placeholder of the documented form"
    ]
    assert found["reason"] is None


def test_an_address_that_the_service_does_not_have_stays_404(shaping):
    assert shaping.get("/v3/nowhere").status_code == 404


@pytest.mark.parametrize(
    ("flag", "behaviour", "status"),
    [
        ("refuse", {}, 404),
        ("shape", {}, 201),
        ("shape", {"beyond": None}, 201),
        ("shape", {"beyond": "refuse"}, 404),
        ("refuse", {"beyond": "shape"}, 201),
    ],
)
def test_the_flag_is_for_workspaces_whose_scenario_says_nothing(make_api, flag, behaviour, status):
    api = make_api({"behaviour": behaviour}, beyond=flag)

    assert api.post("/v3/categories", json={}).status_code == status


def test_what_was_chosen_is_part_of_the_state(make_api):
    api = make_api({"behaviour": {"beyond": "shape"}})
    written = api.get("/_mock/state").json

    api.post("/_mock/reset", json={"scenario": "empty"})
    assert api.post("/v3/categories", json={}).status_code == 404

    api.put("/_mock/state", json=written)
    assert written["behaviour"] == {"preset": "documented", "beyond": "shape"}
    assert api.post("/v3/categories", json={}).status_code == 201


def test_a_seed_can_choose_it_and_leaves_it_as_it_is(api):
    for document in ({"behaviour": {"beyond": "shape"}}, {"behaviour": {"dkim": "cname"}}):
        assert api.post("/_mock/seed", json=document).status_code == 200

    assert api.post("/v3/categories", json={}).status_code == 201


def test_unknown_beyond_mode_is_refused_with_the_known_modes(api):
    answer = api.post("/_mock/reset", json={"scenario": {"behaviour": {"beyond": "shapes"}}})

    assert answer.status_code == 400
    assert answer.json["errors"] == [
        {
            "path": "/behaviour/beyond",
            "message": "unknown value: got 'shapes', expected one of: refuse, shape, forward; did you mean shape?",
        }
    ]
