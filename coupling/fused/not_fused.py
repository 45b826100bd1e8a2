"""The error for systems without a graph."""


class NotFused(Exception):
    """An error that says why a system is no single function of numbers: a sentence that names the instance."""
