"""A subtask of a stage: its operators wired, its sources and sinks, where its results go."""
