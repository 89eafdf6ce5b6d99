// Knobs for light and lens, switches for faults, and who plays.

import { number } from "../shared/words.js";

export function scene(knobs, switches, auto, send) {
  const turned = new Map();
  const thrown = new Map();

  auto.addEventListener("change", ({ target }) => send({ do: "play", auto: target.value }));

  return (message) => {
    for (const knob of message.knobs) show(knob, turned, knobs, knobRow, send);
    for (const each of message.switches) show(each, thrown, switches, switchRow, send);
    const chosen = auto.querySelector(`input[value="${message.auto}"]`);
    if (chosen) chosen.checked = true;
  };
}

function show(item, rows, parent, make, send) {
  let row = rows.get(item.name);
  if (!row) {
    row = make(item, send);
    rows.set(item.name, row);
    parent.append(row.node);
  }
  row.set(item);
}

function knobRow({ name, label, low, high, step }, send) {
  const input = Object.assign(document.createElement("input"), { type: "range", min: low, max: high, step });
  const output = document.createElement("output");
  const node = document.createElement("label");
  node.append(Object.assign(document.createElement("span"), { textContent: label }), input, output);
  let unit = "";
  const tell = () => {
    output.textContent = `${number(Number(input.value))}${unit ? ` ${unit}` : ""}`;
  };
  input.dataset.knob = name;
  input.addEventListener("input", () => {
    tell();
    send({ do: "turn", knob: name, value: Number(input.value) });
  });
  return {
    node,
    set: (knob) => {
      unit = knob.unit;
      if (document.activeElement !== input || !input.matches(":active")) input.value = knob.value;
      tell();
    },
  };
}

function switchRow({ name, label }, send) {
  const input = Object.assign(document.createElement("input"), { type: "checkbox" });
  const node = document.createElement("label");
  node.append(input, Object.assign(document.createElement("span"), { textContent: label }));
  input.dataset.switch = name;
  input.addEventListener("change", () => send({ do: "throw", switch: name, on: input.checked }));
  return { node, set: ({ on }) => (input.checked = on) };
}
