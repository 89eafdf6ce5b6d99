"""Under which names the pages are served: none that a site elsewhere can point here."""

from __future__ import annotations

import pytest

from device.web.hosts import allowed, in_address, same_origin

NAMES = frozenset({"table.example", "my_table"})


@pytest.mark.parametrize(
    "host",
    [
        "10.0.0.5", "10.0.0.5:8140", "[::1]", "[fe80::1]:8140", "localhost:8139", "referee.local", "referee.local.:80",
        "REFEREE.LOCAL", "table.example", "Table.Example:443", "[fd00::5]:8443", "[fd00::5]", "my_table:8443",
    ],
)  # fmt: skip
def test_addresses_and_own_names(host: str) -> None:
    assert allowed(host, NAMES)


@pytest.mark.parametrize(
    "host",
    [
        "", "evil.example", "evil.example:8140", "10.0.0.5.evil.example", "local", "evillocal", "x@10.0.0.5",
        "10.0.0.5/; script-src *", "[::1", "10.0.0.5:80:80", "table.example.evil.example", "1.2.3", "\u00e4.local",
        "[1]", "[1.2.3.4]:80", "your_table:8443", "fd00::5",
    ],
)  # fmt: skip
def test_names_of_others_and_no_names(host: str) -> None:
    assert not allowed(host, NAMES)


@pytest.mark.parametrize(
    ("host", "there"), [("fd00::5", "[fd00::5]"), ("10.0.0.5", "10.0.0.5"), ("my_table", "my_table")]
)
def test_an_address_of_many_colons_stands_in_brackets(host: str, there: str) -> None:
    assert in_address(host) == there


def test_a_page_is_of_the_origin_that_served_it_or_of_none() -> None:
    assert same_origin("http://10.0.0.5:8140", "10.0.0.5:8140")
    assert same_origin("https://Table.example", "table.example"), "behind a proxy that speaks TLS"
    assert same_origin(None, "10.0.0.5:8140"), "no browser"
    assert not same_origin("http://10.0.0.5:8141", "10.0.0.5:8140"), "another seat's page"
    assert not same_origin("null", "10.0.0.5:8140")
    assert not same_origin("http://[", "10.0.0.5:8140")
