"""Verbs of the command ``jourdain`` that have their own file."""
