"""A static network's fabric against its Verilog bench under Icarus, and the golden model."""

from pathlib import Path

import pytest

from syncfabric.models.messages import LoaderWord, StaticWord
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.sim.assemble.script import Stimulus, StimulusKind, script_text
from syncfabric.sim.drive.backends import build_bench, run_bench
from syncfabric.sim.fabric.program import Fabric, build_fabric
from tests.rtl.static.fuzz import PHASES, random_play
from tests.rtl.support import SEED
from tests.sim.drive.static.networks import SMALL


def played(spec: StaticSpec, stimuli: list[Stimulus], cycles: int, folder: Path) -> list[str]:
    """Return what the fabric's probe writes; the script is left in ``script.txt``."""
    script, probe = folder / "script.txt", folder / "fabric.txt"
    script.write_text(script_text(stimuli))
    with Fabric(build_fabric(spec)) as fabric:
        fabric.probe(probe)
        fabric.script(script)
        fabric.run(cycles)
        assert fabric.report() == []
    return probe.read_text().splitlines()


@pytest.mark.icarus
def test_the_trace_is_the_benchs_and_the_models(tmp_path: Path) -> None:
    """Routes and roles by chance, several times over, with all inputs busy."""
    play = random_play(SMALL, SEED)
    seen = played(SMALL, play.stimuli, play.cycles, tmp_path)
    bench, _ = run_bench(build_bench(SMALL), script_text(play.stimuli), play.cycles)
    assert bench == seen == play.lines
    assert sum(line[0] == "o" for line in seen) > 3 * PHASES


def test_answers_of_node_and_loader_in_one_cycle_are_one(tmp_path: Path) -> None:
    """R5: the answer to SHIFT is told with that of whoever is asked in its last cycle."""
    loader, begin = SMALL.layout.loader, 5
    stimuli = [
        Stimulus(begin, StimulusKind.CONFIG, loader << 12 | LoaderWord.SHIFT, 1, 1),
        Stimulus(begin + 32, StimulusKind.CONFIG, loader - 1 << 12 | StaticWord.STATUS, 1, 1),
        Stimulus(begin + 40, StimulusKind.CONFIG, loader << 12 | LoaderWord.LENGTH),
        Stimulus(begin + 50, StimulusKind.CONFIG, loader + 1 << 12),  # nobody's number
    ]
    lines = played(SMALL, stimuli, 100, tmp_path)
    answers = [line.replace(" 0 0 0", "") for line in lines]
    assert answers == [f"{begin + 33:x} c1:0", f"{begin + 41:x} c0:{25 * loader:x}"]
