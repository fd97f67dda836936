"""Nets and modules have names that are those of the source, and no keywords."""

from syncfabric.sim.assemble.verilog import convert
from syncfabric.sim.emit.naming import plain
from tests.sim.emit.parts import PARTS


def test_nets_have_the_names_of_the_source() -> None:
    text = convert(PARTS["registers"](), "part")
    assert "  reg  [1:0] fsm_state;\n" in text
    assert "    if (c) fixed[3:2] <= a[1:0];\n" in text


def test_a_keyword_is_no_name() -> None:
    assert plain("release") == "release_"
    assert plain("\\valid$31") == "valid_31"
