"""The words of a declaration: what a component file imports."""
