"""The slot-sharing executor: steps of any Dagster job as threads over one Spark session."""
