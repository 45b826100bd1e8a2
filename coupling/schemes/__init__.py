"""Schemes by which Co-Simulation instances are coupled, one per file."""
