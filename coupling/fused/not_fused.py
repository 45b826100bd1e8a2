"""Where there is no graph."""


class NotFused(Exception):
    """Why a system is no single function of numbers: a sentence that names the instance."""
