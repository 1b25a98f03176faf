"""Flink's REST API (v1) over the jobs of a Dagster instance. The only floor that imports starlette and uvicorn."""
