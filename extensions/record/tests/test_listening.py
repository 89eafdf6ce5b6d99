"""Who listens to a table's public socket believes nothing that the table's key did not sign, in its order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import msgspec
import pytest

from referee_record import listening
from referee_record.listening import Doubt, Forged, Gap, Listener, Nonsense, OtherKey
from referee_record.public_entries import FORMAT, Head, Link, Opening, Signed, heads
from referee_record.public_frames import Frame, Glance, Said, Silent, Standing
from referee_record.signed_record import SignedRecord
from referee_record.stream import Signer
from tools.tampering import Honest, load_game, make_honest

replace = msgspec.structs.replace


def match(format: int = FORMAT, seed: str = "listening") -> Honest:
    return make_honest(load_game("tellstones"), Random(seed), format)


def live(honest: Honest) -> tuple[list[Signed], list[Standing]]:
    """Each link with its signature as the table says it, and where the match stood then."""
    signer, links, stood = Signer(honest.key, honest.about.format), list[Signed](), list[Standing]()
    for body in honest.bodies:
        links.append(signer.sign(body))
        stood.append(Standing(links[0], links[-1], signer.before.hex(), signer.standing()))
    return links, stood


def head(honest: Honest, n: int = -1) -> Head:
    return tuple(heads(live(honest)[0]))[n]


def heard(listener: Listener, *frames: Frame) -> list[Signed | Glance | None]:
    return [listener.take(msgspec.json.encode(frame)) for frame in frames]


@pytest.mark.parametrize("format", [1, FORMAT])
def test_all_that_the_key_signed_is_heard(format: int) -> None:
    honest = match(format)
    links, _ = live(honest)
    listener = Listener(honest.key.public)
    assert heard(listener, *map(Said, links)) == links
    assert listener.head == head(honest)
    assert listener.opening == honest.record.opening


@pytest.mark.parametrize("format", [1, FORMAT])
@pytest.mark.parametrize("at", [0, 3])
def test_who_comes_late_goes_on_from_where_the_match_stands(format: int, at: int) -> None:
    honest = match(format)
    links, stood = live(honest)
    listener = Listener()
    assert heard(listener, stood[at]) == [None]
    assert listener.head == head(honest, at)
    assert heard(listener, *map(Said, links[at + 1 :])) == links[at + 1 :]
    assert listener.head == head(honest)


def test_a_gap_is_told_with_what_is_missing() -> None:
    links, stood = live(match())
    listener = Listener()
    heard(listener, *map(Said, links[:3]))
    with pytest.raises(Gap, match="link 3 was missed") as gap:
        heard(listener, Said(links[4]))
    assert (gap.value.first, gap.value.last) == (3, 3)
    assert heard(listener, Said(links[3]), Said(links[4])) == links[3:5]
    with pytest.raises(Gap, match="links 5 to 6 were missed"):
        heard(listener, stood[6])
    assert heard(listener, Said(links[7])) == [links[7]], "it goes on from where the match stands"
    with pytest.raises(Gap, match="links 0 to 2 were missed"):
        heard(Listener(), Said(links[3]))


def test_another_tables_key_is_refused_from_the_first_frame_on() -> None:
    ours, theirs = match(), match(seed="another table")
    links, stood = live(theirs)
    for listener in (Listener(ours.key.public), Listener()):
        heard(listener, *map(Said, live(ours)[0][:2]))
        for frame in (Said(links[0]), stood[2]):
            with pytest.raises(OtherKey):
                heard(listener, frame)
        assert heard(listener, Said(live(ours)[0][2])) != [None], "nothing of it was taken"


def changed(links: Sequence[Signed], stood: Standing) -> list[Frame]:
    """Frames in place of the third link and of where the match stands after it, none of which the key signed."""
    third, opening = links[2], links[0].body
    assert isinstance(third.body, Link)
    assert isinstance(opening, Opening)
    return [
        Said(replace(third, body=replace(third.body, told=("Seat B wins.",)))),
        Said(replace(third, body=replace(third.body, clauses=("T1",)))),
        Said(replace(third, signature=links[1].signature)),
        Said(replace(third, signature="")),
        Said(replace(third, signature="no digits")),
        Said(links[1]),
        Said(replace(links[0], body=replace(opening, commitment="0" * 64))),
        replace(stood, before="0" * 64),
        replace(stood, opening=replace(links[0], body=replace(opening, table="Another"))),
        replace(stood, last=replace(third, body=replace(third.body, n=5))),
        replace(stood, signature=third.signature),
        replace(stood, signature=""),
    ]


@pytest.mark.parametrize("n", range(12))
def test_what_the_key_did_not_sign_is_refused_and_nothing_of_it_taken(n: int) -> None:
    honest = match()
    links, stood = live(honest)
    for listener in (Listener(honest.key.public), Listener()):
        heard(listener, *map(Said, links[:2]))
        with pytest.raises(Forged):
            heard(listener, changed(links, stood[2])[n])
        assert heard(listener, *map(Said, links[2:])) == links[2:]


def test_a_table_that_says_something_else_than_before_is_found_though_its_key_signed_it() -> None:
    """As a dishonest owner would, who goes back in the match, or plays it again under the same name."""
    honest = match()
    links, stood = live(honest)
    listener = Listener()
    heard(listener, *map(Said, links[:4]))
    with pytest.raises(Forged, match="is said to stand at link 1"):
        heard(listener, stood[1])
    with pytest.raises(Forged, match="something else before"):
        heard(listener, live(otherwise(honest, 2))[1][3])
    assert heard(listener, Said(links[4])) == [links[4]]


def otherwise(honest: Honest, n: int) -> Honest:
    """A match of the same name, signed by the same key, of which one link says something else."""
    bodies, entries = honest.bodies, honest.entries
    body = bodies[n]
    told = ("Something else.",)
    bodies[n] = replace(body, told=told) if isinstance(body, Link) else replace(body, commitment="0" * 64)
    return replace(honest, record=SignedRecord(tuple(map(Signed, bodies)), honest.record.salt, entries))


def named(honest: Honest, match: str) -> Honest:
    """The same match under another name, signed by the same key."""
    first, *rest = honest.bodies
    assert isinstance(first, Opening)
    bodies = [replace(first, match=match), *rest]
    return replace(honest, record=SignedRecord(tuple(map(Signed, bodies)), honest.record.salt, honest.entries))


BETWEEN: tuple[Callable[[Honest], Sequence[Frame]], ...] = (
    lambda _: (),
    lambda _: (Silent(),),
    lambda honest: tuple(map(Said, live(named(honest, "8" * 32))[0][:3])),
    lambda honest: (live(named(honest, "8" * 32))[1][5], Silent()),
)


@pytest.mark.parametrize("between", BETWEEN, ids=["nothing", "silence", "another match", "both"])
def test_what_was_heard_counts_whatever_comes_between(between: Callable[[Honest], Sequence[Frame]]) -> None:
    honest = match()
    links, stood = live(honest)
    for again, why in (
        (stood[3], "is said to stand at link 3"),
        (stood[0], "is said to stand at link 0"),
        (Said(live(otherwise(honest, 0))[0][0]), "something else before"),
        (live(otherwise(honest, 0))[1][7], "something else before"),
        (live(otherwise(honest, 2))[1][4], "something else before"),
    ):
        listener = Listener(honest.key.public)
        heard(listener, *map(Said, links[:5]), *between(honest))
        with pytest.raises(Forged, match=why):
            heard(listener, again)
        assert heard(listener, stood[4], Said(links[5])) == [None, links[5]]
    listener = Listener(honest.key.public)
    heard(listener, *map(Said, links[:6]), *between(honest))
    with pytest.raises(Gap, match="links 6 to 7 were missed"):
        heard(listener, stood[7])


@pytest.mark.parametrize("format", [1, FORMAT])
@pytest.mark.parametrize("known", [0, 1, 4])
def test_who_comes_anew_is_told_all_again_and_hears_what_is_new(format: int, known: int) -> None:
    """As the table says it: where the match stands, all of it from the opening on, and then what follows."""
    links, stood = live(match(format))
    listener = Listener()
    heard(listener, *map(Said, links[:known]))
    if known:
        with pytest.raises(Gap, match=f"links {known} to 6 were missed"):
            heard(listener, stood[6])
    else:
        heard(listener, stood[6])
    assert listener.head == Head(6, tuple(heads(links))[6].hash)
    assert heard(listener, *map(Said, links)) == [None] * known + links[known:]
    assert heard(listener, stood[-1], *map(Said, links)) == [None] * (len(links) + 1)


def test_an_end_of_what_is_said_again_is_no_end_of_what_was_heard() -> None:
    """The reader was cut off in between, and the table was silent."""
    links, stood = live(match())
    listener = Listener()
    assert heard(listener, stood[5], *map(Said, links[:3])) == [None, *links[:3]]
    assert heard(listener, Silent(), stood[5], *map(Said, links[:7])) == [None] * 5 + links[3:7]
    assert listener.head == tuple(heads(links))[6]


def test_what_is_said_again_otherwise_is_found_where_it_was_heard_last() -> None:
    honest = match()
    links, _ = live(honest)
    other, _ = live(otherwise(honest, 2))
    listener = Listener()
    heard(listener, *map(Said, links[:5]))
    assert heard(listener, *map(Said, other[:4])) == [None] * 4, "nothing of it is taken for new"
    with pytest.raises(Forged, match="something else before, up to link 4"):
        heard(listener, Said(other[4]))
    assert listener.head == tuple(heads(links))[4]
    assert heard(listener, *map(Said, links[:6])) == [None] * 5 + [links[5]]


def test_of_many_matches_the_last_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "MATCHES", 3)
    honest, listener = match(), Listener()
    names = [str(n) * 32 for n in range(4)]
    for name in names:
        heard(listener, *map(Said, live(named(honest, name))[0][:2]))
    with pytest.raises(Forged):
        heard(listener, live(named(honest, names[1]))[1][0])
    assert heard(listener, live(named(honest, names[0]))[1][0]) == [None], "of more than that the first is forgotten"


def test_a_link_of_one_match_proves_nothing_of_another_by_the_same_table() -> None:
    """Else who passes it on could have a head noted under another match, or an honest table taken for a forger."""
    one, two = match(), named(match(), "8" * 32)
    (_, here), (_, there) = live(one), live(two)
    for signature in (here[4].signature, there[4].signature):
        with pytest.raises(Forged):
            heard(Listener(one.key.public), replace(there[4], opening=here[4].opening, signature=signature))


def test_the_first_link_that_stands_is_the_opening_itself() -> None:
    _, stood = live(match())
    for frame in (replace(stood[0], last=live(match(seed="another"))[0][0]), replace(stood[0], before="00")):
        with pytest.raises(Forged, match="opening of another one"):
            heard(Listener(), frame)


def test_where_a_match_stands_is_proved_with_the_number_of_its_link() -> None:
    """Else who passes it on could have an honest table's head noted under another number."""
    links, stood = live(match())
    for n in (1, 3):
        body = links[2].body
        assert isinstance(body, Link)
        moved = replace(stood[2], last=replace(links[2], body=replace(body, n=n)))
        with pytest.raises(Forged):
            heard(Listener(), moved)


