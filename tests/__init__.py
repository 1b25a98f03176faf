"""A package by this file, so that the `tests` which some packages install do not come before it."""
