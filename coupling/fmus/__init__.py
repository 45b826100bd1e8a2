"""An FMU as its files describe it, whatever tool wrote it."""
