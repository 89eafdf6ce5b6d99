// The operator's page: every display, the table, the camera, the scene.

import { keyboard } from "./buttons.js";
import { camera } from "../shared/camera.js";
import { tray } from "./hand.js";
import { connect } from "../shared/link.js";
import { scene } from "./scene.js";
import { seats } from "./seats.js";
import { table } from "./table.js";
import { told } from "./told.js";

const find = (id) => document.getElementById(id);
let hand = "a";

const send = connect(
  {
    hello: (message) => {
      offer(message.seats);
      cards.setup(message);
      view.setup(message);
      held.setup(message);
    },
    table: ({ pieces }) => view.update(pieces),
    hands: (message) => held.update(message),
    peeked: (message) => view.peeked(message),
    trouble: (message) => line.trouble(message),
    refused: (message) => {
      view.refused(message);
      held.refused(message);
      line.refused(message);
    },
    screen: (screen) => cards.draw(screen),
    frame: (blob) => picture(blob),
    scene: (message) => {
      settings(message);
      find("note").textContent = message.note;
      find("note").hidden = !message.note;
    },
  },
  find("link"),
);
const cards = seats(find("seats"), send, use);
const line = told(find("told"));
const view = table(find("table"), send, () => hand, (x, y) => held.takes(x, y));
const held = tray(find("tray"), send, () => hand, view);
const picture = camera(find("camera"), find("rate"));
const settings = scene(find("knobs"), find("switches"), find("auto"), send);
keyboard(() => (document.querySelector('[data-seat="shared"]') ? "shared" : hand), send);

find("lay").addEventListener("click", () => send({ do: "lay" }));
find("hand").addEventListener("change", ({ target }) => use(target.value));
addEventListener("keydown", ({ key, target }) => {
  if (!(target instanceof HTMLInputElement) && find("hand").querySelector(`input[value="${key}"]`)) use(key);
});

function offer(list) {
  const legend = find("hand").querySelector("legend");
  find("hand").replaceChildren(legend, ...list.map(choice));
  use(list.includes(hand) ? hand : list[0]);
}

function choice(seat) {
  const label = document.createElement("label");
  const input = Object.assign(document.createElement("input"), { type: "radio", name: "hand", value: seat });
  label.append(input, Object.assign(document.createElement("span"), { textContent: seat.toUpperCase() }));
  return label;
}

// The hand over the table is that of the seat whose buttons were used last.
function use(seat) {
  const input = find("hand").querySelector(`input[value="${seat}"]`);
  if (!input) return;
  input.checked = true;
  hand = seat;
  for (const card of document.querySelectorAll(".card")) card.classList.toggle("current", card.dataset.seat === seat);
  held.draw();
}
