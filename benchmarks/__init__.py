"""Speed beside hand-written PySpark and PyFlink: ``python -m benchmarks`` or ``python -m benchmarks.keyed_reduce``."""
