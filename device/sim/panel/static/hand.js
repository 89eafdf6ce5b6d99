// A seat's hand of cards: drawn over the table, face up or face down, and taken back from it. Hidden until asked for.

import { named, picture } from "./pieces.js";
import { say } from "../shared/words.js";

export function tray(parent, send, seat, view) {
  const list = parent.querySelector(".cards");
  const count = parent.querySelector(".count");
  const show = parent.querySelector("#show");
  const down = parent.querySelector("#down");
  let hands = {};
  let shown = new Set();
  let grip = null;

  show.addEventListener("click", () => {
    const owner = seat();
    if (!shown.delete(owner)) shown.add(owner);
    draw();
  });

  function setup({ conceals, seat: own }) {
    down.checked = conceals;
    shown = new Set(own ? [own] : []);
  }

  function update(message) {
    ({ hands } = message);
    if (!grip) draw(); // a card that is under a finger stays where it is
  }

  function draw() {
    const owner = seat();
    const hand = hands[owner];
    parent.hidden = Object.keys(hands).length === 0;
    if (parent.hidden) return;
    const others = Object.entries(hands).filter(([name]) => name !== owner);
    const told = others.map(([name, { count: cards }]) => say("holds", { seat: name.toUpperCase(), count: cards }));
    parent.querySelector("h2").textContent = say("hand-of", { seat: owner.toUpperCase() });
    count.textContent = [say("cards", { count: hand?.count ?? 0 }), ...told].join(" · ");
    const open = shown.has(owner);
    show.textContent = say(open ? "hide" : "show");
    show.setAttribute("aria-pressed", String(open));
    list.replaceChildren(...(hand?.cards ?? []).map((card) => node(card, open)));
  }

  function node(card, open) {
    const element = document.createElement("button");
    element.type = "button";
    element.tabIndex = -1; // it is dragged: no key would do that
    element.className = "held-card";
    element.dataset.card = card.id;
    if (open) element.dataset.kind = card.kind;
    element.setAttribute("aria-label", open ? named(card.set, card.kind) : say("a-card"));
    element.style.setProperty("--shape", `${card.width} / ${card.height}`);
    const image = Object.assign(document.createElement("img"), { src: picture(card.set, open ? card.kind : null) });
    image.alt = "";
    image.draggable = false;
    element.append(image);
    element.addEventListener("pointerdown", (event) => take(event, card, element));
    return element;
  }

  function take(event, card, element) {
    if (grip || event.button > 0) return;
    event.preventDefault();
    const ghost = element.cloneNode(true);
    ghost.classList.add("ghost");
    ghost.style.width = `${element.offsetWidth}px`;
    grip = { card, element, ghost, seat: seat(), pointer: event.pointerId, brought: false };
    element.classList.add("away");
    document.body.append(ghost);
    follow(event);
  }

  // The card follows the pointer; once it is over the table, it is really there, and everybody sees it.
  function follow(event) {
    const over = view.contains(event.clientX, event.clientY);
    const place = view.at(event);
    grip.place = place;
    grip.over = over;
    if (over && !grip.brought) {
      grip.brought = true;
      send({ do: "bring", seat: grip.seat, card: grip.card.id, up: !down.checked, ...place });
    }
    grip.ghost.hidden = over;
    grip.ghost.style.transform = `translate(${event.clientX}px, ${event.clientY}px) translate(-50%, -50%)`;
    if (!grip.brought || grip.waiting) return;
    grip.waiting = requestAnimationFrame(() => {
      if (!grip) return;
      grip.waiting = 0;
      send({ do: "carry", seat: grip.seat, ...grip.place });
    });
  }

  function finish(event, lost = false) {
    if (!grip || event.pointerId !== grip.pointer) return;
    const done = grip;
    grip = null;
    done.ghost.remove();
    done.element.classList.remove("away");
    setTimeout(draw, 150);
    if (!done.brought) return;
    if (done.over && !lost) send({ do: "drop", seat: done.seat, ...done.place });
    else send({ do: "keep", seat: done.seat });
  }

  // The hand could not do it: the card is where it was.
  function refused({ card }) {
    if (!card || grip?.card.id !== card) return;
    grip.ghost.remove();
    grip = null;
    draw();
  }

  addEventListener("pointermove", (event) => grip && event.pointerId === grip.pointer && follow(event));
  addEventListener("pointerup", (event) => finish(event));
  addEventListener("pointercancel", (event) => finish(event, true));
  parent.addEventListener("contextmenu", (event) => event.preventDefault());

  // True if a piece that is let go of there goes into the hand.
  function takes(x, y) {
    const box = parent.getBoundingClientRect();
    return !parent.hidden && x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  }

  return { setup, update, draw, takes, refused };
}
