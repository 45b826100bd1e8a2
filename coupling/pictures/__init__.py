"""Pictures of results: plots, still pictures and pages that move. They read only records and call no FMU."""
