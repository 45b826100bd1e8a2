"""Equations of motion as expressions of SymPy, from the declarations of components."""
