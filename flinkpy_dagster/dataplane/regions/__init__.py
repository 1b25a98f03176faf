"""A region of bounded data as a Spark job: its plan, its passes, its stored results."""
