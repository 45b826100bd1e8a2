"""Export of a whole system as one FMU; see ``System.export_fmu``."""
