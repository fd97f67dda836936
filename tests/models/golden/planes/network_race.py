"""A network of which only what moves is looked at, beside one that is stepped whole."""

import random
from collections import Counter
from typing import Any

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.engine.memory import Message, Route
from syncfabric.models.golden.link import LinkForm, Sent
from syncfabric.models.golden.network import NOTHING, CollectiveNetwork
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout.engine import Code
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.setup import COMMAND, Operation, share_of
from syncfabric.models.layout.words import ManagerWord
from syncfabric.models.traffic import rate_word
from tests.models.golden.planes.nets import (
    Host,
    command,
    draw_group,
    manager_read,
    manager_write,
    order,
    requests_of,
    set_up_writes,
)
from tests.models.golden.planes.plain_network import PlainNetwork

FAULTS = {
    **dict.fromkeys((FaultKind.FLIP, FaultKind.DROP, FaultKind.CREDIT), 4.0),
    **{FaultKind.DEAD: 0.4, FaultKind.INJECTED: 8.0},
}
"""Faults of packets and messages, and how often each is drawn."""


def injected(rng: random.Random, form: LinkForm, entry: int) -> int:
    """Return forward wires of a flit or a message that nobody has sent, with right check bits."""
    flit = sent = None
    if form.channels and rng.random() < 0.5:
        marks = rng.random() < 0.5, rng.random() < 0.5
        flit = Flit(rng.randrange(form.channels), rng.getrandbits(16), *marks)
    else:
        message = Message(entry, rng.randrange(4), rng.randrange(4), 0)
        route = Route((rng.randrange(2), rng.randrange(2)), rng.randrange(2))
        sent = Sent(message, route if form.transport == "routed" else None)
    wires, mask, at = form.pack(flit, sent), 0, 0
    for name, width in form.order:
        mask |= getattr(wires, name) << at
        at += width
    return mask


