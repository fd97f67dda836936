"""Mutants of the collective engine, which its lock-step with the golden model must notice."""

from tests.mutation.mutant import NETWORK, Mutant


def _broken(name: str, part: str, old: str, new: str) -> Mutant:
    tests = ("tests/rtl/engine/test_lockstep.py", "tests/rtl/engine/test_bench.py")
    return Mutant(f"engine: {name}", f"rtl/engine/{part}.py", old, new, tests)


def _kept(name: str, part: str, old: str, new: str) -> Mutant:
    """Return one that changes no wire of a run in which no group ends: only memory shows it."""
    tests = (f"{NETWORK}::test_hardware_is_as_the_model[default]",)
    return Mutant(f"memory: {name}", f"rtl/engine/{part}.py", old, new, tests)


def _routed(name: str, old: str, new: str, grid: str) -> Mutant:
    test = f"tests/rtl/planes/test_lockstep.py::test_routed_messages_in_any_dimensions[{grid}-1000]"
    return Mutant(f"routed: {name}", "rtl/transport/routed.py", old, new, (test,))


ENGINE = (
    _broken(
        "LAST goes on though not all said so",
        "rule",
        "self.message.kind[1] & (state.last | self.message.kind[0])",
        "self.message.kind[1]",
    ),
    _broken(
        "a message of another epoch is merged",
        "rule",
        "hit.eq(live & ~broken",
        "hit.eq(self.active & state.alive & ~broken",
    ),
    _broken(
        "a message of another key is merged",
        "rule",
        "(self.image.key == self.message.tag) | ~self.port.any()",
        "(self.image.key == self.image.key) | ~self.port.any()",
    ),
    _broken(
        "commands need a key",
        "rule",
        "(self.image.key == self.message.tag) | ~self.port.any()",
        "self.image.key == self.message.tag",
    ),
    _broken(
        "a tag does not cover the rest",
        "tag",
        "return tag ^ check_of(Cat(entry, *others), layout.key_bits)",
        "return tag",
    ),
    Mutant(
        "engine: an arrival has no key",
        "rtl/engine/node_port.py",
        "Cat(send.message.epoch, send.message.tag).eq(read.data)",
        "send.message.epoch.eq(read.data)",
        ("tests/rtl/planes/test_lockstep.py::test_a_mesh_node",),
    ),
    Mutant(
        "engine: all groups have one key",
        "models/planning/set_up.py",
        "return 1 + gid % ((1 << layout.key_bits) - 1)",
        "return 1",
        ("tests/models/planning/test_set_up.py",),
    ),
    _broken(
        "KILL gives what is not alive the next epoch",
        "engine",
        'service.message.epoch + service.tasks["setup"]',
        "service.message.epoch + 1",
    ),
    _kept(
        "the name of a link outside the tree is kept wrong",
        "engine",
        "memory.next_image.eq(commands.image)",
        "memory.next_image.eq(commands.image.as_value() | ~(commands.image.children"
        " | commands.image.parent)[layout.links - 1] << layout.image.width - 1)",
    ),
    _kept(
        "a completion that is not LAST keeps that some were not",
        "rule",
        "self.next_state.last.eq(due | (state.last",
        "self.next_state.last.eq((due & self.message.kind[1]) | (state.last",
    ),
    Mutant(
        "engine: what goes up bears a child's name",
        "rtl/engine/engine.py",
        "Mux(rule.down, name, getattr",
        "Mux(1, name, getattr",
        ("tests/rtl/planes/test_lockstep.py::test_a_mesh_node",),
    ),
    _broken(
        "what is merged is forgotten by the next",
        "rule",
        "self.setup | due | (state.fresh & keeps)",
        "self.setup | due | state.fresh",
    ),
    _broken(
        "a group that is broken is freed as well",
        "rule",
        "fires & down & root & self.kind[1] & ~self.kind[0]",
        "fires & down & root & self.kind[1]",
    ),
    _broken(
        "a BROKEN is accepted from any link",
        "rule",
        "self.kill | (image.parent & port[: self._layout.links]).any()",
        "self.kill | port[: self._layout.links].any()",
    ),
    _broken(
        "an entry that awaits its parent is not watched",
        "rule",
        "waits.eq(~state.fresh | (state.turn & state.last & ~root))",
        "waits.eq(~state.fresh)",
    ),
    _broken(
        "the watchdog visits a cycle early", "sources", "self._period - 1)", "self._period - 2)"
    ),
    _broken(
        "the lowest source is always granted",
        "sources",
        "Mux(later.any(), later, self.waits)",
        "self.waits",
    ),
    _broken(
        "a service begins while packets hold the link",
        "sources",
        "some & ~several & ~self.hold",
        "some & ~several",
    ),
    _broken(
        "a BROKEN waits in a queue",
        "sources",
        "self.valid & (behind & ~places.full & ~broken)",
        "self.valid & (behind & ~places.full)",
    ),
    _broken(
        "a full queue takes one more message",
        "sources",
        "self.valid & (behind & ~places.full & ~broken)",
        "self.valid & (behind & ~broken)",
    ),
    _routed(
        "exactly half of a ring is crossed over its dateline",
        "(ahead < -(side // 2))",
        "(ahead <= -(side // 2))",
        "torus",
    ),
    _routed(
        "a message behind a dateline goes on before it",
        "dated = straight and slot >= CLASSES",
        "dated = False",
        "torus",
    ),
    _routed(
        "messages leave packets no cycle",
        "granted.eq(Mux(once & twice, 0, turns.grant))",
        "granted.eq(turns.grant)",
        "torus",
    ),
    _routed(
        "a message that no turn brings on keeps its credit",
        "m.d.sync += free.eq(self.valid[c])",
        "m.d.sync += free.eq(self.valid[c] & same)",
        "cube",
    ),
    Mutant(
        "routed: two of a ring's halves close it",
        "models/networks/grid.py",
        "2 * np.abs(along) > side",
        "2 * np.abs(along) >= side",
        ("tests/models/planning/test_grids.py",),
    ),
    Mutant(
        "routed: a sector takes its neighbour's edge",
        "models/planning/btm.py",
        "(last > 0) & (first <= 0)",
        "(last > 0) & (first < 0)",
        ("tests/models/planning/test_grids.py",),
    ),
)
