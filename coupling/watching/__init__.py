"""A page that shows a run while it is advanced, and sends inputs to it."""
