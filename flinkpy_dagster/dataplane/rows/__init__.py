"""Values as rows of Spark: columns, wire rows, records, and back."""
