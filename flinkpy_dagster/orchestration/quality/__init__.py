"""Great Expectations: suites as asset checks and as gates. The only folder that imports great_expectations."""