class NetworkRace:
    """Both networks, their stimulus, and a comparison in every cycle.

    Groups are set up by a host, members arrive, and now and then all is quiet for long, so that
    cycles are skipped.

    Attributes
    ----------
    seen : Counter of str
        What has happened.
    """

    def __init__(self, shape: NetworkShape, rng: random.Random) -> None:
        self.shape, self.rng = shape, rng
        self.net, self.plain = CollectiveNetwork(shape), PlainNetwork(shape)
        self.host = Host(rng, rng.choice((0.0, 0.5, 0.95)))
        entries = range(min(3, shape.router.layout.entries))
        self.groups = [draw_group(shape, rng, entry) for entry in entries]
        self.seen = Counter[str]()
        self.eager = rng.choice((0.02, 0.2, 1.0))
        self.enable, self.rate = False, 0
        self.busy = True
        self.faults = 0.0  # a cycle
        self.jobs()

    def jobs(self) -> None:
        """Have groups set up, and ended, and words read."""
        shape, rng = self.shape, self.rng
        for group in self.groups:
            if group.epoch and rng.random() < 0.5:
                self.host.jobs += [
                    command(shape, n, Code.KILL, group.entry[n], group.epoch[n])
                    for n in group.routers
                ]
            if not shape.managers or rng.random() < 0.1:
                self.host.jobs += set_up_writes(shape, group)
        if shape.managers:
            self.manage()
        for _ in range(rng.randrange(5)):
            read = command(shape, rng.randrange(shape.routers), Code.READ, 0, 0)
            target = rng.randrange(shape.targets + 1)
            address = rng.choice((0, 1, 16, 17, 18, 33, 48, 49, 50, 51, 80, 112))
            odd = type(read)(target, address, rng.random() < 0.2, rng.getrandbits(32))
            self.host.jobs += [read, odd]

    def manage(self) -> None:
        """Have a manager set a group up, kill it, abort, or report."""
        shape, rng = self.shape, self.rng
        m = rng.randrange(len(shape.managers))
        group = rng.choice(self.groups)
        share = share_of(m, len(shape.managers), shape.router.layout.entries)
        if group.root == group.root and rng.random() < 0.9 and share:
            group.entry = dict.fromkeys(group.entry, rng.choice(share))
        kind = rng.choice((Operation.SETUP, Operation.SETUP, Operation.KILL))
        group.epoch = {n: self.net.nodes[n].engine.entry(e).epoch for n, e in group.entry.items()}
        requests = requests_of(shape, group, kind)
        if rng.random() < 0.2:
            rng.choice(requests)[1] ^= 1 << rng.randrange(4, 16)
        jobs = order(shape, m, kind, requests)
        if rng.random() < 0.1:
            word = COMMAND.pack({"operation": rng.choice(list(Operation)), "count": 1})
            jobs.append(manager_write(shape, m, ManagerWord.COMMAND, word))
        reads = (ManagerWord.STATUS, ManagerWord.FREED, ManagerWord.UNEXPECTED)
        jobs += [manager_read(shape, m, word) for word in reads]
        self.host.jobs += jobs

    def inputs(self) -> dict[str, Any]:
        """Draw the inputs of a cycle."""
        rng, net, shape = self.rng, self.net, self.shape
        if net.cycle == 0:
            return {}
        if rng.random() < (0.004 if self.busy else 0.05):
            self.busy = not self.busy
        if self.busy and rng.random() < 0.01 and not self.host.jobs:
            self.jobs()
        arrive = {}
        last = set()
        for i in range(len(shape.nodes)) if self.busy else ():
            for group in self.groups:
                r = group.entry[group.root]
                if r >= shape.registers or i not in group.members:
                    continue
                early = rng.random() < 0.003
                if early or (net.ready(i, r) and rng.random() < self.eager):
                    arrive[i, r] = rng.getrandbits(max(1, shape.router.data_bits))
                    arrive[i, r] *= shape.router.data_bits > 0
                    if rng.random() < 0.6:
                        last.add((i, r))
        request = self.host.request(net.config_answer)
        load = None
        if shape.router.channels and rng.random() < 0.01:
            if not net.traffic.warm and not self.enable:
                load = rng.getrandbits(32)
            self.enable = not self.enable and self.busy
            self.rate = rate_word(rng.choice((0.02, 0.1, 0.5)))
        return {
            "arrive": arrive,
            "last": last,
            "config": request,
            "load": load,
            "enable": self.enable,
            "rate": self.rate,
        }

    def step(self) -> None:
        """Go through a cycle, or over quiet ones."""
        net, plain, rng = self.net, self.plain, self.rng
        assert net.cycle == plain.cycle
        quiet: dict[str, Any] = {"enable": self.enable, "rate": self.rate}
        until = net.idle_until(**quiet)
        if not self.busy and (until is None or until > net.cycle) and self.rng.random() < 0.5:
            cycles = self.rng.choice((1, 3, 20, 100))
            cycles = cycles if until is None else min(cycles, until - net.cycle)
            for number in range(cycles):
                assert not plain.config_answer[0]
                record = plain.step(**quiet)
                # In the first a process may still see something new.
                ports = net.changed_ports() if number == 0 else []
                assert record == (NOTHING._replace(ports=ports) if ports else None), self.shape
            net.skip(cycles, enable=self.enable)
            self.seen["skipped"] += cycles
            return
        if rng.random() < self.faults:
            self.fault()
        inputs = self.inputs()
        assert net.config_answer == plain.config_answer, (net.cycle, self.shape)
        released = [(n * self.shape.registers + r, d) for n, r, d in net.release]
        got, expected = net.step(**inputs), plain.step(**inputs)
        if got is None or expected is None:
            assert got is expected, (net.cycle, got, expected, self.shape)
        else:
            assert got == expected, (net.cycle, got, expected, self.shape)
            assert [d for _, d in released] == expected.results
        self.count(expected)
        if self.shape.router.channels and self.busy and self.rng.random() < 0.01:
            self.put()

    def fault(self) -> None:
        """Let something happen to a link, in a cycle to come."""
        rng, shape = self.rng, self.shape
        links = [n * self.plain.ports + p for n, p in shape.ends]
        for i, (n, p) in enumerate(shape.nodes if shape.interfaces else ()):
            links += [n * self.plain.ports + p, shape.routers * self.plain.ports + i]
        kind = rng.choices(list(FAULTS), list(FAULTS.values()))[0]
        form = self.net.nodes[0].ends[0].form
        bits = form.width if kind is FaultKind.FLIP else form.channels + form.classes
        mask = sum(1 << bit for bit in rng.sample(range(bits), min(bits, rng.randint(1, 3))))
        if kind is FaultKind.INJECTED:
            mask = injected(rng, form, self.groups[0].entry[self.groups[0].root])
        fault = Fault(self.net.cycle + rng.randrange(30), rng.choice(links), kind, mask)
        for net in (self.net, self.plain):
            net.inject([fault])
        self.seen[kind.name] += 1

    def put(self) -> None:
        """Put a packet of software into a source."""
        rng, shape = self.rng, self.shape
        i, to = rng.randrange(len(shape.nodes)), rng.randrange(len(shape.nodes))
        payloads = [shape.header_of(shape.nodes[to]), *(rng.getrandbits(32) for _ in range(3))]
        payloads = payloads[: rng.randint(1, 4)]
        lines = 2 if shape.datelines else 1
        c = rng.randrange(0, shape.router.channels, lines)
        self.net.put(i, payloads, c)
        self.plain.put(i, payloads, c)
        self.seen["put"] += 1

    def count(self, record: Any) -> None:
        """Note what was on the wires."""
        if record is None:
            self.seen["silent"] += 1
            return
        self.seen["wires"] += bool(record.valid)
        self.seen["releases"] += bool(record.release)
        self.seen["guards"] += bool(record.guards)
