"""Modules get a user's names; nothing else of the Verilog changes."""

import re

import pytest

from syncfabric import Network
from syncfabric.models.errors import SpecError
from syncfabric.sim.assemble.network import verilog
from syncfabric.sim.assemble.verilog import NETWORK, named

TEXT = """\
/* module inside (a); inside one ( */
module network (input a);
  wire inside, network;  // inside here (
  wire \\inside.deep ;
  inside inside (.network(a), .inside(inside));
  \\inside.deep  \\inside.deep_0 (.a(inside));
  inside #(.W(3)) \\two.words [1:0] (.a(a));
  if (a) inside third (a); else \\inside.deep fourth(a);
  initial $display("module inside ( inside x (", inside (a));
  inside_out left (a);
endmodule // inside (
module inside(a); parameter W = 1; endmodule
module \\inside.deep (a);
endmodule
module network_axi (a);
  network network (a);
endmodule
module network_axis (a); endmodule
"""

NAMED = """\
/* module inside (a); inside one ( */
module mine (input a);
  wire inside, network;  // inside here (
  wire \\inside.deep ;
  p_inside inside (.network(a), .inside(inside));
  \\p_inside.deep  \\inside.deep_0 (.a(inside));
  p_inside #(.W(3)) \\two.words [1:0] (.a(a));
  if (a) p_inside third (a); else \\p_inside.deep fourth(a);
  initial $display("module inside ( inside x (", inside (a));
  inside_out left (a);
endmodule // inside (
module p_inside(a); parameter W = 1; endmodule
module \\p_inside.deep (a);
endmodule
module mine_axi (a);
  mine network (a);
endmodule
module mine_axis (a); endmodule
"""


def test_declarations_and_instantiations_change_and_nothing_else() -> None:
    assert named(TEXT, "mine", "p") == NAMED
    assert named(TEXT, "mine") == NAMED.replace("p_inside", "mine_inside")


def test_parts_of_a_block_keep_its_name() -> None:
    text = "module network(a);\n  \\network.unit  unit (a);\nendmodule\nmodule \\network.unit (a);"
    assert named(text, "block") == text.replace("network", "block")


def test_two_modules_of_one_name_are_refused() -> None:
    text = "module network(a);\nendmodule\nmodule node(a);\nendmodule\n"
    assert "module a_node(" in named(text, "b_node", "a")
    message = r'^prefix = "a": two modules are called a_node; choose another$'
    with pytest.raises(SpecError, match=message):
        named(text, "a_node", "a")


@pytest.mark.parametrize("name", ["mesh-2x2", "twins", "reflex-2x2"])
def test_a_networks_text_is_the_same_but_for_the_modules(name: str) -> None:
    """Also where the network has the name of a module inside."""
    text = verilog(Network.load(name).spec.network, NETWORK)
    inside = [m.lstrip("\\") for m in re.findall(r"^module (\S+?) ?\(", text, re.MULTILINE)]
    for top in ("mine", inside[0]):
        words = named(text, top).split()
        changed = [(a, b) for a, b in zip(text.split(), words, strict=True) if a != b]
        for old, new in changed:
            bare = old.lstrip("\\").split("(")[0]
            assert bare in inside
            kind = re.sub(r"__[0-9a-f]{10}$", "", bare)
            pattern = top if bare == NETWORK else rf"{top}_{kind}(_\d+)?"
            assert re.fullmatch(pattern, new.split("(")[0])
        again = re.findall(r"^module (\S+?) ?\(", "\n" + named(text, top), re.MULTILINE)
        assert len({*again}) == len(inside)
        assert len(changed) >= 2 * (len(inside) - 1)
