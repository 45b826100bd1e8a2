"""Solvers that integrate a system in time, one per file."""
