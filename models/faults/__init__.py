"""Faults of links, as tests make them, and what software finds out about them."""
