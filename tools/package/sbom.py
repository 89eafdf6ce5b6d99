"""The bill of materials (CycloneDX 1.6): libraries with licences and hashes, JavaScript, fonts, network, Debian's."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Iterator, Mapping
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
from tools.package.release import EXTENSIONS, ROOT, Release, project_of

OWN = "table-referee"
DATA = {
    "*.otf": ComponentType.FILE,
    "*.woff": ComponentType.FILE,
    "referee-text.json": ComponentType.FILE,
    "*.onnx": ComponentType.MACHINE_LEARNING_MODEL,
}
"""Files of our own packages that are no code: fonts, and the network that names pieces."""

VENDORED = {
    "htm.js": ("htm", "3.1.1", "Apache-2.0"),
    "nacl.js": ("tweetnacl", "1.0.3", "Unlicense"),
    "preact.js": ("preact", "11.2.0", "MIT"),
    "sha256.js": ("js-sha256", "1.0.0", "MIT"),
    "uqr.js": ("uqr", "0.1.3", "MIT"),
}
"""Programs of others in the pages: npm's name, version and licence of each file (NOTICE says who wrote them)."""


def bill(environment: Environment, release: Release, version: str, wheels: Path, at: int) -> bytes:
    """The bill as JSON. wheels: where the fetched files lie. at: seconds since 1970, the time that the bill carries."""
    bom, own = _begin_bom(environment.name, version, at)
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
    parts |= {f"file:{each.name}": each for each in _data([environment.packages])}
    bom.components.update(parts.values())
    everything: dict[str, Component] = {OWN: own, **parts}
    for name, each in found.items():
        needs = {canonicalize_name(Requirement(text).name) for text in each.requires or () if "extra ==" not in text}
        bom.register_dependency(everything[name], [everything[need] for need in sorted(needs & everything.keys())])
    return JsonV1Dot6(bom).output_as_string(indent=2).encode()


def bill_of_sources(files: Iterable[Path], fetched: Mapping[str, tuple[bytes, str]], version: str, at: int) -> bytes:
    """Return the bill, as JSON, of what is released but for Debian's packages, which have bills of their own.

    files: wheels, sources, and archives of the site and the recipe. fetched: what the site has from elsewhere, by
    package URL, with its licence. Libraries that pip installs are named by what the project asks for.
    """
    bom, own = _begin_bom("sources", version, at)
    every = [ROOT, *sorted(path.parent for path in ROOT.glob("extensions/*/pyproject.toml"))]
    asked = {text for each in every for text in project_of(each)["dependencies"] if not text.startswith(OWN)}
    parts = [_file(path.name, path.read_bytes()) for path in files]
    parts += [_unpinned_library(Requirement(text)) for text in sorted(asked)]
    parts += [_fetched_part(PackageURL.from_string(url), *each) for url, each in sorted(fetched.items())]
    parts += _data([ROOT, *sorted(ROOT.glob("extensions/*/src"))])
    bom.components.update(parts)
    bom.register_dependency(own, parts)
    return JsonV1Dot6(bom).output_as_string(indent=2).encode()


def _begin_bom(name: str, version: str, at: int) -> tuple[Bom, Component]:
    bom = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"{OWN}/{name}"))
    bom.metadata.timestamp = datetime.fromtimestamp(at, UTC)
    own = Component(
        name=OWN, version=version, type=ComponentType.APPLICATION, bom_ref=OWN, licenses=_licences("Apache-2.0")
    )
    bom.metadata.component = own
    return bom, own


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
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=each) for each in _file_digests(found, pin, wheels)],
    )


def _file_digests(found: metadata.Distribution, pin: lock.Pin, wheels: Path) -> Iterator[str]:
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


def _data(folders: Iterable[Path]) -> Iterator[Component]:
    """Yield what our own packages in these folders have that is no Python: fonts, the network, JavaScript of others."""
    brought = {path.name for path in ROOT.glob("extensions/*/src/*")}
    for folder in folders:
        for package in sorted({"config", "device", "vision", *brought}):
            for pattern, kind in DATA.items():
                for path in sorted((folder / package).rglob(pattern)):
                    yield _file(str(path.relative_to(folder)), path.read_bytes(), kind)
            for path in sorted((folder / package).glob("static/vendor/*.js")):
                name, version, licence = VENDORED[path.name]
                url = PackageURL("npm", name=name, version=version)
                yield _fetched_part(url, path.read_bytes(), licence)


def _unpinned_library(needed: Requirement) -> Component:
    """Return a library that pip installs, in a version of its choice, with the licence of the one that is tested."""
    about = metadata.distribution(needed.name).metadata.json
    url = PackageURL("pypi", name=canonicalize_name(needed.name))
    licences = _licences(_licence_of(about))
    return Component(name=needed.name, description=str(needed), purl=url, bom_ref=str(url), licenses=licences)


def _fetched_part(url: PackageURL, content: bytes, licence: str) -> Component:
    return Component(
        name=url.name,
        version=url.version,
        purl=url,
        bom_ref=str(url),
        licenses=_licences(licence),
        hashes=[_sha256(content)],
    )


def _file(name: str, content: bytes, kind: ComponentType = ComponentType.FILE) -> Component:
    return Component(name=name, type=kind, bom_ref=f"file:{name}", hashes=[_sha256(content)])


def _sha256(content: bytes) -> HashType:
    return HashType(alg=HashAlgorithm.SHA_256, content=hashlib.sha256(content).hexdigest())


def _licences(expression: str | None) -> list[License]:
    return [LicenseFactory().make_from_string(expression)] if expression else []


def _licence_of(about: dict[str, str | list[str]]) -> str | None:
    """What a library says in its metadata: as an expression, or else by a classifier or in words, if these are few."""
    said = about.get("license_expression")
    named = [each.rpartition(" :: ")[2] for each in about.get("classifier", ()) if each.startswith("License ::")]
    words = str(about.get("license", ""))
    return str(said) if said else next(iter(named), words if 0 < len(words) < 60 else None)
