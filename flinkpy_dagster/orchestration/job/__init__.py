"""One execution of a JobGraph within a Dagster run: regions, restarts, results, reports."""
