"""Ways to break dimension order, on rings above all, which lock-step and searches must notice."""

from tests.mutation.mutant import Mutant

__all__ = ["ROUTING"]

GRAPH = ("tests/models/planning/test_deadlock.py",)
LITERAL = ("tests/models/golden/router/test_router.py",)
RINGS = ("tests/rtl/router/test_routing.py",)
LOCKSTEP = ("tests/rtl/planes/test_bench.py",)


def _broken(name: str, part: str, old: str, new: str, tests: tuple[str, ...]) -> Mutant:
    return Mutant(f"dimension order: {name}", f"{part}.py", old, new, tests)


ROUTING = (
    _broken(
        "packets of the graph go farther than half of the way round",
        "models/planning/deadlock",
        "most = side - 1 if not ring else (side - (port != axis and not halves)) // 2",
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
        LITERAL,
    ),
    _broken(
        "the model goes down exactly half of the way round",
        "models/golden/router",
        "0 < ahead <= side",
        "0 < ahead < side",
        LITERAL,
    ),
    _broken(
        "the model's header has no port",
        "models/golden/router",
        "sum(grid.bits) + (0 if own else (ports - 1).bit_length())",
        "sum(grid.bits)",
        LITERAL,
    ),
    _broken(
        "half of the way round is too far for the router",
        "rtl/router/routing",
        "(ahead <= half)",
        "(ahead < half)",
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
