"""Jobs of this process, as flinkpy run and env.execute() start them."""
