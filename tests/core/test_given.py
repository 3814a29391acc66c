"""Error messages show the value that was given, at a length that fits on a line, and no secrets."""

from datetime import UTC, date, datetime

from mockserver.core.text.messages import kind_of, nearest, redacted, shown

LONG = "a" * 70


def test_given_value_is_shown_with_its_kind_and_redacted_if_secret():
    for value, text, without_secrets, kind in [
        ("a'b", '"a\'b"', "a string of 3 characters (redacted)", "a string"),
        (LONG, f"'{'a' * 60}…' (70 characters)", "a string of 70 characters (redacted)", "a string"),
        (5, "5", "a number (redacted)", "a number"),
        (1.5, "1.5", "a number (redacted)", "a number"),
        (True, "true", "true", "a boolean"),
        (None, "null", "null", ""),
        ([1], "a list of 1 item", "a list of 1 item", ""),
        ({"a": 1, "b": 2}, "a mapping of 2 keys", "a mapping of 2 keys", ""),
        (date(2026, 1, 15), "2026-01-15", "2026-01-15", "a date"),
        (datetime(2026, 1, 15, tzinfo=UTC), "2026-01-15T00:00:00Z", "2026-01-15T00:00:00Z", "a date"),
    ]:
        assert (shown(value), redacted(value), kind_of(value)) == (text, without_secrets, kind)


def test_known_names_are_cut_between_names_and_the_rest_is_counted():
    assert nearest("zzz", ["b", "a"]) == "known: a, b"
    text = nearest("zzz", [f"name_{number:02}" for number in range(60)])
    assert text == f"known: {', '.join(f'name_{number:02}' for number in range(44))} and 16 more"
    assert nearest("zzz", [f"name_{number:02}" for number in range(41)]).endswith(", name_40")
