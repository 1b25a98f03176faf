"""Program files: executing one as ``python`` would, and what ``import pyflink`` means to it."""
