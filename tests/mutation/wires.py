"""Ways to break the hardware of barrier wires."""

from tests.mutation.mutant import Mutant

__all__ = ["WIRES"]


def _broken(name: str, part: str, old: str, new: str, test: str = "contract") -> Mutant:
    """Return a fault that a bench of the unit must notice."""
    return Mutant(
        f"wires: {name}", f"rtl/wires/{part}.py", old, new, (f"tests/rtl/wires/test_{test}.py",)
    )


WIRES = (
    _broken(
        "no hold after a pulse",
        "slot",
        "complete.eq(~missing & here & ~down & ~stale.any() & ~fault & ~wrong)",
        "complete.eq(~missing & here & ~fault & ~wrong)",
    ),
    _broken(
        "the hold ends a cycle early",
        "slot",
        "~missing & here & ~down & ~stale.any() & ~fault",
        "~missing & here & ~down & ~fault",
    ),
    _broken(
        "a level that does not fall is not looked at",
        "slot",
        "bad.eq((stale[0] & risen) | (called & ~up) | wrong)",
        "bad.eq((called & ~up) | wrong)",
    ),
    _broken(
        "a pulse that nobody asked for is taken for nothing",
        "slot",
        "bad.eq((stale[0] & risen) | (called & ~up) | wrong)",
        "bad.eq((stale[0] & risen) | wrong)",
    ),
    _broken(
        "a pulse that nobody asked for counts",
        "slot",
        "ends.eq(Mux(role.root, complete, called & up))",
        "ends.eq(Mux(role.root, complete, called))",
    ),
    _broken(
        "half of the kids are enough",
        "slot",
        "missing.eq((role.kids & ~self.up_in).any())",
        "missing.eq((role.kids[1:] & ~self.up_in[1:]).any())",
    ),
    _broken(
        "up does not fall with the pulse",
        "slot",
        "up.eq(complete & ~role.root & ~called & ~trips)",
        "up.eq(complete & ~role.root & ~trips)",
    ),
    _broken(
        "a fault is forgotten",
        "slot",
        "fault.eq(fault | bad | (trips & ~ends))",
        "fault.eq(bad | (trips & ~ends))",
    ),
    _broken(
        "the stale cycles do not grow with the link's registers",
        "slot",
        "Signal(2 * self._plane.link_registers + 1)",
        "Signal(1)",
    ),
    _broken(
        "a clear leaves the pulse",
        "slot",
        "m.d.sync += [up.eq(0), down.eq(0), stale.eq(0), fault.eq(0)]",
        "m.d.sync += [up.eq(0), stale.eq(0), fault.eq(0)]",
    ),
    _broken(
        "a process's own data are left out",
        "slot",
        "words = [*zip(role.kids, ups, strict=True), *([own] if own else [])]",
        "words = [*zip(role.kids, ups, strict=True)]",
    ),
    _broken(
        "a router that passes on takes the root's data",
        "slot",
        "either(given) | Mux(role.root, combined, 0)",
        "either(given) | combined",
    ),
    _broken(
        "an arrival outlives its pulse",
        "process",
        "comes.eq(((arrived & ~self.down) | self.arrive) & self.ready)",
        "comes.eq((arrived | self.arrive) & self.ready)",
    ),
    _broken(
        "every release is a good one",
        "process",
        "m.d.sync += whole.eq(self.ends)",
        "m.d.sync += whole.eq(1)",
    ),
    _broken(
        "a process that has arrived is not told of a clear",
        "process",
        "before.eq(comes)",
        "before.eq(comes & ~self.clear)",
    ),
    _broken(
        "an arrive counts twice",
        "process",
        "self.refused.eq(self.arrive & ~self.accepts)",
        "self.refused.eq(self.arrive & ~self.ready)",
    ),
    _broken(
        "the watchdog's patience is not over for a new arrival",
        "process",
        "old.eq(self.la & (old | self.tick))",
        "old.eq(old | (self.la & self.tick))",
        "unit",
    ),
    Mutant(
        "wires: the watchdog ticks a cycle late",
        "rtl/parts/tick.py",
        "age == most - 1 if most else 1",
        "age == most if most else 1",
        ("tests/rtl/wires/test_contract.py",),
    ),
    _broken(
        "parity of the wrong link",
        "plane",
        "slot.wrong.eq(Cat(end.wrong for end in ends))",
        "slot.wrong.eq(Cat(end.wrong for end in reversed(ends)))",
    ),
    _broken(
        "X and Y links swapped",
        "plane",
        "slot.up_in.eq(Cat(end.up[r] for end in ends))",
        "slot.up_in.eq(Cat(end.up[r] for end in (*ends[1::-1], *ends[2:])))",
    ),
    _broken(
        "a shared wire to a kid bears the level",
        "plane",
        "Mux(kid, Cat(slot.down, slot.result), 0)",
        "Mux(kid, Cat(slot.up, slot.result), 0)",
    ),
    _broken(
        "parity is that of another cycle than its wires",
        "link",
        "stage == plane.link_registers - 1",
        "stage == 0",
    ),
    _broken(
        "a root listens to a parent",
        "images",
        '"parent": Mux(given.root, 0, parent),',
        '"parent": parent,',
    ),
    _broken(
        "KILL leaves the slot valid",
        "images",
        "m.d.sync += valid[r].eq(given.valid)",
        "m.d.sync += valid[r].eq(1)",
        "unit",
    ),
    _broken(
        "the control word of a slot in use can be changed",
        "images",
        "closes | (opens & ~valid[r])",
        "closes | opens",
        "unit",
    ),
    _broken(
        "a control word counts without its tree word",
        "images",
        "fetch.addr.eq(Cat(self.word[0] | self.writes, self.place))",
        "fetch.addr.eq(Cat(self.word[0], self.place))",
    ),
    _broken(
        "all slots write one image",
        "images",
        "store.addr.eq(Cat(self.word[0], self.place))",
        "store.addr.eq(self.word[0])",
        "unit",
    ),
    _broken(
        "KILL has no eye on the upper bits",
        "images",
        "kills.eq(to_command & (self.data == Command.KILL))",
        "kills.eq(to_command & (self.data[:2] == Command.KILL))",
    ),
    Mutant(
        "wires: links of a mesh router are mixed up",
        "rtl/mesh/wire_node.py",
        'getattr(unit, f"in_{p}").eq(getattr(self, f"{name}_in").wires)',
        'getattr(unit, f"in_{p ^ 1}").eq(getattr(self, f"{name}_in").wires)',
        ("tests/rtl/mesh/test_wires.py",),
    ),
    Mutant(
        "wires: a register's writes reach a slot",
        "rtl/wires/beside.py",
        "config.write[message_bank(network).writes :]",
        "config.write[: 3 * plane.slots]",
        ("tests/rtl/mesh/test_wires.py",),
    ),
    Mutant(
        "wires: a manager's slot is whichever is free",
        "rtl/setup/steps.py",
        "return free & Cat(self.slot == r for r in range(self._form.registers))",
        "return free",
        ("tests/rtl/irregular/test_wires_set_up.py", "tests/rtl/wires/test_set_up.py"),
    ),
    Mutant(
        "wires: a switch forgets strays",
        "rtl/irregular/switch_wires.py",
        "slots.strays.eq(Cat(strays))",
        "slots.strays.eq(0)",
        ("tests/rtl/irregular/test_wires_counters.py",),
    ),
    Mutant(
        "wires: with both, slots' events are not counted",
        "rtl/parts/events.py",
        "happened = _later(m, soon[kind])",
        "happened = _later(m, [])",
        ("tests/rtl/irregular/test_wires_counters.py",),
    ),
)
