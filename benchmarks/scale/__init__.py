"""What gives out first when jobs are large: the parts that one process decides or writes down, each alone."""
