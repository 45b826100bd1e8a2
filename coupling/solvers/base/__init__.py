"""Common parts of solvers."""
