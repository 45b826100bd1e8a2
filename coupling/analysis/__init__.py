"""What is found out about a system beside its motion in time."""
