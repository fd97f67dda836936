"""Mutants of the host in front of a network, and the software of boards of engines."""

from tests.mutation.mutant import Mutant

_AXI, _METER = "rtl/host/axi_lite.py", "rtl/host/registers.py"
_STUCK = ("tests/rtl/host/test_axi_lite.py::test_what_is_stuck_on_one_side_never_holds_the_other",)
_STROBES = (
    "tests/rtl/host/test_axi_lite.py::test_a_write_that_is_refused_for_its_strobes_took_its_turn",
)
_COUNTED = ("tests/rtl/host/test_registers.py",)
_SOFTWARE, _BOARD = "fpga/host/set_up.py", "tests/fpga/host/test_engines.py::test_"
_LEFT = (f"{_BOARD}what_an_earlier_program_left_is_ended",)
_ANEW = (f"{_BOARD}all_barriers_are_right_and_within_their_bounds",)
_WRITES = "models/planning/set_up.py"
_ESCAPE = (
    "tests/sim/lifecycle/test_lifecycle.py::test_what_a_fault_leaves_is_freed_over_the_chain",
)

HOST = (
    Mutant(
        "AXI: an address of a write without its data holds reads",
        _AXI,
        "axi.arready.eq(~has_read)",
        "axi.arready.eq(~has_read & ~has_address)",
        _STUCK,
    ),
    Mutant(
        "AXI: the answer of a read that nobody takes holds writes",
        _AXI,
        "can_write = has_address & has_data & ~axi.bvalid",
        "can_write = has_address & has_data & ~axi.bvalid & ~axi.rvalid",
        _STUCK,
    ),
    Mutant(
        "AXI: a write that is refused for its strobes does not count as a turn",
        _AXI,
        "axi.bresp.eq(_REFUSED), wrote.eq(1)]",
        "axi.bresp.eq(_REFUSED)]",
        _STROBES,
    ),
    Mutant(
        "host: a meter keeps an arrival in the cycle in which its group ends",
        _METER,
        "here.eq(came & ~self.released & self.ready)",
        "here.eq(came & ~self.released)",
        _COUNTED,
    ),
    Mutant(
        "host: a meter counts an episode whose group has ended",
        _METER,
        "(self.released & self.broken | ~self.ready)",
        "(self.released & self.broken)",
        _COUNTED,
    ),
    Mutant(
        "escape: the nodes of a router are not told",
        _WRITES,
        "sum(1 << port for port in ports)",
        "0",
        _ESCAPE,
    ),
    Mutant(
        "escape: an entry of epoch 0 is not ended",
        _WRITES,
        "for epoch in range(EPOCHS):",
        "for epoch in range(1, EPOCHS):",
        _ESCAPE,
    ),
    Mutant(
        "board: a manager in the middle of a command is left alone",
        _SOFTWARE,
        "        _try(host, manager, config_address(ManagerWord.COMMAND), _ABORT)",
        "        pass",
        _LEFT,
    ),
    Mutant(
        "board: entries that are alive are not killed",
        _SOFTWARE,
        "_try(host, *commit_write(Code.KILL, ",
        "_try(host, *commit_write(Code.READ, ",
        _LEFT,
    ),
    Mutant(
        "board: epochs are taken for those of reset",
        _SOFTWARE,
        'epochs[router, entry] = status["epoch"]',
        "epochs[router, entry] = 0",
        (*_LEFT, *_ANEW),
    ),
    Mutant(
        "register map: a node interface has no OVERFLOW",
        "models/layout/shape.py",
        "checks and self.channels > 0",
        "False",
        ("tests/rtl/planes/test_lockstep.py",),
    ),
)
