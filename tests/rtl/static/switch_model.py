"""What a static switch does, from its contract: queues, counters, selects."""

from collections import deque


class SwitchModel:
    """One switch, stepped a cycle at a time.

    Parameters
    ----------
    places : list of int
        Of the inputs' buffers.
    beyond : list of int
        Of the buffers at the other ends of the outputs.
    names : list of str
        Of the ports.
    turns_back : bool
        Whether an output can select the input of its own port.
    nodes : set of int
        Ports that lead to nodes: the switch itself empties their inputs.
    """

    def __init__(
        self,
        places: list[int],
        beyond: list[int],
        names: list[str],
        turns_back: bool,
        nodes: set[int],
    ) -> None:
        self.places, self.beyond, self.names, self.nodes = places, beyond, names, nodes
        self.ports = range(len(names))
        self.inputs = [[i for i in self.ports if turns_back or i != o] for o in self.ports]
        self.width = len(self.inputs[0]) + 1
        self.bits = len(names) * self.width
        self.queues: list[deque[int]] = [deque() for _ in places]
        self.credits = list(beyond)
        self.chain: deque[int] = deque([0] * self.bits)
        self.select: list[int | None] = [None] * len(names)
        self.flush: set[int] = set()

    def moving(self) -> list[int]:
        """Return the inputs whose front flit leaves in this cycle."""
        found = []
        for i, queue in enumerate(self.queues):
            branches = [o for o in self.ports if self.select[o] == i]
            if queue and branches and all(self.credits[o] for o in branches):
                found.append(i)
        return found

    def outputs(self, valid: list[int]) -> dict[str, int]:
        """Return what the switch shows in this cycle, given the flits that come."""
        seen: dict[str, int] = {"route_out": self.chain[-1], "overflow": 0}
        moving = self.moving()
        for port, name in enumerate(self.names):
            source = self.select[port]
            seen[f"{name}_out__valid"] = source in moving
            if source is not None and source in moving:
                seen[f"{name}_out__flit"] = self.queues[source][0]
            seen[f"{name}_out__flush"] = port in self.flush
            seen[f"{name}_in__credit"] = port in moving
            seen[f"number_{port}"] = len(self.queues[port])
            full = len(self.queues[port]) == self.places[port]
            seen["overflow"] |= (valid[port] and full) << port
        return seen

    def edge(
        self,
        arriving: dict[int, int],
        credits: set[int],
        flushed: set[int],
        bit: int | None,
        strobe: bool,
    ) -> None:
        """End the cycle: flits come, credits come, buffers are flushed, the chain moves."""
        moving, now = self.moving(), set(self.flush)
        full = [len(q) == self.places[i] for i, q in enumerate(self.queues)]
        for o in self.ports:
            self.credits[o] += (o in credits) - (self.select[o] in moving)
            if o in now:
                self.credits[o] = self.beyond[o]
        for i in moving:
            self.queues[i].popleft()
        for i, flit in arriving.items():
            if not full[i]:
                self.queues[i].append(flit)
        for i in flushed | (self.nodes & now):
            self.queues[i].clear()
        self.flush = set()
        if strobe:
            bits = list(self.chain)
            for o in self.ports:
                *chosen, flush = bits[self.width * o : self.width * (o + 1)]
                self.select[o] = self.inputs[o][chosen.index(1)] if any(chosen) else None
                if flush:
                    self.flush.add(o)
        if bit is not None:
            self.chain.appendleft(bit)
            self.chain.pop()
