"""Flink's Dispatcher on a Dagster instance: the jobs there are, submission, requests to them, their results.

``jobs`` says which jobs there are; ``submission`` takes new ones; ``requests`` cancels, stops and makes savepoints.
"""
