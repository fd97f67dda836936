"""Ways to break the hardware and the searches, by one change each, and who must notice."""

from tests.mutation.broadcast import BROADCAST
from tests.mutation.cores import CORES
from tests.mutation.engine import ENGINE
from tests.mutation.fabric import FABRIC
from tests.mutation.guards import GUARDS
from tests.mutation.host import HOST
from tests.mutation.irregular import IRREGULAR
from tests.mutation.mutant import NETWORK, Mutant
from tests.mutation.schedules import SCHEDULES
from tests.mutation.setup import SETUP
from tests.mutation.slots import SLOTS
from tests.mutation.software import SOFTWARE
from tests.mutation.static import STATIC
from tests.mutation.survivors import SURVIVORS
from tests.mutation.wires import WIRES

__all__ = ["MUTANTS", "Mutant"]


def _unit(path: str) -> tuple[str, ...]:
    """Return a component's own tests, then whole networks."""
    return (f"tests/rtl/{path}", NETWORK)


MUTANTS = (
    Mutant(
        "a credit is lost when one is spent in the same cycle",
        "rtl/parts/credit.py",
        "with m.If(self.credit ^ self.spend):",
        "with m.If(self.credit | self.spend):",
        _unit("parts/test_credit.py"),
    ),
    Mutant(
        "one credit too many after reset",
        "rtl/parts/credit.py",
        "init=self._places - 1)",
        "init=self._places)",
        _unit("parts/test_credit.py"),
    ),
    Mutant(
        "X and Y swapped in the route of packets",
        "rtl/mesh/input_port.py",
        "route(self.x, self.y, header, y_first=False, legal=outputs)",
        "route(self.x, self.y, header, y_first=True, legal=outputs)",
        _unit("mesh/test_input_port.py"),
    ),
    Mutant(
        "X and Y swapped in the route of messages",
        "rtl/mesh/sync_input.py",
        "                y_first=bool(turn),\n",
        "                y_first=not turn,\n",
        _unit("mesh/test_slots.py"),
    ),
    Mutant(
        "east and west swapped",
        "rtl/mesh/routing.py",
        "east, west = _ways(x, destination.x, 0 in legal, 2 in legal)",
        "west, east = _ways(x, destination.x, 0 in legal, 2 in legal)",
        _unit("mesh/test_routing.py"),
    ),
    Mutant(
        "a full buffer still accepts",
        "rtl/parts/channel.py",
        "write.eq(self.push & ~full)",
        "write.eq(self.push)",
        ("tests/rtl/parts/test_channel.py",),
    ),
    Mutant(
        "the credit of a freed place comes a cycle early",
        "rtl/parts/channel.py",
        "            self.credit.eq(self.pop),\n        ]\n",
        "        ]\n        m.d.comb += self.credit.eq(self.pop)\n",
        _unit("parts/test_channel.py"),
    ),
    Mutant(
        "the next packet takes the route of the last",
        "rtl/parts/channel.py",
        "kept.eq(Mux(passes, arriving, Cat(others, ~others.any())))",
        "kept.eq(Mux(passes, arriving, kept))",
        _unit("parts/test_channel.py"),
    ),
    Mutant(
        "packets mix in a channel: a head does not wait for the tail before",
        "rtl/mesh/input_port.py",
        "free = control.active.replicate(5) | ~self.busy[channel::channels]",
        "free = control.active.replicate(5) | ~Const(0, 5)",
        _unit("mesh/test_input_port.py"),
    ),
    Mutant(
        "an output stays taken after the tail",
        "rtl/mesh/output_port.py",
        "m.d.sync += self.busy[channel].eq(~link.flit.tail)",
        "m.d.sync += self.busy[channel].eq(1)",
        _unit("mesh/test_output_port.py"),
    ),
    Mutant(
        "two inputs are mixed up in the crossbar",
        "rtl/parts/selector.py",
        "(inner & d) | (~inner & c)",
        "(inner & c) | (~inner & d)",
        ("tests/rtl/parts/test_selector.py", "tests/rtl/mesh/test_output_port.py"),
    ),
    Mutant(
        "a message of a neighbour is not led to the link",
        "rtl/mesh/output_port.py",
        "selects.get(i, Const(0, 1)) | self.sync_take[i]",
        "selects.get(i, self.sync_take[i])",
        _unit("mesh/test_output_port.py"),
    ),
    Mutant(
        "a counter is read a cycle too late",
        "rtl/parts/events.py",
        "kept.append(counter.count)",
        "kept.append(counter.total)",
        ("tests/rtl/wires/test_unit.py", "tests/rtl/barrier/test_unit.py"),
    ),
    Mutant(
        "an arbiter that starves: the lowest number always wins",
        "rtl/parts/arbiter.py",
        "first[i, j].eq(~self.sent[i] & (self.sent[j] | first[i, j]))",
        "first[i, j].eq(1)",
        _unit("parts/test_arbiter.py"),
    ),
    Mutant(
        "round robin does not move on",
        "rtl/parts/arbiter.py",
        "m.d.sync += first[i, j].eq(~self.grant[i:j].any())",
        "m.d.sync += first[i, j].eq(1)",
        _unit("parts/test_arbiter.py"),
    ),
    Mutant(
        "ordinary flits go before messages",
        "rtl/mesh/output_port.py",
        "self.take[i].eq(arbiter.grant[place] & ~blocked)",
        "self.take[i].eq(arbiter.grant[place])",
        _unit("mesh/test_output_port.py"),
    ),
    Mutant(
        "an input never presents its second class while the first waits",
        "rtl/mesh/slots.py",
        "m.d.sync += last.eq(self.present[1])",
        "m.d.sync += last.eq(1)",
        _unit("mesh/test_slots.py"),
    ),
    Mutant(
        "a message is sent without a credit",
        "rtl/mesh/slots.py",
        "kept[i] & self.has_credit[2 * o + turn]",
        "kept[i]",
        _unit("mesh/test_slots.py"),
    ),
    Mutant(
        "an arrival bit is not cleared",
        "rtl/barrier/register.py",
        "                status.arrived.eq(0),\n",
        "                status.arrived.eq(arrived),\n",
        _unit("barrier/test_register.py"),
    ),
    Mutant(
        "the local arrival is not cleared",
        "rtl/barrier/register.py",
        "                status.local.eq(0),\n",
        "                status.local.eq(1),\n",
        _unit("barrier/test_register.py"),
    ),
    Mutant(
        "a release one cycle early",
        "rtl/barrier/register.py",
        "m.d.sync += self.released.eq(release & ~relay)",
        "m.d.comb += self.released.eq(release & ~relay)",
        _unit("barrier/test_register.py"),
    ),
    Mutant(
        "a node is released before its own process arrives",
        "rtl/barrier/register.py",
        "Mux(relay, present.any() & ~writing, local)",
        "Mux(relay, present.any() & ~writing, status.arrived.any())",
        _unit("barrier/test_register.py"),
    ),
    Mutant(
        "a node on the way waits for its own process",
        "rtl/barrier/register.py",
        "Mux(relay, present.any() & ~writing, local)",
        "local",
        _unit("barrier/test_register.py"),
    ),
    Mutant(
        "a node on the way fires without a child",
        "rtl/barrier/register.py",
        "Mux(relay, present.any() & ~writing, local)",
        "(relay | local)",
        _unit("barrier/test_register.py"),
    ),
    Mutant(
        "the process of a node on the way is told",
        "rtl/barrier/register.py",
        "m.d.sync += self.released.eq(release & ~relay)",
        "m.d.sync += self.released.eq(release)",
        _unit("barrier/test_register.py"),
    ),
    Mutant(
        "an arrive at a node on the way is taken",
        "rtl/barrier/register.py",
        "control.valid & ~relay & ~deaf & (life.go",
        "control.valid & ~deaf & (life.go",
        _unit("barrier/test_register.py"),
    ),
    Mutant(
        "set-up by packets forgets that a node is on the way",
        "rtl/setup/format.py",
        'PARENT_WORD.pack({**place, "relay": 1})',
        "PARENT_WORD.pack(place)",
        ("tests/rtl/setup/test_format.py",),
    ),
    Mutant(
        "one child is enough",
        "rtl/barrier/rules.py",
        "return (arrived & present) == present",
        "return ((arrived & present) != 0) | (present == 0)",
        _unit("barrier/test_register.py"),
    ),
    Mutant(
        "a REDUCE counts whatever port it comes by",
        "rtl/barrier/rules.py",
        "candidates[p] & present[p] & ~arrived[p] & classes[p][1 - child_class(p)]",
        "candidates[p] & ~arrived[p] & classes[p][1 - child_class(p)]",
        _unit("barrier/test_rules.py"),
    ),
    Mutant(
        "messages of another epoch count",
        "rtl/barrier/register.py",
        "known[p] & (messages[p].epoch == control.epoch)",
        "known[p]",
        _unit("barrier/test_register.py"),
    ),
    Mutant(
        "an arrival outlives the write of word 0 that it met",
        "rtl/barrier/register.py",
        "self.status.arrived.eq(0),",
        "",
        _unit("barrier/test_register.py"),
    ),
    Mutant(
        "who has no credit keeps its turn for ever",
        "rtl/barrier/turn.py",
        "(stays != _LAST_STAY)",
        "1",
        _unit("barrier/test_sender.py"),
    ),
    Mutant(
        "any GID matches",
        "rtl/barrier/register.py",
        "self.here[p] & control.valid & (messages[p].gid == control.gid)",
        "self.here[p] & control.valid",
        _unit("barrier/test_register.py"),
    ),
    Mutant(
        "a second arrival before the release is taken",
        "rtl/barrier/register.py",
        "self.arrive & valid & self.ready & ~status.local & ~status.waiting",
        "self.arrive & valid & self.ready",
        _unit("barrier/test_register.py"),
    ),
    Mutant(
        "a busy register can be rewritten",
        "rtl/barrier/register.py",
        "busy.eq(arrived | status.pending[:4].any() | dying)",
        "busy.eq(0)",
        _unit("barrier/test_register.py"),
    ),
    Mutant(
        "the accumulated data are not reset",
        "rtl/barrier/register.py",
        "                self.accumulated.eq(identity(control.op, network.data_bits)),\n"
        "                self.result.eq(new_result),",
        "                self.result.eq(new_result),",
        _unit("barrier/test_register.py"),
    ),
    Mutant(
        "AND starts from zeros",
        "rtl/barrier/combine.py",
        "ones = (op == Op.AND) | (op == Op.MIN)",
        "ones = op == Op.MIN",
        _unit("barrier/test_register.py"),
    ),
    Mutant(
        "a third word is left out",
        "rtl/barrier/combine.py",
        "_join(leaves[i : i + 3], odd)",
        "_join(leaves[i : i + 2], odd)",
        _unit("barrier/test_combine.py"),
    ),
    Mutant(
        "the message to the south child is forgotten",
        "rtl/barrier/sender.py",
        "(chosen.straight[p] & credit[p][usual_class])",
        "(chosen.straight[p] & credit[p][usual_class] & int(p != 3))",
        _unit("barrier/test_sender.py"),
    ),
    Mutant(
        "a message that was sent is sent again",
        "rtl/barrier/register.py",
        "(to_send & ~send.sent)",
        "(to_send & ~(send.sent & (send.sent - 1)))",
        _unit("barrier/test_register.py"),
    ),
    Mutant(
        "a stray message is not counted",
        "rtl/barrier/unit.py",
        "strays = [*(taken & ~used), *beside]",
        "strays = [*(taken & ~used & 0), *beside]",
        _unit("barrier/test_unit.py"),
    ),
    Mutant(
        "the serial combiner takes two arrivals and adds one",
        "rtl/barrier/serial.py",
        "self.held.eq(self.countable & ~self.chosen)",
        "self.held.eq(0)",
        _unit("barrier/test_serial.py"),
    ),
    *BROADCAST,
    *CORES,
    *ENGINE,
    *FABRIC,
    *IRREGULAR,
    *SCHEDULES,
    *SETUP,
    *SLOTS,
    *SOFTWARE,
    *STATIC,
    *WIRES,
    *GUARDS,
    *HOST,
    *SURVIVORS,
)
