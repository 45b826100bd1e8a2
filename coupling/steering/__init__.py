"""Runs that the user advances piece by piece: reads, sets, saves and restores between the pieces."""
