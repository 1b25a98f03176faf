"""Spark itself: sessions, workers and their code, files, errors."""
