"""Configuration: one table of options, and the object that holds their values."""

from flinkpy_dagster.config.configuration import Configuration
from flinkpy_dagster.config.option import HIGHEST_MAX_PARALLELISM, ConfigOption
from flinkpy_dagster.config.options import OPTIONS, option_of

__all__ = ["HIGHEST_MAX_PARALLELISM", "OPTIONS", "ConfigOption", "Configuration", "option_of"]
