"""The papers' latency formulas."""
