// The cameras of this computer, each with its newest picture; one of them, a phone or none is chosen.

import { connect } from "../shared/link.js";
import { say } from "../shared/words.js";

const find = (id) => document.getElementById(id);
const list = find("cameras");
let over = false;

const send = connect(
  {
    cameras: ({ cameras }) => cameras.forEach(show),
    frame: picture,
    looking: () => refuse(""),
    refused: ({ why }) => refuse(why),
    chosen() {
      over = true;
      find("choice").hidden = true;
      find("link").hidden = true;
      find("chosen").hidden = false;
    },
    lost: () => over && (find("link").hidden = true),
  },
  find("link"),
);

function make(name, fields = {}, ...children) {
  const made = Object.assign(document.createElement(name), fields);
  made.append(...children);
  return made;
}

function card(number) {
  const image = make("img", { alt: "", hidden: true });
  const empty = make("div", { className: "empty" });
  const use = make("button", { type: "button", className: "plain", textContent: say("choice-use") });
  use.addEventListener("click", () => send({ choose: String(number) }));
  list.append(make("li", { className: "box" }, image, empty, make("h2"), make("p", { className: "quiet" }), use));
  list.hidden = false;
  return list.lastElementChild;
}

function show({ name, fault }, number) {
  const made = list.children[number] ?? card(number);
  made.querySelector("h2").textContent = name;
  made.querySelector("img").alt = say("choice-picture", { camera: name });
  const image = made.querySelector("img");
  if (fault) image.hidden = true;
  made.querySelector(".empty").hidden = !image.hidden;
  const said = fault || (image.hidden ? say("choice-opening") : "");
  const line = made.querySelector("p");
  if (line.textContent !== said) line.textContent = said;
  line.hidden = !said;
}

// The first byte is the camera's number.
async function picture(data) {
  const [number] = new Uint8Array(await data.slice(0, 1).arrayBuffer());
  const image = list.children[number]?.querySelector("img");
  if (!image) return;
  const before = image.src;
  image.src = URL.createObjectURL(data.slice(1, data.size, "image/jpeg"));
  if (before) URL.revokeObjectURL(before);
  image.hidden = false;
  image.nextElementSibling.hidden = true;
  image.parentElement.querySelector("p").hidden = true;
}

function refuse(why) {
  find("refused").textContent = why;
  find("refused").hidden = !why;
  if (!why) find("address").value = "";
}

for (const button of document.querySelectorAll("[data-choose]")) {
  button.addEventListener("click", () => send({ choose: button.dataset.choose }));
}
find("look").addEventListener("submit", (event) => {
  event.preventDefault();
  send({ look: find("address").value.trim() });
});
