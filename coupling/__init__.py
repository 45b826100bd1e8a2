"""Systems of many FMUs: connected, solved and integrated together."""
