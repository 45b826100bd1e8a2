"""A system of own components as one function of numbers: an expression graph, its stages, and programs made from it."""
