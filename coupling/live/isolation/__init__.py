"""The processes of FMUs and of runs, and the endings of runs that lose one."""
