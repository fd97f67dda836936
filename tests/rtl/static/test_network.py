"""Whole networks under random stimuli: every line of the probe is the golden model's."""

import pytest

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.sim.assemble.script import script_text
from syncfabric.sim.drive.backends import build_bench, run_bench
from tests.models.golden.static_plans import network_of
from tests.rtl.static.fuzz import PHASES, random_play
from tests.rtl.support import SEED

NETWORKS = {
    "2x2, one place": StaticSpec(
        kind="static", width=2, height=2, switch_buffer=1, core_buffer=1, injection_buffer=1
    ),
    "3x2": StaticSpec(
        kind="static", width=3, height=2, flit_bits=3, switch_buffer=3, injection_buffer=1
    ),
    "watched": StaticSpec(kind="static", width=2, height=2, watchdog=6),
    "star-4": network_of('topology = "star-4"', flit_bits=2, core_buffer=3, watchdog=5),
    "fat-tree-2x2": network_of('topology = "fat-tree-2x2"', flit_bits=3),
}


@pytest.mark.icarus
@pytest.mark.parametrize(
    "name",
    [
        "2x2, one place",
        "star-4",
        "fat-tree-2x2",
        *(pytest.param(name, marks=pytest.mark.nightly) for name in ("3x2", "watched")),
    ],
)
def test_every_line_is_the_models(name: str) -> None:
    """Random routes and roles, several times over, with all inputs busy."""
    play = random_play(NETWORKS[name], SEED)
    bench = build_bench(NETWORKS[name])
    lines, *_ = run_bench(bench, script_text(play.stimuli), play.cycles)
    for number, (line, expected) in enumerate(zip(lines, play.lines, strict=False)):
        assert line == expected, f"line {number}: {line!r}, expected {expected!r}; seed {SEED}"
    assert len(lines) == len(play.lines)
    releases = sum(line[0] == "o" for line in lines)
    assert releases > 3 * PHASES, releases
