"""Systems as SSP packages (System Structure and Parameterization 1.0), written and read."""