def test_a_glance_is_passed_on_as_it_came_and_changes_nothing_of_what_was_heard() -> None:
    links, _ = live(match())
    listener = Listener()
    glance = Glance("Tellstones", "7" * 32, (), "A's turn", (), (), False, "", "ok", "")
    assert heard(listener, glance, Said(links[0]), glance, Said(links[1])) == [glance, links[0], glance, links[1]]


def test_a_silent_table_has_no_match() -> None:
    links, _ = live(match())
    listener = Listener()
    heard(listener, *map(Said, links[:2]), Silent())
    assert (listener.opening, listener.head) == (None, None)
    with pytest.raises(Gap):
        heard(listener, Said(links[2]))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[" * 3000,
        b'{"is":"sung"}',
        b'{"is":"said"}',
        b'{"is":"silent","more":1}',
        b"\xff",
    ],
)
def test_what_is_no_frame_is_told_of(data: bytes) -> None:
    with pytest.raises(Nonsense, match="no frame"):
        Listener().take(data)


@pytest.mark.thorough
def test_whatever_is_done_to_a_frame_it_is_heard_as_it_was_signed_or_not_at_all() -> None:
    honest = match()
    links, stood = live(honest)
    own, rng, refused = tuple(heads(links)), Random("frames"), 0
    for trial in range(400):
        n = rng.randrange(1, len(links))
        listener = Listener(honest.key.public)
        heard(listener, *map(Said, links[:n]))
        frame: Frame = Said(links[n]) if trial % 2 else stood[n]
        data = bytearray(msgspec.json.encode(frame))
        at = rng.randrange(len(data))
        data[at : at + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
        try:
            found = listener.take(bytes(data))
        except Doubt as doubt:
            refused += not isinstance(doubt, Gap)
        else:
            assert found in (links[n], None)
        assert listener.head in (own[n - 1], own[n])
    assert refused > 200


def test_a_later_version_and_a_key_that_is_none_are_told_of() -> None:
    links, stood = live(match())
    first = links[0].body
    assert isinstance(first, Opening)
    for body, why in (
        (replace(first, format=99), "update table-referee"),
        (replace(first, key="zz"), "the table's key is none"),
    ):
        with pytest.raises(Nonsense, match=why):
            heard(Listener(), Said(replace(links[0], body=body)))
    for before in ("no digits", "", "00" * 33):
        with pytest.raises(Nonsense, match="64 hexadecimal digits"):
            heard(Listener(), replace(stood[2], before=before))
    with pytest.raises(Nonsense, match="no opening"):
        heard(Listener(), replace(stood[2], opening=links[1]))
    assert issubclass(Nonsense, Doubt)
