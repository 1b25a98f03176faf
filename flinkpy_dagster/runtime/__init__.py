"""Decides: states of jobs and tasks, slots, scheduling. Events in, instructions out; no threads, clock, files."""
