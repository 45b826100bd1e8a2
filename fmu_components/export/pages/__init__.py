"""Pages of documentation and icons, from declarations."""
