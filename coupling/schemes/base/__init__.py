"""What coupling schemes have in common."""
