"""Instances that run: the plan compiled into the kernel, started, evaluated and recorded."""
