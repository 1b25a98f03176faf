"""Constants that PyFlink's modules export."""

MAX_LONG_VALUE = 0x7FFFFFFFFFFFFFFF
MIN_LONG_VALUE = -MAX_LONG_VALUE - 1
DEFAULT_OUTPUT_TAG = "__OUTPUT__"
__version__ = "2.3.0"  # of the PyFlink whose API this is
