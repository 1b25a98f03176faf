"""Keyed and broadcast state in memory, its descriptors, its time to live."""
