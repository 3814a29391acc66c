from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.dashboard.layout import Kind, lay_out
from mockserver.resources.registry import LIFECYCLES

SHIPPED = {name: lifecycle.machine for name, lifecycle in LIFECYCLES.items()}
NAMES = st.text("abc_", min_size=1, max_size=30)


@st.composite
def tables(draw):
    """State machines of all shapes: any state may lead to any other, to itself and to the end."""
    states = draw(st.lists(NAMES, min_size=1, max_size=8, unique=True))
    rows = st.tuples(NAMES, st.sampled_from([ABSENT, *states]), st.sampled_from([ABSENT, *states]))
    chosen = draw(st.lists(rows.filter(lambda row: row[1:] != (ABSENT, ABSENT)), min_size=1, max_size=25, unique=True))
    timed = draw(st.sets(st.sampled_from([row[0] for row in chosen])))
    return StateMachine("any", *chosen, timed=frozenset(timed))


def overlap(one, other):
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


def goes_through(line, box):
    (x1, y1), (x2, y2) = line
    left, right, top, bottom = min(x1, x2), max(x1, x2), min(y1, y2), max(y1, y2)
    return left < box.x + box.width and box.x < right + 1e-9 and top < box.y + box.height and box.y < bottom + 1e-9


def lies_on_the_edge(point, box):
    across, down = box.x <= point.x <= box.x + box.width, box.y <= point.y <= box.y + box.height
    at_side = point.x in (box.x, box.x + box.width)
    at_end = point.y in (box.y, box.y + box.height)
    return across and down and (at_side or at_end)


def labels_of(drawing):
    return [label for arrow in drawing.arrows for label in arrow.labels]


def boxes_of(drawing, state, kind):
    return [box for box in drawing.boxes if box.state == state and box.kind in (Kind.STATE, kind)]


def check_nothing_overlaps(drawing):
    things = [*drawing.boxes, *labels_of(drawing)]
    assert [pair for pair in combinations(things, 2) if overlap(*pair)] == []


def check_no_line_crosses_a_label_or_a_box(drawing):
    lines = [line for arrow in drawing.arrows for line in pairwise(arrow.corners)]
    things = [
        *labels_of(drawing),
        *(box._replace(x=box.x + 1, width=box.width - 2, y=box.y + 1, height=box.height - 2) for box in drawing.boxes),
    ]
    assert [(line, thing) for line in lines for thing in things if goes_through(line, thing)] == []


def check_arrows_begin_and_end_at_their_boxes(drawing):
    for arrow in drawing.arrows:
        (source,), (target,) = boxes_of(drawing, arrow.source, Kind.START), boxes_of(drawing, arrow.target, Kind.END)
        assert lies_on_the_edge(arrow.corners[0], source), arrow
        assert lies_on_the_edge(arrow.corners[-1], target), arrow


def check_lines_go_straight(drawing):
    for arrow in drawing.arrows:
        assert all(one.x == other.x or one.y == other.y for one, other in pairwise(arrow.corners)), arrow


def check_lanes_are_shared_only_on_the_way_to_one_box(drawing):
    upright = [(arrow, *arrow.corners[1:3]) for arrow in drawing.arrows if len(arrow.corners) == 4]
    for (one, begin, end), (other, start, stop) in combinations(upright, 2):
        if one.target != other.target and begin.x == start.x:
            low, high = sorted((begin.y, end.y))
            assert high < min(start.y, stop.y) or max(start.y, stop.y) < low, (one, other)


def check_every_transition_is_drawn_once(drawing, machine):
    drawn = [(event, arrow.source, arrow.target) for arrow in drawing.arrows for event in arrow.events]
    assert sorted(drawn) == sorted(machine.transitions)


def check_all_lies_within(drawing):
    corners = [corner for arrow in drawing.arrows for corner in arrow.corners]
    for thing in [*drawing.boxes, *labels_of(drawing)]:
        corners += [(thing.x, thing.y), (thing.x + thing.width, thing.y + thing.height)]
    assert all(0 <= x <= drawing.width and 0 <= y <= drawing.height for x, y in corners)


def check(machine):
    drawing = lay_out(machine)
    check_nothing_overlaps(drawing)
    check_no_line_crosses_a_label_or_a_box(drawing)
    check_arrows_begin_and_end_at_their_boxes(drawing)
    check_lines_go_straight(drawing)
    check_lanes_are_shared_only_on_the_way_to_one_box(drawing)
    check_every_transition_is_drawn_once(drawing, machine)
    check_all_lies_within(drawing)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_machine_that_we_ship_is_drawn_without_overlaps_on_a_screen_of_320_pixels(name):
    check(SHIPPED[name])
    assert lay_out(SHIPPED[name]).width <= 288  # what a page leaves of 320, at the natural size of its texts


@given(tables())
def test_any_table_is_drawn_without_overlaps(machine):
    check(machine)


def test_the_same_table_gives_the_same_drawing():
    rows = [("create", ABSENT, "here"), ("leave", "here", "there"), ("delete", "there", ABSENT)]

    assert lay_out(StateMachine("one", *rows)) == lay_out(StateMachine("other", *rows))


def test_events_between_the_same_states_share_an_arrow():
    drawing = lay_out(StateMachine("any", ("grow", "small", "large"), ("eat", "small", "large")))

    assert [arrow.events for arrow in drawing.arrows] == [["grow", "eat"]]


def test_timer_events_are_marked_in_the_drawing():
    drawing = lay_out(StateMachine("any", ("grow", "small", "large"), timed=frozenset({"grow"})))

    assert [label.timed for label in labels_of(drawing)] == [True]


def test_a_long_name_is_broken_after_an_underscore():
    drawing = lay_out(StateMachine("any", ("grow", "awaiting_verification", "verified")))

    assert [line.text for line in drawing.boxes[0].lines] == ["awaiting_", "verification"]
