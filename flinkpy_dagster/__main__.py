"""``python -m flinkpy_dagster``: the same as the ``flinkpy`` command."""

import sys

from flinkpy_dagster.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
