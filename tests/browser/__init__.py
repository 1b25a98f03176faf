"""Dagster's UI, driven as people do."""
