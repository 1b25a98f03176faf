"""The gateway's JSON, in Flink's shapes: pure functions of what is known of a job."""
