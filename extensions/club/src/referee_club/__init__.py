"""A club's host: keeps what its tables say in public, and shows it to the hall. Nothing ever goes to a table."""
