"""The ``flinkpy`` command: one module per action, ``main`` finds the action and turns errors into exit codes."""
