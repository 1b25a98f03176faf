"""Windows: assigners, triggers, evictors, the operator for any window and the fast ones."""
