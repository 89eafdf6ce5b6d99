"""A club's host: keeps what its tables say in public, and shows it to the hall. Nothing ever goes to a table."""

from device.extensions import Extension

extension = Extension("club", commands={"club": "referee_club.command"})
