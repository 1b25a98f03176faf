"""The routes, by what they are about: declarations and short handlers."""
