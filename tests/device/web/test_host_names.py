"""Under which names the pages are served: none that a site elsewhere can point here."""

from __future__ import annotations

import pytest

from device.web.host_names import in_address, is_allowed, same_origin

NAMES = frozenset({"table.example", "my_table", "referee.local"})


@pytest.mark.parametrize(
    "host",
    [
        "10.0.0.5", "10.0.0.5:8140", "[::1]", "[fe80::1]:8140", "localhost:8139", "referee.local", "referee.local.:80",
        "REFEREE.LOCAL", "table.example", "Table.Example:443", "[fd00::5]:8443", "[fd00::5]", "my_table:8443",
        "referee-2.local:8140",
    ],
)  # fmt: skip
def test_addresses_and_own_names(host: str) -> None:
    assert is_allowed(host, NAMES)


@pytest.mark.parametrize(
    "host",
    [
        "", "evil.example", "evil.example:8140", "10.0.0.5.evil.example", "local", "evillocal", "x@10.0.0.5",
        "10.0.0.5/; script-src *", "[::1", "10.0.0.5:80:80", "table.example.evil.example", "1.2.3", "\u00e4.local",
        "[1]", "[1.2.3.4]:80", "your_table:8443", "fd00::5",
        "evil.local", "evil.local:8140", "evil-referee.local", "referee-x.local", "referee.local.evil.local",
        "table-2.example",
    ],
)  # fmt: skip
def test_names_of_others_and_no_names(host: str) -> None:
    assert not is_allowed(host, NAMES)


@pytest.mark.parametrize(
    ("host", "there"), [("fd00::5", "[fd00::5]"), ("10.0.0.5", "10.0.0.5"), ("my_table", "my_table")]
)
def test_an_address_of_many_colons_stands_in_brackets(host: str, there: str) -> None:
    assert in_address(host) == there


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("https://localhost:8443", "localhost"),
        ("https://table.example:9000", "table.example"),
        ("https://table.example", "table.example:443"),
        ("https://table.example", "table.example:80"),
        ("http://table.example:80", "table.example"),
        ("https://table.example:443", "Table.Example."),
        ("https://[fd00::5]:8443", "[fd00::5]"),
        ("https://[fd00::5]", "[fd00::5]:443"),
        ("http://[fd00::5]:8140", "[fd00::5]:8140"),
    ],
)
def test_a_proxy_may_leave_out_a_port_or_write_the_usual_one(origin: str, host: str) -> None:
    assert same_origin(origin, host)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("https://evil.example", "table.example"),
        ("https://evil.example:443", "table.example:443"),
        ("https://table.example.evil.example", "table.example"),
        ("http://localhost:8141", "localhost:8140"),
        ("http://localhost", "localhost:8140"),
        ("http://[fd00::5]:8141", "[fd00::5]:8140"),
        ("http://[fd00::6]", "[fd00::5]"),
        ("https://table.example:99999", "table.example"),
        ("ftp://table.example", "table.example"),
        ("null", "null"),
        ("", ""),
    ],
)
def test_another_name_or_another_port_is_another_page(origin: str, host: str) -> None:
    assert not same_origin(origin, host)


def test_a_page_is_of_the_origin_that_served_it_or_of_none() -> None:
    assert same_origin("http://10.0.0.5:8140", "10.0.0.5:8140")
    assert same_origin("https://Table.example", "table.example"), "behind a proxy that speaks TLS"
    assert same_origin(None, "10.0.0.5:8140"), "no browser"
    assert not same_origin("http://10.0.0.5:8141", "10.0.0.5:8140"), "another seat's page"
    assert not same_origin("null", "10.0.0.5:8140")
    assert not same_origin("http://[", "10.0.0.5:8140")
