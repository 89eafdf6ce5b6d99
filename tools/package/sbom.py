"""The bill of materials (CycloneDX 1.6): libraries with licences and hashes, fonts, network, packages of Debian."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from cyclonedx.factory.license import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import License
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.package import lock
from tools.package.environment import Environment
from tools.package.release import EXTENSIONS, Release

OWN = "table-referee"
DATA = {
    "*.otf": ComponentType.FILE,
    "*.woff": ComponentType.FILE,
    "referee-text.json": ComponentType.FILE,
    "*.onnx": ComponentType.MACHINE_LEARNING_MODEL,
}
"""Files of our own packages that are no code: fonts, and the network that names pieces."""


def bill(environment: Environment, release: Release, version: str, wheels: Path, at: int) -> bytes:
    """The bill as JSON. wheels: where the fetched files lie. at: seconds since 1970, the time that the bill carries."""
    bom = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"{OWN}/{environment.name}"))
    bom.metadata.timestamp = datetime.fromtimestamp(at, UTC)
    bom.metadata.component = Component(
        name=OWN, version=version, type=ComponentType.APPLICATION, bom_ref=OWN, licenses=_licences("Apache-2.0")
    )
    found: dict[str, metadata.Distribution] = {
        canonicalize_name(each.name): each for each in metadata.distributions(path=[str(environment.packages)])
    }
    pins: dict[str, lock.Pin] = {canonicalize_name(pin.name): pin for pin in lock.read(release.lock)}
    extensions = {f"{OWN}-{extension.name}" for extension in EXTENSIONS}
    parts: dict[str, Component] = {
        name: _extension(each) if name in extensions else _library(each, pins[name], wheels)
        for name, each in sorted(found.items())
        if name != OWN
    }
    parts |= {f"deb:{each}": each for each in _from_debian(release)}
    parts |= {f"file:{each.name}": each for each in _data(environment.packages)}
    bom.components.update(parts.values())
    everything: dict[str, Component] = {OWN: bom.metadata.component, **parts}
    for name, each in found.items():
        needs = {canonicalize_name(Requirement(text).name) for text in each.requires or () if "extra ==" not in text}
        bom.register_dependency(everything[name], [everything[need] for need in sorted(needs & everything.keys())])
    return JsonV1Dot6(bom).output_as_string(indent=2).encode()


def _extension(found: metadata.Distribution) -> Component:
    """Return an extension, which is built from the same checkout."""
    return Component(name=found.name, version=found.version, bom_ref=found.name, licenses=_licences("Apache-2.0"))


def _library(found: metadata.Distribution, pin: lock.Pin, wheels: Path) -> Component:
    about = found.metadata.json
    return Component(
        name=pin.name,
        version=pin.version,
        bom_ref=f"{pin.name}=={pin.version}",
        purl=PackageURL("pypi", name=pin.name, version=pin.version),
        description=str(about.get("summary", "")) or None,
        licenses=_licences(_licence_of(about)),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=each) for each in _fetched(found, pin, wheels)],
    )


def _fetched(found: metadata.Distribution, pin: lock.Pin, wheels: Path) -> Iterator[str]:
    """The SHA-256 of the file that a library was unpacked from, or built from: of several machines' wheels, its own."""
    tags = [line.split()[1] for line in (found.read_text("WHEEL") or "").splitlines() if line.startswith("Tag:")]
    platforms = {tag.rpartition("-")[2] for tag in tags}
    for path in sorted(wheels.iterdir()):
        name, _, rest = path.name.partition("-")
        if canonicalize_name(name) == canonicalize_name(pin.name) and rest.startswith(pin.version):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            if content in pin.hashes and (path.suffix == ".gz" or platforms & set(_platforms(path))):
                yield content


def _platforms(wheel: Path) -> list[str]:
    return wheel.stem.rpartition("-")[2].split(".")


def _from_debian(release: Release) -> Iterator[Component]:
    for text in sorted({each.split()[0] for each in release.depends}):
        where = PackageURL("deb", "debian", text, qualifiers={"distro": release.name})
        yield Component(name=text, type=ComponentType.LIBRARY, bom_ref=f"deb:{text}", purl=where)


def _data(packages: Path) -> Iterator[Component]:
    brought = (path.name for extension in EXTENSIONS for path in (extension / "src").iterdir())
    for folder in ("device", "vision", *brought):
        for pattern, kind in DATA.items():
            for path in sorted((packages / folder).rglob(pattern)):
                content = HashType(alg=HashAlgorithm.SHA_256, content=hashlib.sha256(path.read_bytes()).hexdigest())
                name = str(path.relative_to(packages))
                yield Component(name=name, type=kind, bom_ref=f"file:{name}", hashes=[content])


def _licences(expression: str | None) -> list[License]:
    return [LicenseFactory().make_from_string(expression)] if expression else []


def _licence_of(about: dict[str, str | list[str]]) -> str | None:
    """What a library says in its metadata: as an expression, or else by a classifier or in words, if these are few."""
    said = about.get("license_expression")
    named = [each.rpartition(" :: ")[2] for each in about.get("classifier", ()) if each.startswith("License ::")]
    words = str(about.get("license", ""))
    return str(said) if said else next(iter(named), words if 0 < len(words) < 60 else None)
