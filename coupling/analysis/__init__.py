"""Analysis of a system beside its motion in time: poses, equilibria, linear models and sensitivities."""
