"""Mutants of links of different length, which plans, lock-step and networks must notice."""

from tests.mutation.mutant import Mutant

TREES = ("tests/models/planning/test_stretch.py",)
PLAIN = ("tests/models/golden/test_movement.py",)
GUARDS = ("tests/rtl/guard/test_guards.py",)
NETWORKS = ("tests/sim/test_matrix.py",)


def _broken(name: str, part: str, old: str, new: str, tests: tuple[str, ...]) -> Mutant:
    return Mutant(f"long links: {name}", f"{part}.py", old, new, tests)


LONG_LINKS = (
    _broken(
        "a longer link has a piece too few",
        "models/planning/planners",
        "(hop + more) // unit - 1",
        "(hop + more) // unit - 2",
        TREES,
    ),
    _broken(
        "a root stands in the middle of a link",
        "models/planning/least_radius",
        "far[level < 0] = far[real:] = len(graph)",
        "far[level < 0] = len(graph)",
        TREES,
    ),
    _broken(
        "of two links the longer one is taken",
        "models/networks/irregular",
        "np.lexsort((ends[:, 1], longer, ends[:, 2], ends[:, 0]))",
        "np.lexsort((ends[:, 1], ends[:, 2], ends[:, 0]))",
        TREES,
    ),
    _broken(
        "bounds of streams count registers one way",
        "models/planning/pace",
        "tree.reach(hop, 2)",
        "tree.reach(hop)",
        TREES,
    ),
    _broken(
        "bounds of messages leave out the extra registers",
        "models/planning/pace",
        "self.edge(tree.hops) + tree.extra",
        "self.edge(tree.hops)",
        TREES,
    ),
    _broken(
        "all links of the model are as long as most",
        "models/golden/wiring",
        "self._shape.delay_of[n, p])",
        "self._shape.router.link_registers)",
        PLAIN,
    ),
    _broken(
        "a sender takes the answer to a probe too soon",
        "rtl/guard/ends",
        "Array(probes[::2])",
        "Array(probes[: self._shape.registers + 1])",
        GUARDS,
    ),
    _broken(
        "a receiver forgets credits that are still under way",
        "rtl/guard/ends",
        "crossed[: 2 * n].any()",
        "crossed[:n].any()",
        GUARDS,
    ),
    _broken(
        "guards take every link for the longest",
        "sim/assemble/nodes",
        "shape.delay_of.get((router, port), most)",
        "most",
        ("tests/sim/assemble/test_nodes.py",),
    ),
    _broken(
        "a link lacks a stage of its registers",
        "sim/assemble/nodes",
        "for stage in range(count):",
        "for stage in range(min(count, 6)):",
        NETWORKS,
    ),
)
