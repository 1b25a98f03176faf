"""The example code location."""
