"""A spill engine beside its model, cycle by cycle."""

from collections import Counter
from typing import Any

from syncfabric.models.messages import SPILL_BASE
from tests.rtl.spill.engine import EngineModel, Inputs, Outcome
from tests.rtl.spill.entry import EntryKind
from tests.rtl.spill.stimuli import LifeStimuli
from tests.rtl.support import Bench, Scoreboard

__all__ = ["EVERYWHERE", "WITH_PROCESS", "WITH_SINK", "after", "before", "driven", "live"]

EVERYWHERE = (
    "gone",
    "LAST",
    "REDUCE",
    "DISTRIBUTE",
    "stray while dying",
    "BUSY while dying",
    "GO again",
    "KILL again",
    "dies queued",
    "dies in the send register",
    "dies idle",
    "freed",
)
WITH_SINK = (
    "GO",
    "BROKEN",
    "report",
    "nothing to report",
    "withdrawn",
    "the sink waits for the network",
)
WITH_PROCESS = ("told GO", "told DISTRIBUTE", "told BROKEN", "dies with the process in")


def _bits(places: Any) -> int:
    return sum(1 << place for place in places)


def before(model: EngineModel) -> dict[str, int]:
    """Return what must be seen in a cycle whatever its inputs."""
    kind = model.kind
    expected: dict[str, int] = {
        "config_ready": model.answer.ready,
        "config_error": model.answer.error,
        "config_rdata": model.answer.data,
    }
    if kind.links == 4 and kind.turns:
        expected["send__pending"] = _bits(model.to_send)
    else:
        children = set() if model.upward else model.to_send
        expected |= {
            "send__children": _bits(children),
            "send__parent": _bits(model.to_send - children),
        }
    if model.to_send:
        letter = model.letter
        expected["send__up_kind" if model.upward else "send__wave"] = letter.kind
        expected["send__data"] = letter.data
        if not kind.turns:
            expected |= {"send__gid": letter.gid, "send__epoch": letter.epoch}
    if kind.process:
        gid, result, told = model.release or (0, 0, 0)
        expected |= {
            "arrive__ready": model.holding is None,
            "release__valid": model.release is not None,
            "release__gid": gid,
            "release__result": result,
            "release__kind": told,
        }
    if kind.sink:
        expected |= {
            "access__ready": model.own_answer.ready,
            "access__error": model.own_answer.error,
            "access__rdata": model.own_answer.data,
            "spill_freed": model.report is not None,
        }
        if model.report is not None:
            names = ("spill_gid", "spill_manager")
            expected |= dict(zip(names, model.report, strict=True))
    return expected


def after(kind: EntryKind, outcome: Outcome) -> dict[str, int]:
    """Return what must be seen in a cycle with its inputs."""
    expected: dict[str, int] = {
        "take": 0 if outcome.taken is None else 1 << outcome.taken,
        "stray": outcome.stray,
        "refused_write": outcome.refused_write,
    }
    if kind.process:
        expected["refused_arrive"] = outcome.refused_arrive
    if kind.sink:
        expected["access__granted"] = outcome.granted
    return expected


def driven(kind: EntryKind, inputs: Inputs) -> dict[str, int]:
    """Return the pins' values for a cycle; those of a waiting access are left as they are."""
    values: dict[str, int] = {
        "here": _bits(inputs.here),
        "send__sent": _bits(inputs.sent),
        "config_valid": inputs.request is not None,
    }
    for port, heard in inputs.here.items():
        values[f"message_{port}"] = heard.bits(kind.spec)
        if kind.turns:
            values[f"class_{port}"] = 1 << heard.turn
    if inputs.request is not None:
        names = ("config_gid", "config_word", "config_write", "config_data")
        values |= dict(zip(names, inputs.request, strict=True))
    if kind.process:
        values["arrive__valid"] = inputs.local is not None
        if inputs.local is not None:
            gid, data, last = inputs.local
            values |= {"arrive__gid": gid, "arrive__data": data, "arrive__last": last}
    if kind.sink:
        access = inputs.access
        values["access__request"] = access is not None
        values["clear_spill_freed"] = inputs.take_report
        if access is not None:
            values["access__address"] = SPILL_BASE | access.gid << 3 | access.word
            values |= {"access__write": access.write, "access__data": access.data}
    return values


async def live(
    dut: Any, case: str, kind: EntryKind, *, cycles: int, fixed: dict[str, int]
) -> Counter[str]:
    """Compare an engine with its model over many lives of three groups; return what happened."""
    bench, board = Bench(dut), Scoreboard(case)
    pins, model = bench.pins[case], EngineModel(kind)
    stimuli = LifeStimuli(board.rng, model)
    await bench.reset()
    pins.drive(fixed)
    for cycle in range(cycles):
        inputs, expected = stimuli.inputs(cycle), before(model)
        outcome = model.step(inputs)
        expected |= after(kind, outcome)
        stimulus = driven(kind, inputs)
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        if outcome.taken is not None:
            del stimuli.waiting[outcome.taken]
        stimuli.granted = stimuli.granted or outcome.granted
        await bench.edge()
    return model.seen
