"""Carries out on Dagster what ``runtime`` decides; the only floor that imports dagster."""
