"""The plan of a co-simulation: abilities of instances, parts between communication points, and power at ports."""
