"""Runs the owner's tasks: claiming the table, first run, enrolment, checks and settings."""
