"""Experiments: of papers, for ``syncfabric reproduce``; of targets, for ``scripts/bench``."""
