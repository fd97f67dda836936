"""Mutants of the hardware of static networks."""

from tests.mutation.mutant import Mutant


def _broken(name: str, part: str, old: str, new: str, test: str) -> Mutant:
    """Return a fault that a bench of the static network must notice."""
    return Mutant(
        f"static: {name}", f"rtl/static/{part}.py", old, new, (f"tests/rtl/static/test_{test}.py",)
    )


STATIC = (
    _broken(
        "a credit is dropped when a flit is sent in the same cycle",
        "switch",
        "level.up.eq(link.credit)",
        "level.up.eq(link.credit & ~link.valid)",
        "switch",
    ),
    _broken(
        "lock step is broken: half of the branches are enough",
        "switch",
        "reduce(and_, free, buffer.some)",
        "buffer.some & Cat(free).any()",
        "switch",
    ),
    _broken(
        "lock step is broken: barriers of software and trees are released early",
        "switch",
        "reduce(and_, free, buffer.some)",
        "buffer.some & Cat(free).any()",
        "software",
    ),
    _broken(
        "a flush forgets the counter",
        "switch",
        "level.clear.eq(clear[o])",
        "level.clear.eq(ResetSignal())",
        "switch",
    ),
    _broken(
        "a flush of CORE leaves what the core has sent",
        "switch",
        "return clear[port]",
        "return ResetSignal()",
        "switch",
    ),
    _broken(
        "X and Y ports swapped",
        "switch",
        "(*network.link_names, *core)",
        "(*network.link_names[1::-1], *network.link_names[:1:-1], *core)",
        "switch",
    ),
    _broken(
        "a flush of a node's port leaves what the node has sent",
        "switch",
        "return flush | (self.node_ports[port] & clear[port])",
        "return flush",
        "switch",
    ),
    _broken(
        "a flush empties the inputs of links back",
        "switch",
        "self.node_ports[port] & clear[port]",
        "clear[port]",
        "switch",
    ),
    _broken(
        "a node outside its switch is not flushed with its port",
        "node",
        "port, clear = self._network, self.port, self.eject.flush",
        "port, clear = self._network, self.port, ResetSignal()",
        "network",
    ),
    _broken(
        "an input that nothing selects drops its flits",
        "switch",
        "buffer.pop.eq(ready[i] & used[i])",
        "buffer.pop.eq(ready[i])",
        "switch",
    ),
    _broken(
        "a strobe does not flush",
        "switch",
        "flush[o].eq(bits[-1])",
        "flush[o].eq(0)",
        "switch",
    ),
    _broken(
        "the second flit overtakes the first",
        "buffer",
        "Mux(level.full, second, self.flit)",
        "self.flit",
        "switch",
    ),
    _broken(
        "a full buffer still takes a flit",
        "buffer",
        "write.eq(self.push & ~level.full)",
        "write.eq(self.push)",
        "switch",
    ),
    _broken(
        "RING reads B + 1 flits",
        "agents",
        "Mux(self.root, fillers + 1, fillers + 2)",
        "fillers + 1",
        "agents",
    ),
    _broken(
        "the root of a ring releases one flit early",
        "agents",
        "self.ends.eq(counts & (left == 1))",
        "self.ends.eq(counts & (left == Mux(self.root, 2, 1)))",
        "agents",
    ),
    _broken(
        "the root of a ring sends one filler less",
        "agents",
        "release = Mux(self.free, fillers, fillers + 1)",
        "release = fillers",
        "agents",
    ),
    _broken(
        "a member of a ring does not wait for its process",
        "agents",
        "~(self.hold & (self.root | (left <= 2)))",
        "~(self.hold & self.root)",
        "agents",
    ),
    _broken(
        "the root of a tree sends all before it has arrived",
        "agents",
        "self.send.eq(self.root & self.free & (some | (go & ~self.hold)))",
        "self.send.eq(self.root & self.free & (some | ~self.hold))",
        "agents",
    ),
    _broken(
        "a tree's episode is one flit shorter",
        "agents",
        "- (self.root | some)",
        "- 1",
        "agents",
    ),
    _broken(
        "a word is shifted into the chain highest bit first",
        "config",
        "self.route_in.eq(word[0])",
        "self.route_in.eq(word[-1])",
        "config",
    ),
    _broken(
        "software's flit is lost without a credit",
        "node",
        "sends.eq(port.send_valid & port.send_ready)",
        "sends.eq(port.send_valid & software)",
        "network",
    ),
    _broken(
        "a role is changed in the middle of a barrier",
        "node",
        "config.idle.eq(~(begun | waiting | accepted))",
        "config.idle.eq(~(begun | accepted))",
        "network",
    ),
    _broken(
        "a flush leaves a release to be told",
        "node",
        "port.released.eq(ends & ~clear)",
        "port.released.eq(ends)",
        "node",
    ),
)
