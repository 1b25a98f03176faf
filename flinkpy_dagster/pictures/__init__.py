"""Pictures of jobs as SVG: the JobGraph, who was in which slot when, how checkpoints went. Standard library only."""
