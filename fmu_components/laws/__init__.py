"""Laws that users give as formulas."""
