"""Verbs of the command ``jourdain`` that have a file of their own."""
