"""Tables and statistics over packages."""
