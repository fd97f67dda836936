"""Every command and every option, as the command line itself lists them."""

from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from syncfabric.cli import app
from tests.fuzz.campaign import fuzzed, sandbox
from tests.fuzz.holds import Sandbox, stub

COMMANDS: Any = typer.main.get_command(app)
NAMES = sorted(COMMANDS.list_commands(None))

NEEDED = {
    "NET": ["mesh-2x2"],
    "NET|BLOCK": ["mesh-2x2"],
    "TOPOLOGY": ["ring-4"],
    "COLLECTIVE": ["OAS"],
    "PROGRAM.c": ["hello", "p.c"],
    "FILE": ["s.json"],
    "NAME...": ["btm-fig4"],
    "DIR": ["out"],
    "FILE.html": ["page.html"],
    "[NET | RESULT.json | SCHEDULE.json | FOLDER]...": ["mesh-2x2"],
}
"""What the arguments that a command cannot do without are mostly."""

PROGRAM = b"int main(void) { return 0; }\n"
SCHEDULE = b"""{"format": "syncfabric-schedule/1",
"topology": {"name": "pair", "nodes": 2, "switches": 0, "channels": [[0, 1], [1, 0]]},
"collective": "OAS", "senders": [0], "receivers": [1],
"ports": 1, "one_port": "strict", "switching": "wormhole",
"steps": [[{"message": [0, 1], "path": [0, 1]}]]}"""

NUMERIC = ("N", "S", "T", "K|all", "MHZ", "RATE", "STEPS", "HOPS", "US", "R", "ID", "CYCLES")

NUMBERS = [
    *("0", "1", "2", "3", "-1", "-0", "4", "8", "100", "1e3", "0.5", "-0.5", "1e-300", "1e308"),
    *("nan", "inf", "-inf", "1e999", "2147483648", "1000000000", "99999999999999999999"),
    "9" * 5000,
    *("9" * 5000, "+3", " 3", "3 ", "1_0", "٣", "0x10", "1,5", "", "1.0"),
]
FILES = [
    *Sandbox.ODD,
    *("s.json", "p.c", "p.c/x.svg", "new", "new.svg", "new.png", "new.csv", "new.json"),
    *("new.html", "x/y/z.svg", "."),
    *("..", "/", "/dev/null", "/dev/zero", "/proc/self/mem", "/proc/new", "a" * 300, "a/" * 3000),
    *("loop/x.svg", "empty/x.csv", "fifo/x", "escape", "-", "x\ny.svg", "\udcff.svg"),
    "\x1b[2J.csv",
]
WORDS = [
    *("all", "mesh-2x2", "reflex-2x2", "cluster-fig1", "ring-4", "star-5", "mesh-999999999x9"),
    *("torus-1x1x1x2", "hypercube-4096", "fat-tree-2x999999999", "mesh-0", "moore-petersen-3"),
    *("OAB", "AAS", "multicast", "permutation", "transpose", "hgsa", "mboa", "exact", "auto", "x"),
    *("verilator", "icarus", "model", "wormhole", "store-and-forward", "strict", "axi", "uart"),
    *("path", "leaf", "path:3@1", "0-1:2@0", "1@1", "1@99", "999999@999999", "0,1", "0-3", "3-0"),
    *("0-99999", "0-999999999", "1,1", "t_rm=60", "t_rm=60:1", "t_rm=20:60:10", "t_rm=0:1:1e-9"),
    *("t_rm=nan", "t_rm=1:inf:1", "t_rm=", "=3", "a=b=c", "btm", "udn", "tile64", "ecp5-25k"),
    *("[[0, 0], [1, 1]]", "[[0, 0]", "{ random = 2, seed = 1 }", "[" * 3000, "[[9, 9]]", "{}"),
    *("flip", "flip,drop", "spoofed", "setup,,renew", "flip,flip", ",", "hello", "barrier"),
    "central",
    *("tournament", "reflex", "reflex-software", "btin", "wires", "A=1", "A", "F(x)=x"),
    "SF_CORES=0",
    *("--", "-", "-h", "--help", "--nope", "-o", "\n", "é", "𝟛", "[red]", "a b"),
]


@pytest.fixture(autouse=True, scope="module")
def _no_long_work() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        for name in (
            "os.execv",
            "syncfabric.fpga.bitstream.board_verilog",
            "syncfabric.fpga.designs.block_design",
            "syncfabric.fpga.designs.network_design",
            "syncfabric.models.collectives.search.search",
            "syncfabric.sim.campaign.campaign.build_fabric",
            "syncfabric.sim.board.build_board",
            "syncfabric.sim.cores.compile.find_toolchain",
            "syncfabric.sim.network.Network._drive",
            "syncfabric.sim.drive.recovery.run.build_fabric",
            "syncfabric.sim.replay.replay.run_job",
            "syncfabric.sim.experiments.choice.Work",
            "syncfabric.sim.soak.soak.build_fabric",
        ):
            stub(patch, name)
        patch.setattr("syncfabric.sim.products.network_verilog", lambda *_: "module m; endmodule\n")
        yield


def _values(parameter: Any) -> st.SearchStrategy[str]:
    """Return odd values, most of them such as the parameter is for."""
    metavar = str(parameter.metavar or "")
    own = [str(parameter.default), *filter(None, (word.strip() for word in metavar.split("|")))]
    if "FILE" in metavar or "DIR" in metavar or "FOLDER" in metavar:
        usual = FILES
    elif isinstance(parameter.default, int | float) or metavar in NUMERIC:
        usual = NUMBERS
    else:
        usual = WORDS
    return st.one_of(
        st.sampled_from(usual),
        st.sampled_from(usual),
        st.sampled_from([*own, *NUMBERS, *FILES, *WORDS]),
        st.text(st.characters(exclude_characters="\0"), max_size=6),
    )


@st.composite
def _lines(draw: st.DrawFn, name: str) -> list[str]:
    """Draw a command line: what is needed, and an odd value or a few."""
    parameters = COMMANDS.get_command(None, name).params
    odd = draw(st.lists(st.sampled_from(range(len(parameters))), max_size=3, unique=True))
    words = [name]
    for number, parameter in enumerate(parameters):
        option = parameter.opts[-1].startswith("-")
        needed = parameter.metavar in NEEDED and (parameter.required or not option)
        if number not in odd and not needed:
            continue
        if option:
            words.append(draw(st.sampled_from(parameter.opts)))
        if not (option and parameter.is_flag):
            good = st.sampled_from(NEEDED.get(parameter.metavar, [""]))
            words.append(draw(_values(parameter) if number in odd else good))
    if not draw(st.integers(0, 9)):
        words.insert(draw(st.integers(0, len(words))), draw(st.sampled_from(WORDS)))
    return words


@pytest.mark.parametrize("name", NAMES)
@fuzzed(0.4)
@given(st.data())
def test_a_command_line(name: str, data: st.DataObject) -> None:
    words = data.draw(_lines(name))
    with sandbox() as box:
        (box.here / "s.json").write_bytes(SCHEDULE)
        (box.here / "p.c").write_bytes(PROGRAM)
        box.call(words, differs=True)
