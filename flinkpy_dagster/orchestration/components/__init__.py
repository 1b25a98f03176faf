"""Programs as components of ``dg``."""
