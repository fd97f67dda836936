"""Set-up by managers, written from docs/microarchitecture-networks.md alone (N3 to N5)."""
