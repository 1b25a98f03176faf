"""Sensors and schedules for programs, ready made: what is new, what is wrong, and what is done about it."""
