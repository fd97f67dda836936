"""Mutants of the blocks, each with the proof that must fail of it."""

from tests.formal.catalogue import PROOFS
from tests.formal.emission import EMISSIONS
from tests.formal.kinds import Break, Faults
from tests.formal.stream_breaks import STREAM_FAULTS

_FAULTS: Faults = {
    "emission: operators": (
        ("an OR is written as an AND", '"$or": "|"', '"$or": "&"', "sim/emit/logic.py"),
    ),
    "fifo: channel of 3 places": (
        ("a full channel still accepts", "write.eq(self.push & ~full)", "write.eq(self.push)"),
    ),
    "fifo: static buffer of 2": (
        (
            "the second flit of a static buffer is the first again",
            "m.d.sync += second.eq(self.flit)",
            "m.d.sync += second.eq(self.front)",
        ),
    ),
    "fifo: traffic queue of 4": (
        (
            "a traffic queue shows an entry that has left",
            "read.addr.eq(Mux(moves, after, first))",
            "read.addr.eq(first)",
        ),
    ),
    "credits: link of any delay, 4 places": (
        (
            "a credit is lost when one is spent in the same cycle",
            "with m.If(self.credit ^ self.spend):",
            "with m.If(self.credit | self.spend):",
        ),
    ),
    "credits: static link, 2 places": (
        (
            "a level rises though one leaves",
            "rises.eq(some & self.up & ~self.down)",
            "rises.eq(some & self.up)",
        ),
    ),
    "counter of up to 9 a cycle": (
        (
            "a counter begins again at 0",
            "Mux(summed[width:].any(), ~0, summed)",
            "Mux(summed[width:].any(), 0, summed)",
        ),
    ),
    "arbiter: least recently sent, 5": (
        (
            "who was sent stays where it was",
            "~self.sent[i] & (self.sent[j] | first[i, j])",
            "self.sent[j] | first[i, j]",
        ),
    ),
    "arbiter: round robin, 5": (
        ("the pointer never moves", "first[i, j].eq(~self.grant[i:j].any())", "first[i, j].eq(1)"),
    ),
    "static switch": (
        (
            "a static switch looks at two of four credits",
            "reduce(and_, free, buffer.some)",
            "reduce(and_, free[:1], buffer.some)",
        ),
    ),
    "guards: flits and credits lost": (
        (
            "what is lost is not refunded",
            "returns.eq(returns + Mux(received | fence, out, 0)",
            "returns.eq(returns + Mux(fence, out, 0)",
        ),
    ),
    "guards: up to 3 wires flipped, and losses": (
        ("a generator that lets pairs of flips pass", "8: 0x7}", "8: 0x1}", "rtl/guard/shape.py"),
        (
            "a flit whose valid bit is lost is not missed",
            "bad.eq(~good & (lanes.any() | ~right) & ~self.fence)",
            "bad.eq(~good & lanes.any() & ~self.fence)",
        ),
    ),
    "guards: messages alone, up to 3 wires flipped": (
        (
            "a wrong message goes on",
            "getattr(inside, name).eq(Mux(good, getattr(link, name), 0))",
            "getattr(inside, name).eq(getattr(link, name))",
        ),
    ),
    "fence of a sender": (
        (
            "a fenced port still sends",
            "eq(Mux(self.fence, 0, getattr(inside, name)))",
            "eq(getattr(inside, name))",
        ),
    ),
    "fence of a receiver": (
        (
            "a fenced port still takes",
            "lanes.eq(Mux(self.fence, 0, part.lanes(link)))",
            "lanes.eq(part.lanes(link))",
        ),
    ),
    "slots of barrier wires beside an engine": (
        (
            "a slot fires with the first that comes",
            "complete.eq(alive & hit & ~(missing & ~hits).any())",
            "complete.eq(alive & hit)",
        ),
        (
            "what a slot sends up goes down, too",
            "Mux(down, children, parent)",
            "children | Mux(down, 0, parent)",
        ),
        (
            "a command reaches every slot",
            "slot.asked.eq(asked & name)",
            "slot.asked.eq(asked)",
            "rtl/slots/plane.py",
        ),
        (
            "a message for a slot reaches its neighbour, too",
            'arrive, release = getattr(here, f"arrive_{s}")',
            'arrive, release = getattr(here, "arrive_0")',
            "rtl/slots/plane.py",
        ),
    ),
    "engine: an entry, stages 1": (
        (
            "one port is enough",
            "complete.eq(~(state.missing ^ port).any()",
            "complete.eq((state.missing & port).any()",
        ),
        (
            "what goes up goes down, too",
            "Mux(down, image.children[p], image.parent[p])",
            "image.children[p] | Mux(down, 0, image.parent[p])",
        ),
        (
            "data of the episode before are combined, too",
            "Mux(state.fresh, self.message.data, self._combine())",
            "self._combine()",
        ),
        (
            "an epoch is compared by half",
            "self.epoch == self.message.epoch",
            "self.epoch[0] == self.message.epoch[0]",
        ),
        (
            "KILL leaves the epoch of what is not alive",
            "self.writes_image.eq(written | named |",
            "self.writes_image.eq(written |",
        ),
        (
            "BROKEN is obeyed by any port",
            "(image.parent & port[: self._layout.links]).any()",
            "port.any()",
        ),
        ("a visit breaks whatever waits", "self.visit & waits & state.old", "self.visit & waits"),
        (
            "a message that is not awaited is not counted",
            "self.active & port.any() & ~hit & ~(fires & broken)",
            "self.active & port.any() & ~live",
        ),
    ),
    "engine: an entry, stages 2, shared links": (
        ("the sweep ends early", "sweeping & ~turn.all()", "sweeping & ~turn.any()"),
        (
            "an arrival is taken as a command is loaded",
            "free & ~command & ~counts",
            "free & ~counts",
        ),
    ),
    "engine: an entry, routed messages": (
        (
            "a child's name is the parent's, too",
            "Mux(rule.down, name, getattr",
            "Mux(rule.down | 1, name, getattr",
            "rtl/engine/engine.py",
        ),
    ),
    "engine: an entry, all operations": (
        (
            "MIN keeps the larger",
            "Mux(larger, word, held)",
            "Mux(larger, held, word)",
            "rtl/parts/gates.py",
        ),
        ("a sum has no carries", "held + word", "held ^ word", "rtl/parts/gates.py"),
        ("what comes third is not kept", "merges.eq(hit)", "merges.eq(hit & state.fresh)"),
        ("another epoch's word is kept", "merges.eq(hit)", "merges.eq(hit | self.unexpected)"),
    ),
    "engine: an entry, keys": (
        ("a key is not looked at", "(self.image.key == self.message.tag)", "Const(1, 1)"),
        (
            "a tag leaves without its check bits",
            "link.message.tag.eq(tag)",
            "link.message.tag.eq(rule.image.key)",
            "rtl/engine/engine.py",
        ),
        (
            "a queue keeps tags",
            "queue.message.eq(turned(layout, link.message))",
            "queue.message.eq(link.message)",
            "rtl/engine/engine.py",
        ),
    ),
    "groups: a root at the end, from GO on": (
        (
            "a process is released as its message goes up",
            "down & child for child in",
            "child for child in",
            "rtl/engine/rule.py",
        ),
        (
            "KILL frees an entry and tells its children nothing",
            "Cat(fires & side for side in sides)",
            "Cat(fires & ~self.kill & side for side in sides)",
            "rtl/engine/rule.py",
        ),
        (
            "a barrier is reported as the group's end",
            "fires & down & root & self.kind[1] & ~self.kind[0]",
            "fires & down & root & ~self.kind[0]",
            "rtl/engine/rule.py",
        ),
    ),
    "groups: a root at the end, from reset on": (
        (
            "KILL is answered and frees nothing",
            "live & (broken & expected | self.go)",
            "live & (broken & self.port.any() | self.go)",
            "rtl/engine/rule.py",
        ),
    ),
    "engine: an entry, stages 3, shared links": (
        (
            "links are sent the kind that came",
            "link.message.kind.eq(rule.kind), link",
            "link.message.kind.eq(service.message.kind), link",
        ),
    ),
    "engine: choice of 4 sources, 2 cycles a service": (
        (
            "a turn goes to the lowest source",
            "beyond.eq(Mux(waited, _below(self.grant), 0))",
            "beyond.eq(0)",
        ),
    ),
    "engine: choice of 4 sources, 1 cycles a service": (
        ("hold is not looked at", "some & ~several & ~self.hold", "some & ~several"),
    ),
    "engine: room in a queue, cut to 4": (
        (
            "BROKEN takes a place",
            "self.valid & (behind & ~places.full & ~broken)",
            "self.valid & (behind & ~places.full)",
        ),
    ),
    "fifo: engine's queue, cut to 4": (
        (
            "a head is the message on the link",
            "Mux(front, read.data, self.message)",
            "Mux(places.rest, read.data, self.message)",
        ),
    ),
    "fifo: engine's queue in block RAM, cut to 4": (
        ("block RAM shows what has left", "front.eq(places.rest)", "front.eq(places.some)"),
    ),
    "engine: LUT RAM of entries": (
        (
            "an entry is written where one is read",
            "write.addr.eq(self.write_entry)",
            "write.addr.eq(self.read_entry)",
        ),
    ),
    "engine: visits, every 10 cycles": (
        (
            "a visit that is not taken at once is forgotten",
            "ends | (self.due & ~self.granted)",
            "ends",
        ),
    ),
    "engine: config port": (
        ("a COMMIT is loaded twice", "self.granted | (loaded & ~config.ready)", "self.granted"),
    ),
    "node port of 3 registers": (
        (
            "an arrival outlives its group",
            "waiting[r] & ~sent[r] & ~named[r]",
            "waiting[r] & ~sent[r]",
        ),
    ),
    "links that packets and messages share": (
        ("one link leaves packets nothing", "either(runs)", "either(runs[1:])"),
    ),
    "config chain of 2 nodes": (
        (
            "a request goes on though it is here",
            "further.request_valid.eq(valid & ~ours)",
            "further.request_valid.eq(valid)",
        ),
    ),
    "router: a flit, X-Y": (
        (
            "east and west swapped",
            "(down, goes[1]), (up, goes[0])",
            "(down, goes[0]), (up, goes[1])",
        ),
    ),
    "router: a flit, source routes, output register": (
        (
            "a route is not shifted",
            "Mux(flit.head, flit.payload >> width, flit.payload)",
            "flit.payload",
        ),
    ),
    "router: packets, X-Y": (
        (
            "an output of ports is free after the head",
            "busy[channel].eq(~tail)",
            "busy[channel].eq(tail)",
        ),
    ),
    "router: packets, source routes, 2 channels": (
        (
            "a head goes into another packet",
            "control.active.replicate(self._ports) | ~self.busy[channel::channels]",
            "Const(-1, self._ports)",
        ),
    ),
    "routed messages: slots": (
        (
            "a passing message turns in the wrong direction",
            "        return there > here\n",
            "        return there < here\n",
        ),
    ),
    "routed messages: an output": (
        (
            "messages of both classes leave at once",
            "turn = (~self.valid[0] if c else 1)",
            "turn = 1",
        ),
    ),
    "set-up: sink": (
        ("any manager changes any entry", " | (shape.owner(request.entry) != request.manager)", ""),
        ("a spoilt request is obeyed", "(length == 1) | cut |", "(length == 1) |"),
        (
            "a request is served whose reply has no place",
            "Array([*occupied, *",
            "Array([*[Const(0, 1)] * shape.managers, *",
        ),
        ("a reply leaves without its tag", "reply.tag.eq(request.tag)", "reply.tag.eq(0)"),
        (
            "a sink waits until its reply has left",
            "self.listens.eq(state == State.LISTEN)",
            "self.listens.eq((state == State.LISTEN) & ~self.reply_valid)",
        ),
    ),
    "set-up: an engine's port for two": (
        (
            "the chain commits a sink's words",
            "chain_asks & foreign & setup",
            "chain_asks & foreign & setup & self.locks",
        ),
    ),
    "set-up: port of a process": (
        (
            "a process sends on the set-up channel",
            "self.router_in.valid[last].eq(channel.sends)",
            "self.router_in.valid[last].eq(channel.sends | self.router_in.flit.head)",
        ),
        (
            "a request comes between the flits of a reply",
            "chosen.eq(Mux(begun, requests, ~self.reply_valid))",
            "chosen.eq(~self.reply_valid)",
        ),
    ),
    "set-up: port of a sink": (
        (
            "an ordinary flit's credit is kept",
            "self.router_out.credit[:count].eq(came)",
            "self.router_out.credit[:count].eq(came & ~channel.sends)",
        ),
    ),
    "clocks: a node": (
        (
            "what has come and has not gone on lets the clock stand",
            "Const(1, 1) if rest is None else signal != rest",
            "Const(1, 1) if rest is None else Const(0, 1)",
        ),
    ),
    "set-up: end of a link": (
        (
            "the manager sends beside a message",
            "& credits.available & ~message",
            "& credits.available",
        ),
    ),
    "set-up: manager": (
        (
            "a manager that is not there answers",
            "                ~self.enable\n",
            "                ~(self.enable | self.config.write)\n",
        ),
        (
            "a request bears another's number",
            "asked.manager.eq(self.index)",
            "asked.manager.eq(self.word)",
        ),
    ),
}

_BLOCKS = {proof.name: (proof.block,) for proof in PROOFS} | {
    emission.name: (emission.block,) for emission in EMISSIONS
}

BREAKS = tuple(
    Break(name, proof, (*file, *_BLOCKS[proof])[0], old, new)
    for proof, faults in (_FAULTS | STREAM_FAULTS).items()
    for name, old, new, *file in faults
)
