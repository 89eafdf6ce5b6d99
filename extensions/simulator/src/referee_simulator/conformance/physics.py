"""Checks that a trace's moves and turns lead to its layout."""

from __future__ import annotations

from engine.table import Arrangement, Face, Layout, Piece, Spot, Trace, ZoneLayout


def faults(before: Layout, trace: Trace) -> tuple[str, ...]:
    """Return a trace's faults."""
    found = [f"nothing lies at {spot}" for spot in sorted(trace.handled) if before.at(spot) is None]
    if found:
        return tuple(found)
    for zone in trace.layout.zones:
        wanted = _after(before, trace, zone)
        if wanted is not None and not _agree(wanted, zone):
            found.append(f"{zone.zone}: {[_show(p) for p in wanted]} is not {[_show(p) for p in zone.pieces]}")
    return tuple(found)


def _after(before: Layout, trace: Trace, zone: ZoneLayout) -> list[Piece | None] | None:
    """Return a zone after the moves; None where not all pieces are listed."""
    if zone.order in (Arrangement.PILE, Arrangement.SPLAY):
        return None
    gone = {move.source for move in trace.moves}
    pieces = [_turn_piece(before, trace, Spot(zone.zone, index)) for index in range(len(before.zone(zone.zone).pieces))]
    if zone.order is Arrangement.CELLS:
        rest: list[Piece | None] = [None if Spot(zone.zone, i) in gone else p for i, p in enumerate(pieces)]
    else:
        rest = [p for i, p in enumerate(pieces) if Spot(zone.zone, i) not in gone]
    arrivals = sorted((m.target.index, m.source) for m in trace.moves if m.target and m.target.zone == zone.zone)
    for index, source in arrivals:
        piece = _turn_piece(before, trace, source) if source else zone.pieces[index]
        if zone.order is Arrangement.CELLS:
            rest[index] = piece
        else:
            rest.insert(index, piece)
    return rest


def _turn_piece(before: Layout, trace: Trace, spot: Spot) -> Piece | None:
    piece = before.at(spot)
    if piece is None or spot not in trace.turned:
        return piece
    return Piece(None, Face.DOWN if piece.face is Face.UP else Face.UP)


def _agree(wanted: list[Piece | None], zone: ZoneLayout) -> bool:
    if len(wanted) != len(zone.pieces):
        return False
    if zone.order is not Arrangement.AREA:
        return all(_same(a, b) for a, b in zip(wanted, zone.pieces, strict=True))
    left = list(zone.pieces)
    for piece in sorted(wanted, key=lambda p: p is not None and p.kind is None):
        match = next((other for other in left if _same(piece, other)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _same(wanted: Piece | None, found: Piece | None) -> bool:
    if wanted is None or found is None:
        return wanted is found
    shown_now = wanted.kind is None and wanted.face is Face.UP
    return wanted.face is found.face and (shown_now or wanted.kind == found.kind)


def _show(piece: Piece | None) -> str:
    return "-" if piece is None else f"{piece.kind}/{piece.face.value}"
