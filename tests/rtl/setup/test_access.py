"""Who reaches a router's registers and spilled entries, and whose an answer is."""

import pytest

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.setup.access import ConfigAccess
from tests.rtl.support import clocked

OURS = {"index": 2, "outside__valid": 1, "outside__node": 2, "outside__address": 9}
OTHERS = {**OURS, "outside__node": 3}
QUIET = {"index": 2, "outside__valid": 0}
SINK = {"sink__request": 1, "sink__address": 17, "sink__write": 1, "sink__data": 77}
REGISTER = {"inside__ready": 1, "inside__error": 1, "inside__rdata": 0xA}
NOTHING = {"inside__ready": 0, "inside__error": 0, "inside__rdata": 0}


def network(*, spill: bool) -> MeshSpec:
    return MeshSpec(kind="mesh", width=2, height=2, spill=spill, setup="manager")


@pytest.mark.parametrize("spill", [False, True])
def test_the_network_goes_first_at_its_own_router(spill: bool) -> None:
    cases = [OURS | SINK, OTHERS, QUIET | REGISTER, {"sink__request": 0}]
    seen = clocked(ConfigAccess(network(spill=spill)), cases)
    assert [out["sink__granted"] for out in seen] == [0, 1, 1, 0]
    assert (seen[0]["inside__address"], seen[0]["inside__node"]) == (9, 2)
    made = {"inside__valid": 1, "inside__node": 2, "inside__address": 17}
    made |= {"inside__write": 1, "inside__data": 77}
    assert made.items() <= seen[1].items()
    # The answer to the access made in the cycle before is the sink's alone.
    assert (seen[2]["sink__ready"], seen[2]["sink__error"], seen[2]["sink__rdata"]) == (1, 1, 0xA)
    assert (seen[2]["outside__ready"], seen[2]["outside__rdata"]) == (0, 0)


@pytest.mark.parametrize("spill", [False, True])
def test_an_answer_to_the_network_is_not_the_sinks(spill: bool) -> None:
    seen = clocked(ConfigAccess(network(spill=spill)), [OURS | SINK, QUIET | REGISTER])
    assert (seen[1]["outside__ready"], seen[1]["outside__rdata"]) == (1, 0xA)
    assert (seen[1]["sink__ready"], seen[1]["sink__rdata"]) == (0, 0)


def test_a_spilled_entry_is_asked_of_the_engine() -> None:
    spilled = {**SINK, "sink__address": 2048 + 8 * 5 + 1}
    answer = {"spill__ready": 1, "spill__error": 1, "spill__rdata": 0xB}
    cases = [
        OURS | spilled | {"spill__granted": 0},
        QUIET | {"spill__granted": 1},
        {"sink__request": 0, "spill__granted": 0, **answer},
    ]
    seen = clocked(ConfigAccess(network(spill=True)), cases)
    assert [out["sink__granted"] for out in seen] == [0, 1, 0]
    assert [out["spill__request"] for out in seen] == [1, 1, 0]
    assert (seen[0]["spill__address"], seen[0]["spill__data"]) == (2048 + 8 * 5 + 1, 77)
    assert [out["inside__valid"] for out in seen] == [1, 0, 0]
    assert (seen[2]["sink__ready"], seen[2]["sink__error"], seen[2]["sink__rdata"]) == (1, 1, 0xB)
    assert (seen[2]["outside__ready"], seen[2]["outside__rdata"]) == (0, 0)


def test_both_can_be_answered_in_one_cycle() -> None:
    """The sink by a register, and the network by the engine."""
    engine = {"spill_ready": 1, "spill_error": 0, "spill_rdata": 0xC}
    seen = clocked(
        ConfigAccess(network(spill=True)), [QUIET | SINK | NOTHING, {**REGISTER, **engine}]
    )
    assert (seen[1]["sink__ready"], seen[1]["sink__error"], seen[1]["sink__rdata"]) == (1, 1, 0xA)
    answer = [seen[1][f"outside__{name}"] for name in ("ready", "error", "rdata")]
    assert answer == [1, 0, 0xC]
