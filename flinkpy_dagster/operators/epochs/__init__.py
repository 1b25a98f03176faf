"""Operators over several epochs: what is restored, fetched when touched, and written."""
