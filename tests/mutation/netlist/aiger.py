"""Models in AIGER, changed as text: inputs fixed, and all claims but some left out."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Model:
    """An and-inverter graph with flip-flops, in the binary format.

    Parameters
    ----------
    inputs, latches : int
        Their variables come first, from 1 on.
    constraints : tuple of int
        Literals.
    bad : tuple of int
        Literals, a claim each.
    next_states : tuple of bytes
        Their lines.
    ands : tuple of (int, int)
        Inputs of the gates, whose variables come last.
    """

    inputs: int
    latches: int
    next_states: tuple[bytes, ...]
    bad: tuple[int, ...]
    constraints: tuple[int, ...]
    ands: tuple[tuple[int, int], ...]

    @classmethod
    def read(cls, text: bytes) -> "Model":
        """Read it."""
        header, _, rest = text.partition(b"\n")
        numbers = [*map(int, header.split()[1:]), 0, 0]
        _, inputs, latches, outputs, count, bad, constraints = numbers[:7]
        lines = []
        for _ in range(latches + outputs + bad + constraints):
            line, _, rest = rest.partition(b"\n")
            lines.append(line)
        ands, place = [], 0
        for number in range(count):
            left = 2 * (inputs + latches + number + 1)
            pair = []
            for _ in range(2):
                delta = shift = 0
                while True:
                    byte = rest[place]
                    place += 1
                    delta |= (byte & 127) << shift
                    shift += 7
                    if byte < 128:
                        break
                left -= delta
                pair.append(left)
            ands.append((pair[0], pair[1]))
        first = latches + outputs
        return cls(
            inputs,
            latches,
            tuple(lines[:latches]),
            tuple(map(int, lines[first : first + bad])),
            tuple(map(int, lines[first + bad :])),
            tuple(ands),
        )

    def fixed(self, values: dict[int, int], claims: list[int]) -> bytes:
        """Return the text with these inputs (by number, from 0) constant, and these claims."""
        put = {2 * (number + 1): value for number, value in values.items()}

        def literal(old: int) -> int:
            value = put.get(old & ~1)
            return old if value is None else value ^ old & 1

        gates = len(self.ands)
        most = self.inputs + self.latches + gates
        head = f"aig {most} {self.inputs} {self.latches} 0 {gates} {len(claims)}"
        lines = [f"{head} {len(self.constraints)}".encode()]
        for line in self.next_states:
            word, *more = line.split()
            lines.append(b" ".join([str(literal(int(word))).encode(), *more]))
        kept = [*(self.bad[claim] for claim in claims), *self.constraints]
        lines += [str(literal(word)).encode() for word in kept]
        text = bytearray(b"\n".join(lines) + b"\n")
        for number, pair in enumerate(self.ands):
            left = 2 * (self.inputs + self.latches + number + 1)
            for right in sorted(map(literal, pair), reverse=True):
                delta = left - right
                while delta > 127:
                    text.append(delta & 127 | 128)
                    delta >>= 7
                text.append(delta)
                left = right
        return bytes(text)
