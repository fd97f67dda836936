"""The player: every stimulus in its cycle, and nothing else."""

from pathlib import Path

import pytest

from syncfabric.sim.assemble.player import player_text
from syncfabric.sim.assemble.script import Stimulus, StimulusKind, script_text
from tests.sim.assemble.icarus import runs
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, mesh

SPEC = mesh(3, 2, groups=2, data_bits=4)

GOAL_5 = (2 << 17 | 0x10001) << 5 * 20
"""Of node 5: node 2, for half of its packets and one more; 20 bits a node."""

SEEN = """module top;
  reg clk = 0, rst = 1;
{player}
  always @(posedge clk) if (!rst) begin
    if (arrive != 0) $display("%0d arrive %0h data %0h", cycle, arrive, data);
    if (config_valid) $display("%0d config %0d %0d %0d %0h", cycle, config_node, config_address,
                               config_write, config_data);
    if (put_valid != 0) $display("%0d put %0h %0h", cycle, put_valid, put_flit);
    if (traffic_load) $display("%0d load %0h", cycle, traffic_seed);
    if (traffic_goal != 0 && cycle > 16) $display("%0d goals %0h", cycle, traffic_goal);
    if (traffic_enable) $display("%0d rate %0d", cycle, traffic_rate);
  end
  always #5 clk = !clk;
  initial begin
    #23 rst = 0;
    #310 $finish;
  end
endmodule
"""


@pytest.mark.icarus
def test_stimuli_are_high_in_their_cycles_and_for_one(tmp_path: Path) -> None:
    stimuli = [
        Stimulus(1, StimulusKind.CONFIG, 5 << 12 | 201, 0xDEAD, 1),
        Stimulus(2, StimulusKind.CONFIG, 0 << 12 | 7),
        Stimulus(4, StimulusKind.ARRIVE, 3, 0xA),
        Stimulus(4, StimulusKind.ARRIVE, 11, 0x5),
        Stimulus(5, StimulusKind.ARRIVE, 0, 0x7),
        Stimulus(10, StimulusKind.PACKET, 0, 0xFFFFFFFF, 3 | 1 << 4),
        Stimulus(10, StimulusKind.PACKET, 5, 0x12, 1 << 5),
        Stimulus(12, StimulusKind.LOAD, data=0xFFFFFFFF),
        Stimulus(13, StimulusKind.RATE, data=77, extra=1),
        Stimulus(16, StimulusKind.RATE),
        Stimulus(17, StimulusKind.GOAL, 1, 4 << 16 | 0xFFFF, 1),
        Stimulus(17, StimulusKind.GOAL, 5, 2 << 16 | 0x8000, 1),
        Stimulus(18, StimulusKind.GOAL, 1),
        Stimulus(19, StimulusKind.GOAL, 5),
    ]
    text = SEEN.format(player=player_text(SPEC))
    printed = runs(text, "top", tmp_path, {"script.txt": script_text(stimuli)})
    assert printed.splitlines() == [
        "1 config 5 201 1 dead",
        "2 config 0 7 0 0",
        f"4 arrive 808 data {0xA << 12 | 0x5 << 44:x}",
        "5 arrive 1 data 7",
        f"10 put 21 {0x12 << 6 + 5 * 38 | 1 << 5 + 5 * 38 | 0xFFFFFFFF << 6 | 0x13:x}",
        "12 load ffffffff",
        "13 rate 77",
        "14 rate 77",
        "15 rate 77",
        f"17 goals {GOAL_5 | (4 << 17 | 0x1FFFF) << 20:x}",
        f"18 goals {GOAL_5:x}",
    ]


@pytest.mark.icarus
def test_config_reaches_switches_by_their_target(tmp_path: Path) -> None:
    spec = irregular(SMALL)  # four nodes, then three switches
    stimuli = [
        Stimulus(1, StimulusKind.CONFIG, 3 << 12 | 2, 0xA, 1),
        Stimulus(2, StimulusKind.CONFIG, 6 << 12 | 255, 0xB, 1),
        Stimulus(3, StimulusKind.ARRIVE, 15, 0xB),
    ]
    text = SEEN.format(player=player_text(spec))
    assert runs(text, "top", tmp_path, {"script.txt": script_text(stimuli)}).splitlines() == [
        "1 config 3 2 1 a",
        "2 config 6 255 1 b",
        f"3 arrive 8000 data {0xB << 60:x}",
    ]


@pytest.mark.icarus
def test_slots_are_arrived_at_after_registers(tmp_path: Path) -> None:
    """Two registers of messages, then two slots."""
    spec = mesh(3, 2, groups=2, wires=2)
    stimuli = [
        Stimulus(2, StimulusKind.ARRIVE, 4 * 5 + 3, 0xC),
        Stimulus(3, StimulusKind.ARRIVE, 4 * 1 + 1, 0x3, 1),
    ]
    shown = 'if (last != 0) $display("%0d last %0h", cycle, last);'
    text = SEEN.replace("    if (config_valid)", f"    {shown}\n    if (config_valid)")
    printed = runs(
        text.format(player=player_text(spec)), "top", tmp_path, {"script.txt": script_text(stimuli)}
    )
    assert printed.splitlines() == [
        f"2 arrive 800000 data {0xC << 92:x}",
        f"3 arrive 20 data {0x3 << 20:x}",
        "3 last 20",
    ]


def test_a_word_of_the_script() -> None:
    word = Stimulus(0x12, StimulusKind.CONFIG, 0x345, 0x6789, 0xAB).word()
    assert word == "02ab000003450000678900000012"
