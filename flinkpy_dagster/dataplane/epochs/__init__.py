"""An unbounded job as a streaming query of Spark: epochs, their offsets and commits."""
