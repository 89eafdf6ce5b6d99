// A card for every display: the seat's own with its buttons, the table's without.

import { buttons } from "./buttons.js";
import { oled } from "./oled.js";
import { say } from "../shared/words.js";

export function seats(parent, send, onUse) {
  const screens = new Map();

  function setup({ displays }) {
    parent.replaceChildren();
    screens.clear();
    const order = [...displays].sort((a, b) => (a === "table" ? -1 : b === "table" ? 1 : a.localeCompare(b)));
    for (const name of order) parent.append(card(name));
  }

  function card(name) {
    const node = document.createElement("article");
    node.className = name === "table" ? "box card wide" : "box card";
    node.dataset.seat = name;
    const title = document.createElement("h2");
    title.textContent = { table: say("everybody"), shared: say("shared") }[name] ?? say("seat", { seat: name.toUpperCase() });
    const screen = oled(name, say("display", { name: title.textContent }));
    screens.set(name, screen);
    node.append(title, screen.canvas);
    if (name !== "table") node.append(buttons(name, send, onUse));
    return node;
  }

  return { setup, draw: (screen) => screens.get(screen.name)?.draw(screen) };
}
