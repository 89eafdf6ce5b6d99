"""The adapter against the real picamera2: its source is read, for it cannot be imported without libcamera.

`make test` installs the package without what it needs. Where it cannot be had these tests are skipped.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import vision.cameras.picamera as adapter
from tests.vision.cameras import chip as fakes
from vision.camera import CameraLost
from vision.cameras import CameraSpec
from vision.cameras.picamera import PiCamera, lores_size

FOUND = importlib.util.find_spec("picamera2")
pytestmark = pytest.mark.skipif(FOUND is None, reason="picamera2 is not installed: make test does it")

OBJECTS = {"self._camera": "Picamera2", "camera": "Picamera2", "request": "CompletedRequest"}
"""What the adapter calls the real package's objects."""


def real(module: str) -> Path:
    assert FOUND is not None
    assert FOUND.origin is not None
    return Path(FOUND.origin).with_name(f"{module}.py")


def pure(module: str) -> ModuleType:
    """A module of the package that needs nothing else, without the package around it."""
    spec = importlib.util.spec_from_file_location(module, real(module))
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def signatures(module: str, name: str) -> dict[str, inspect.Signature]:
    """Of every method of a class in the package's source, by name; `self` included."""
    tree = ast.parse(real(module).read_text())
    (found,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    methods = [node for node in found.body if isinstance(node, ast.FunctionDef)]
    return {
        node.name: signature(node.args) for node in methods if "overload" not in map(ast.unparse, node.decorator_list)
    }


def signature(given: ast.arguments) -> inspect.Signature:
    kinds = inspect.Parameter
    plain = [*given.posonlyargs, *given.args]
    required = len(plain) - len(given.defaults)
    parameters = [
        kinds(one.arg, kinds.POSITIONAL_OR_KEYWORD, default=kinds.empty if number < required else None)
        for number, one in enumerate(plain)
    ]
    parameters += [kinds(given.vararg.arg, kinds.VAR_POSITIONAL)] if given.vararg else []
    parameters += [kinds(one.arg, kinds.KEYWORD_ONLY, default=None) for one in given.kwonlyargs]
    parameters += [kinds(given.kwarg.arg, kinds.VAR_KEYWORD)] if given.kwarg else []
    return inspect.Signature(parameters)


def package() -> dict[str, dict[str, inspect.Signature]]:
    return {
        "Picamera2": signatures("picamera2", "Picamera2"),
        "CompletedRequest": signatures("request", "CompletedRequest"),
    }


def calls() -> Iterator[tuple[str, str, ast.Call]]:
    """Every call of the adapter to the package: class, method, call."""
    for node in ast.walk(ast.parse(inspect.getsource(adapter))):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Attribute) and (owner := OBJECTS.get(ast.unparse(node.func.value))):
            yield owner, node.func.attr, node
        elif ast.unparse(node.func) == "Picamera2":
            yield "Picamera2", "__init__", node


def test_every_call_of_the_adapter_fits_the_real_signature() -> None:
    known, made = package(), list(calls())
    assert {method for _, method, _ in made} >= {
        *("__init__", "configure", "start", "close", "set_controls", "create_video_configuration"),
        *("capture_request", "capture_metadata", "make_array", "get_metadata", "release"),
    }
    for owner, method, call in made:
        named = {word.arg: word for word in call.keywords if word.arg is not None}
        known[owner][method].bind("self", *call.args, **named)


@pytest.mark.parametrize(("fake", "owner"), [(fakes.Picamera2, "Picamera2"), (fakes.Request, "CompletedRequest")])
def test_the_fake_takes_nothing_that_the_real_one_does_not(fake: type, owner: str) -> None:
    for name, method in inspect.getmembers(fake, inspect.isfunction):
        if name.startswith("_") and not (owner == "Picamera2" and name == "__init__"):
            continue  # Its own affair; and a request is made by picamera2 itself.
        there, here = package()[owner][name].parameters, inspect.signature(method).parameters
        assert list(here) == [parameter for parameter in there if parameter in here]


def test_what_is_read_of_it_is_there() -> None:
    """Attributes, and what the modes of a sensor are made of."""
    assert {"sensor_modes", "camera_controls"} <= set(package()["Picamera2"])
    for word in ("size", "bit_depth", "crop_limits"):
        assert f'["{word}"]' in real("picamera2").read_text()
    assert "{'bit_depth', 'output_size'}" in real("picamera2").read_text()


def test_the_streams_have_formats_and_sizes_that_it_takes() -> None:
    formats = pure("formats")
    camera = PiCamera(CameraSpec("picamera2", "0"))
    camera._camera = fakes.Picamera2()
    asked = camera._configuration()
    assert formats.is_RGB(asked["main"]["format"])
    assert formats.is_YUV(asked["lores"]["format"]), "the Pi 4 and its elders scale down to YUV alone"
    assert all(edge % 2 == 0 for edge in lores_size(1640, 1232))


def test_waiting_too_long_is_the_error_that_the_adapter_takes_for_a_lost_camera() -> None:
    job = pure("job").Job([lambda: (False, None)])
    with pytest.raises(TimeoutError):
        job.get_result(timeout=0.01)


def test_without_libcamera_it_is_lost_and_says_so() -> None:
    if importlib.util.find_spec("libcamera") is not None:
        pytest.skip("libcamera is there")
    with pytest.raises(CameraLost, match="apt install python3-picamera2"):
        PiCamera(CameraSpec("picamera2", "0")).open()
