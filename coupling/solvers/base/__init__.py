"""What solvers have in common."""
