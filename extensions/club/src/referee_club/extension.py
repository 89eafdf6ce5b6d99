"""Adds `referee club`."""

from __future__ import annotations

from device.extensions import Extension

extension = Extension("club", commands={"club": "referee_club.command"})
