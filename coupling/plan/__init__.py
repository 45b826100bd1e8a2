"""A system as data: the connections, and the order in which values are passed on. No FMU runs here."""
