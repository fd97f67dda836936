"""The checker, on what the model foretells and on doctored lines of the probe."""

from collections.abc import Callable, Sequence

import pytest

from syncfabric.models.golden.record import PortState, Record
from syncfabric.sim.drive.barrier_check import BarrierCheck
from syncfabric.sim.drive.checker import KEPT, Checker
from syncfabric.sim.drive.lanes import Load
from syncfabric.sim.drive.packet_check import PacketCheck
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.stimulus import rules_of
from syncfabric.sim.drive.trace import EMPTY, Arrival, Chunk, Line, observe_line, record_line
from syncfabric.sim.results import Mismatch
from tests.sim.drive.networks import members, mesh, plan_of, played

NETWORK = mesh(2, 2)
PLAN = plan_of(NETWORK, members(5, *NETWORK.topology.nodes), members(6, (0, 0), (1, 1)))
SCENARIO = Scenario(episodes=4, background=0.5, lead_in=50)
(CHUNK,) = played(PLAN, SCENARIO, cycles=100_000)

Change = Callable[[Record], Record]


def fresh() -> Checker:
    return Checker(NETWORK, rules_of(PLAN, SCENARIO, coverage=False))


def checked(lines: Sequence[Line] = CHUNK.lines, text: Sequence[str] | None = None) -> Checker:
    """Check lines, as if the hardware's probe had written them."""
    checker = fresh()
    checker.compare(CHUNK, written(lines) if text is None else text)
    return checker


def written(lines: Sequence[Line]) -> list[str]:
    """Return lines in the probe's words."""
    return [
        record_line(line.cycle, line.record, answer_of(line))
        if line.observed is None
        else observe_line(line.observed)
        for line in lines
    ]


def answer_of(line: Line) -> tuple[bool, bool, int]:
    """Return ready, error and data of the config port."""
    error, data = line.answer or (0, 0)
    return line.answer is not None, bool(error), data


def find(what: Callable[[Line], object]) -> int:
    """Return the place of the line in the middle of those of a kind."""
    places = [place for place, line in enumerate(CHUNK.lines) if what(line)]
    return places[len(places) // 2]


def doctor(place: int, change: Change) -> list[Line]:
    """Change the record of a line."""
    lines = list(CHUNK.lines)
    line = lines[place]
    lines[place] = Line(line.cycle, change(line.record), line.answer, line.observed)
    return lines


def test_what_the_model_predicts_is_right() -> None:
    found = checked()
    found.close(CHUNK.end, report=None)
    assert found.mismatches == []
    assert [len(latencies) for latencies in found.rule(BarrierCheck).latency] == [4, 4]
    ejected = found.rule(PacketCheck).ejected
    assert ejected > 10
    assert sum(found.rule(Load).counts().values()) > 5 * ejected


def release_late(place: int) -> list[Line]:
    """Move a release, by itself, into a cycle in which nothing else happens."""
    lines, line = list(CHUNK.lines), CHUNK.lines[place]
    alone = EMPTY._replace(release=line.record.release, results=line.record.results)
    lines[place] = Line(line.cycle, line.record._replace(release=0, results=()), line.answer)
    cycles = {line.cycle for line in lines}
    free = next(cycle for cycle in range(line.cycle, CHUNK.end + 2) if cycle not in cycles)
    return sorted([*lines, Line(free, alone)], key=lambda line: (line.cycle, bool(line.observed)))


VALID = find(lambda line: line.record.valid.bit_count() > 1)
CREDIT = find(lambda line: line.record.credit)
RELEASE = find(lambda line: line.record.release)
ANSWER = find(lambda line: line.answer)
PORTS = find(lambda line: line.record.ports and not line.record.release)


def see_else(record: Record, **changes: int) -> Record:
    """Let the first process that sees something new see something else."""
    (node, state), *others = record.ports
    return record._replace(ports=[(node, state._replace(**changes)), *others])


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (VALID, lambda r: r._replace(payloads=[r.payloads[0] ^ 1, *r.payloads[1:]])),
        (VALID, lambda r: r._replace(valid=r.valid & r.valid - 1, payloads=r.payloads[1:])),
        (CREDIT, lambda r: r._replace(credit=r.credit & r.credit - 1)),
        (CREDIT, lambda r: r._replace(credit=r.credit ^ 1 << 6)),
        (RELEASE, lambda r: r._replace(release=0, results=())),
        (RELEASE, lambda r: r._replace(results=[r.results[0] ^ 8, *r.results[1:]])),
    ],
)
def test_a_changed_wire_is_found_where_it_is(place: int, change: Change) -> None:
    found = checked(doctor(place, change)).mismatches
    assert found[0].cycle == CHUNK.lines[place].cycle
    assert found[0].hardware != found[0].model


@pytest.mark.parametrize("name", PortState._fields)
def test_what_processes_see_between_releases_is_compared(name: str) -> None:
    state = CHUNK.lines[PORTS].record.ports[0][1]
    lines = doctor(PORTS, lambda record: see_else(record, **{name: getattr(state, name) ^ 1}))
    found = checked(lines).mismatches
    assert [mismatch.signal for mismatch in found] == [f"{name}[0]"]
    assert found[0].cycle == CHUNK.lines[PORTS].cycle


