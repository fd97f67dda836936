"""Acts in their cycles."""

from syncfabric.sim.drive.program import Agenda


def test_acts_come_in_order_of_cycles_and_of_entering() -> None:
    agenda, done = Agenda(), list[tuple[str, int]]()
    assert agenda.next_cycle is None

    def enter(cycle: int, name: str) -> None:
        agenda.at(cycle, lambda now: done.append((name, now)))

    for cycle, name in ((7, "b"), (5, "a"), (7, "c")):
        enter(cycle, name)
    assert agenda.next_cycle == 5
    agenda.step(4)
    assert done == []
    agenda.step(7)
    assert done == [("a", 7), ("b", 7), ("c", 7)]


def test_what_an_act_enters_for_now_is_done_at_once() -> None:
    agenda, done = Agenda(), list[int]()
    agenda.at(3, lambda now: agenda.at(now, done.append))
    agenda.step(3)
    assert done == [3]
    assert agenda.next_cycle is None
