"""Mutants of dimension order and adaptive routing, which lock-step and searches must notice."""

from tests.mutation.mutant import Mutant

GRAPH = ("tests/models/planning/test_deadlock.py",)
REFERENCE = ("tests/models/golden/router/test_router.py",)
RINGS = ("tests/rtl/router/test_routing.py",)
LOCKSTEP = ("tests/rtl/planes/test_bench.py",)
OUTPUT, CHOICE = "rtl/router/router.py", "rtl/router/adaptive.py"


def _broken(name: str, part: str, old: str, new: str, tests: tuple[str, ...]) -> Mutant:
    return Mutant(f"dimension order: {name}", f"{part}.py", old, new, tests)


ROUTING = (
    _broken(
        "packets of the graph go farther than halfway round",
        "models/planning/deadlock",
        "most = side - 1 if not ring else (side - (parity == (port == axis))) // 2",
        "most = side - 1",
        GRAPH,
    ),
    _broken(
        "datelines are at the other end of each ring",
        "models/networks/grid",
        "yield router, up if here else down",
        "yield router, down if here else up",
        GRAPH,
    ),
    _broken(
        "the model keeps the odd channel as it turns",
        "models/golden/router",
        "c &= ~1",
        "c &= ~0",
        REFERENCE,
    ),
    _broken(
        "the model goes down exactly halfway round",
        "models/golden/router",
        "2 * (there - here) + here % 2",
        "2 * (there - here) + 1",
        REFERENCE,
    ),
    _broken(
        "the model's header has no port",
        "models/golden/router",
        "sum(grid.bits) + (0 if own else (ports - 1).bit_length())",
        "sum(grid.bits)",
        REFERENCE,
    ),
    _broken(
        "halfway round is too far for the router",
        "rtl/router/routing",
        "Cat(here[0], ahead)",
        "Cat(1, ahead)",
        RINGS,
    ),
    _broken(
        "the router keeps the odd channel as it turns",
        "rtl/router/router",
        "even, odd = even | odd, Const(0, 1)",
        "even, odd = even, odd",
        LOCKSTEP,
    ),
    _broken(
        "packets of set-up take links that close rings",
        "rtl/router/routing",
        "Mux(plain, there > here, up), Mux(plain, there < here, down)",
        "up, down",
        RINGS,
    ),
)


def _adaptive(
    name: str, part: str, old: str, new: str, tests: tuple[str, ...] = LOCKSTEP
) -> Mutant:
    return Mutant(f"adaptive: {name}", part, old, new, tests)


ADAPTIVE = (
    _adaptive(
        "of several channels the highest is taken",
        OUTPUT,
        "left > level",
        "left.any() & (left + 1 > level)",
    ),
    _adaptive(
        "of several ports the highest dimension's is taken",
        "rtl/router/router.py",
        "outputs[b].level > outputs[a].level",
        "outputs[b].level >= outputs[a].level",
    ),
    _adaptive(
        "credits are not looked at",
        OUTPUT,
        "Mux(self.busy[channel], 0, credit.left)",
        "Mux(self.busy[channel], 0, credit.left | 1)",
    ),
    _adaptive(
        "owners are not looked at", OUTPUT, "Mux(self.busy[channel], 0, credit.left)", "credit.left"
    ),
    _adaptive(
        "packets go back from escape channels",
        CHOICE,
        "channel < common.adaptive.start and self._port >= common.grid.ports",
        "channel < common.adaptive.start",
    ),
    _adaptive(
        "the escape is by the last dimension first",
        CHOICE,
        "for pair in common.grid.axes:",
        "for pair in reversed(common.grid.axes):",
    ),
    _adaptive(
        "the model takes the channel with the fewest credits",
        "models/golden/router.py",
        "return max(free, key",
        "return min(free, key",
        REFERENCE,
    ),
    _adaptive(
        "the model's packets go back from escape channels",
        "models/golden/router.py",
        "return c >= self.escapes or port not in self._axis",
        "return True",
        REFERENCE,
    ),
    _adaptive(
        "indirect dependences are left out",
        "models/planning/deadlock.py",
        "(far[router, port], held, False)",
        "(far[router, port], None, False)",
        GRAPH,
    ),
    _adaptive(
        "no adaptive channel is needed",
        "models/layout/shape.py",
        "least = self.escapes + 1",
        "least = self.escapes",
        ("tests/models/layout/test_shape.py",),
    ),
    _adaptive(
        "cores send packets that overtake each other",
        "rtl/cores/shape.py",
        'packets.shape.router.routing == "adaptive"',
        'packets.shape.router.routing == "adapt"',
        ("tests/sim/cores/test_system.py",),
    ),
)
