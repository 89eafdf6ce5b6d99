// The table by keyboard: arrows go from piece to piece, Enter lifts one and lays it down, Space peeks under it, F turns it
// over. A lifted piece follows the arrows (with Shift by little); Escape lays it back where it was. Shift and Enter lift a
// whole pile. Only one piece at a time is a stop of the Tab key.

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const STEP_MM = 10;
const FINE_MM = 2;

export function keys(svg, pieces, send, seat) {
  let lifted = null;
  let peeking = null;
  let stop = null;
  let sorting = false;

  svg.addEventListener("keydown", (event) => {
    const id = pieceOf(event.target);
    const act = id !== null && !event.ctrlKey && !event.metaKey && !event.altKey && action(event, id);
    if (!act) return;
    event.preventDefault();
    if (!event.repeat || event.key in ARROWS) act();
  });
  svg.addEventListener("keyup", (event) => event.key === " " && lower());
  svg.addEventListener("focusin", ({ target }) => {
    const id = pieceOf(target);
    if (id !== null) only(id);
  });
  // Whoever leaves the table leaves nothing in the air.
  svg.addEventListener("focusout", () => {
    if (sorting) return;
    lower();
    if (lifted) lay(lifted.x, lifted.y);
  });

  function action(event, id) {
    if (event.key in ARROWS) return () => arrow(id, ARROWS[event.key], event.shiftKey ? FINE_MM : STEP_MM);
    if (event.key === "Enter") return () => (lifted ? lay(lifted.x, lifted.y) : lift(id, event.shiftKey));
    if (lifted) return event.key === "Escape" ? () => lay(lifted.from.x, lifted.from.y) : null;
    if (event.key === " ") return () => peek(id);
    return event.key.toLowerCase() === "f" ? () => send({ do: "flip", seat: seat(), piece: id }) : null;
  }

  function lift(id, pile) {
    const { x, y } = pieces.get(id).piece;
    lifted = { id, seat: seat(), x, y, from: { x, y } };
    send({ do: "take", seat: lifted.seat, piece: id, pile });
  }

  function lay(x, y) {
    const { seat: whose } = lifted;
    lifted = null;
    send({ do: "drop", seat: whose, x, y });
  }

  function arrow(id, [across, down], far) {
    if (!lifted) return next(id, across, down)?.focus();
    lifted.x += across * far;
    lifted.y += down * far;
    send({ do: "carry", seat: lifted.seat, x: lifted.x, y: lifted.y });
  }

  // The nearest piece that way; what lies aside counts as farther off.
  function next(id, across, down) {
    const from = pieces.get(id).piece;
    let found = null;
    for (const { piece, node } of pieces.values()) {
      const [x, y] = [piece.x - from.x, piece.y - from.y];
      const along = x * across + y * down;
      const far = along + 2 * Math.abs(x * down - y * across);
      if (along > 1 && far < (found?.far ?? Infinity)) found = { far, node };
    }
    return found?.node;
  }

  function peek(id) {
    peeking = { id, seat: seat() };
    send({ do: "peek", seat: peeking.seat, piece: id });
  }

  function lower() {
    if (!peeking) return;
    send({ do: "lower", seat: peeking.seat });
    peeking = null;
    svg.dispatchEvent(new Event("lowered"));
  }

  function only(id) {
    pieces.get(stop)?.node.setAttribute("tabindex", -1);
    stop = id;
    pieces.get(stop)?.node.setAttribute("tabindex", 0);
  }

  // There is always a stop, and whoever is on a piece stays on it when the pieces are put into another order.
  function keep(reorder) {
    const focused = svg.contains(document.activeElement) ? document.activeElement : null;
    sorting = true;
    reorder();
    if (!pieces.has(stop)) only(pieces.keys().next().value);
    if (lifted && !pieces.has(lifted.id)) lifted = null;
    if (focused?.isConnected && document.activeElement !== focused) focused.focus({ preventScroll: true });
    sorting = false;
  }

  // The hand could not take it.
  function forget(id) {
    if (lifted?.id === id) lifted = null;
    if (peeking?.id === id) peeking = null;
  }

  return { keep, forget, peeking: () => peeking?.id };
}

// The number of the piece to which a node belongs; null: to none.
export function pieceOf(node) {
  const found = node.closest("[data-piece]");
  return found && Number(found.dataset.piece);
}
