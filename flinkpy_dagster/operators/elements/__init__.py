"""Operators on elements: map and its kin, keyed and process functions, joins, asynchronous functions."""
