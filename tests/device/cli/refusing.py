"""What the command line says when it cannot do what it is asked."""

from __future__ import annotations

import io
import os
import sys
from contextlib import redirect_stderr
from unittest.mock import patch

import pytest

from device.cli import main


def refused(*arguments: str) -> str:
    """What `referee` with these arguments says on standard error before it ends with exit code 2."""
    with (
        patch.dict(os.environ),
        patch.object(sys, "argv", ["referee", *arguments]),
        redirect_stderr(io.StringIO()) as said,
        pytest.raises(SystemExit) as ended,
    ):
        main()
    assert ended.value.code == 2, said.getvalue()
    return said.getvalue()
