"""Common parts of coupling schemes."""
