"""Unbounded jobs in Dagster: where they go on, checkpoints as assets, requests to them."""
