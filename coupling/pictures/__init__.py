"""What results look like: plots, still pictures and pages that move. It reads records alone; no FMU is asked."""
