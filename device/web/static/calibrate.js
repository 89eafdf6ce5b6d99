// What a camera sees, with what was found drawn in and hints; four clicks make the line for a mat without markers.

import { camera } from "./camera.js";
import { connect } from "./link.js";

const find = (id) => document.getElementById(id);
const canvas = find("camera");
const corners = [];
const picture = camera(canvas, find("rate"), mark);

connect({ frame: picture, hints: ({ hints }) => show(hints) }, find("link"));

canvas.addEventListener("click", (event) => {
  if (corners.length === 4) return;
  const box = canvas.getBoundingClientRect();
  const x = Math.round(((event.clientX - box.left) / box.width) * canvas.width);
  const y = Math.round(((event.clientY - box.top) / box.height) * canvas.height);
  corners.push([x, y]);
  tell();
});
find("again").addEventListener("click", () => {
  corners.length = 0;
  tell();
});

function tell() {
  const done = corners.map(([x, y]) => `[${x}, ${y}]`).join(", ");
  // Corners alone do not say in which pictures they were measured.
  const lines = `size = [${canvas.width}, ${canvas.height}]\npoints = [${done}]`;
  find("points").textContent = corners.length === 4 ? lines : `points = [${done}${done ? ", " : ""}…]`;
  mark();
}

function mark() {
  const brush = canvas.getContext("2d");
  brush.strokeStyle = "#ffb43d";
  brush.lineWidth = canvas.width / 400;
  brush.beginPath();
  corners.forEach(([x, y], place) => (place ? brush.lineTo(x, y) : brush.moveTo(x, y)));
  if (corners.length === 4) brush.closePath();
  brush.stroke();
  for (const [x, y] of corners) brush.strokeRect(x - 6, y - 6, 12, 12);
}

function show(hints) {
  find("hints").replaceChildren(
    ...hints.map((text) => Object.assign(document.createElement("li"), { textContent: text })),
  );
}
