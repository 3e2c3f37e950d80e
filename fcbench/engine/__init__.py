"""The run engine: plan and schedule; it yields attempts and never writes."""
