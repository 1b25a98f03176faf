"""What must hold of what the programs write: expectations, as ``expect()`` and ``expect_state()`` give them."""

CHECKS = ()
