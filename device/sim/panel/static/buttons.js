// Three buttons that are held down as long as a finger, or a key, holds them.

import { say } from "../shared/words.js";

const BUTTONS = [
  { button: "back", sign: "◀", key: "ArrowLeft" },
  { button: "next", sign: "▶", key: "ArrowRight" },
  { button: "choose", sign: "●", key: "Enter" },
];

export function buttons(panel, send, onUse) {
  const row = document.createElement("div");
  row.className = "buttons";
  for (const { button, sign } of BUTTONS) row.append(one(panel, button, sign, send, onUse));
  return row;
}

function one(panel, button, sign, send, onUse) {
  const element = document.createElement("button");
  element.type = "button";
  element.dataset.panel = panel;
  element.dataset.button = button;
  const mark = document.createElement("b");
  mark.textContent = sign;
  mark.setAttribute("aria-hidden", "true");
  element.append(mark, say(button));
  const { down, up } = contact(panel, button, send, element, onUse);
  element.addEventListener("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    down();
  });
  for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) element.addEventListener(kind, up);
  element.addEventListener("contextmenu", (event) => event.preventDefault());
  element.addEventListener("keydown", (event) => {
    if ((event.key === " " || event.key === "Enter") && !event.repeat) down();
  });
  element.addEventListener("keyup", up);
  element.addEventListener("blur", up);
  return element;
}

function contact(panel, button, send, element, onUse) {
  let held = false;
  const set = (now) => {
    if (held === now) return;
    held = now;
    element.classList.toggle("down", now);
    send({ do: now ? "press" : "release", panel, button });
    if (now) onUse?.(panel);
  };
  return { down: () => set(true), up: () => set(false) };
}

// Arrow keys and Enter press the buttons of whichever panel `current` names.
export function keyboard(current, send) {
  const held = new Map();
  addEventListener("keydown", (event) => {
    const found = BUTTONS.find(({ key }) => key === event.key);
    const busy = event.target instanceof Element && event.target.closest("input, button, summary, select, .piece");
    if (!found || busy || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    press(found.button, event.key);
  });
  addEventListener("keyup", (event) => release(event.key));
  addEventListener("blur", () => [...held.keys()].forEach(release));

  function press(button, key) {
    const panel = current();
    if (held.has(key) || !panel) return;
    held.set(key, { panel, button });
    send({ do: "press", panel, button });
    mark(panel, button, true);
  }

  function release(key) {
    const pressed = held.get(key);
    if (!pressed) return;
    held.delete(key);
    send({ do: "release", ...pressed });
    mark(pressed.panel, pressed.button, false);
  }

  function mark(panel, button, down) {
    document.querySelector(`[data-panel="${panel}"][data-button="${button}"]`)?.classList.toggle("down", down);
  }
}
