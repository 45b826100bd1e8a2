"""A whole system as one FMU of its own; see ``System.export_fmu``."""