def test_answers_are_compared() -> None:
    lines = list(CHUNK.lines)
    lines[ANSWER] = Line(lines[ANSWER].cycle, lines[ANSWER].record, (1, 0))
    assert checked(lines).mismatches[0].signal == "config_error, config_rdata"


def test_lines_too_many_and_too_few() -> None:
    for place in (0, CREDIT, ANSWER, len(CHUNK.lines) - 1):
        missing = [line for i, line in enumerate(CHUNK.lines) if i != place]
        assert checked(missing).mismatches[0].cycle == CHUNK.lines[place].cycle
    added = [*CHUNK.lines, Line(CHUNK.end, EMPTY._replace(credit=1))]
    assert checked(added).mismatches[0] == Mismatch(CHUNK.end, (0, 0), "link_0_0_credit[0]", 1, 0)


def test_rules_check_what_the_hardware_did() -> None:
    first = next(act.cycle for act in CHUNK.acts if isinstance(act, Arrival))
    release = CHUNK.lines[RELEASE].record.release
    early = EMPTY._replace(release=release, results=[0] * release.bit_count())
    rest = [line for line in CHUNK.lines if line.cycle != first]
    lines = sorted([*rest, Line(first, early)], key=lambda line: (line.cycle, bool(line.observed)))
    signals = {mismatch.signal for mismatch in checked(lines).mismatches}
    assert any(signal.endswith("arrivals before a release") for signal in signals)
    late = checked(release_late(RELEASE))
    assert late.mismatches[0].signal.startswith("release[")


@pytest.mark.parametrize("word", ["x", "zZ", "3x"])
def test_an_unknown_value_is_reported_with_its_line(word: str) -> None:
    text = list(CHUNK.text)
    words = text[VALID].split()
    text[VALID] = " ".join([*words[:-1], word])
    mismatches = checked(text=text).mismatches
    assert mismatches == [
        Mismatch(
            CHUNK.lines[VALID].cycle, None, "line of the probe", text[VALID], CHUNK.text[VALID]
        )
    ]


@pytest.mark.parametrize("change", [lambda t: [*t, t[-1]], lambda t: ["0" + t[0], *t[1:]]])
def test_another_text_is_never_a_match(change: Callable[[list[str]], list[str]]) -> None:
    (mismatch,) = checked(text=change(list(CHUNK.text))).mismatches
    assert mismatch.signal == "line of the probe"


def test_two_bits_of_a_link_at_once() -> None:
    lines = list(CHUNK.lines)
    line = lines[VALID]
    low = (line.record.valid & -line.record.valid).bit_length() - 1
    other = low ^ 1  # the other of a link's two
    text = list(CHUNK.text)
    words = text[VALID].split()
    words[1] = f"{line.record.valid | 1 << other:x}"
    text[VALID] = " ".join(words)
    mismatches = checked(text=text).mismatches
    assert mismatches[0].cycle == line.cycle
    assert "valid" in mismatches[0].signal
    assert (mismatches[0].hardware, mismatches[0].model) == (1, 0)
    assert mismatches[1].signal == "line of the probe"


def test_the_first_mismatches_are_kept() -> None:
    shifted = [Line(line.cycle + 1, *list(vars(line).values())[1:]) for line in CHUNK.lines]
    assert len(checked(shifted).mismatches) == KEPT


def test_what_is_not_over_at_the_end_is_reported() -> None:
    half = len(CHUNK.lines) * 2 // 3
    end = CHUNK.lines[half].cycle
    found = fresh()
    acts = [act for act in CHUNK.acts if act.cycle <= end]
    found.follow(Chunk(0, end, acts=acts), CHUNK.lines[:half])
    found.close(end, report=None)
    signals = " / ".join(mismatch.signal for mismatch in found.mismatches)
    assert "lost packet's destination" in signals
    assert "credits outstanding at the end" in signals
    assert "members released at the end" in signals


@pytest.mark.parametrize(
    ("column", "signal"),
    [
        (0, "packets sent, of those created"),
        (1, "packets sent, of those created"),
        (2, "packets that did not fit a source's queue"),
        (3, "packets that the sinks counted"),
        (4, "flits that the sinks counted"),
        (5, "flits that the sinks found wrong"),
    ],
)
def test_the_report_of_sources_and_sinks(column: int, signal: str) -> None:
    packets = checked().rule(PacketCheck).ejected
    rows = [[packets, packets, 0, packets, 5 * packets, 0, 0, 0], [0] * 8]
    good, bad = checked(), checked()
    good.close(CHUNK.end, report=rows)
    assert good.mismatches == []
    rows[1][column] += 1
    bad.close(CHUNK.end, report=rows)
    assert signal in [mismatch.signal for mismatch in bad.mismatches]
    unknown = checked()
    unknown.close(CHUNK.end, report=[rows[0], [-1 if i == column else 0 for i in range(8)]])
    assert signal in [mismatch.signal for mismatch in unknown.mismatches]


def test_unknown_counts_of_a_report_do_not_cancel() -> None:
    found = checked()
    packets = found.rule(PacketCheck).ejected
    rows = [[-1, -1, 0, packets, 5 * packets, 1, 0, 0], [0, 0, 0, 0, 0, -1, 0, 0]]
    found.close(CHUNK.end, report=rows)
    assert [mismatch.signal for mismatch in found.mismatches] == [
        "packets sent, of those created",
        "flits that the sinks found wrong",
    ]
