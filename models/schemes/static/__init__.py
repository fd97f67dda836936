"""The schemes of paper Reflex on a static network: its own, ours, and the one it compares with."""
