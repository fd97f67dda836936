"""The papers' experiments, run again: ``syncfabric reproduce``."""
