"""A system as data: who is connected with whom, in which order values are passed on. No FMU runs here."""
