// Sends a match's file to be checked, and shows what was found.

import { connect } from "../shared/link.js";
import { say } from "../shared/words.js";

const PART = 32 * 1024;
const LONGEST = 4_000_000;
const find = (id) => document.getElementById(id);
const button = find("ask").querySelector("button");
const link = connect({ found, fault, lost }, find("link"));

find("ask").addEventListener("submit", async (event) => {
  event.preventDefault();
  const file = find("file").files[0];
  if (!file) return show(part("p", say("not-checked")));
  const notes = new TextEncoder().encode(find("notes").value);
  if (file.size === 0) return show(part("p", say("not-checked")));
  if (file.size + notes.length > LONGEST) return show(part("p", say("too-long")));
  button.disabled = true;
  show(part("p", say("checking")));
  const data = await new Blob([file, notes]).arrayBuffer().catch(() => null);
  if (data?.byteLength !== file.size + notes.length) return failed(say("unreadable"));
  if (!link({ file: file.size, notes: notes.length })) return failed(say("not-sent"));
  for (let at = 0; at < data.byteLength; at += PART) link.bytes(data.slice(at, at + PART));
});

function failed(sentence) {
  button.disabled = false;
  show(part("p", sentence));
}

function lost() {
  if (button.disabled) failed(say("not-sent"));
}

function found({ result, said, place, wrong, unchecked, noteworthy, entries, title, program, key, head }) {
  const lines = entries.map(({ entry, named, line }) => part("li", `${entry}. ${named}: ${line}`));
  answered(
    part("h2", said, result),
    ...(wrong ? [part("p", `${place} ${wrong.why}`)] : []),
    ...(unchecked.length ? [part("h3", say("not-known")), list(unchecked.map((text) => part("li", text)))] : []),
    ...(noteworthy.length ? [part("h3", say("differs")), list(noteworthy.map((text) => part("li", text)))] : []),
    part("h3", say("known-by")),
    part("p", say("game-version", { game: title, program })),
    part("p", say("key-is", { key }), "digits"),
    part("p", say("head-is", { n: head.n, hash: head.hash.slice(0, 24).replace(/(.{4})(?=.)/g, "$1 ") }), "digits"),
    folded(say("entries-right", { count: lines.length }), list(lines)),
  );
}

function fault({ said, why }) {
  answered(part("h2", said, "refused"), part("p", why));
}

function answered(...parts) {
  button.disabled = false;
  show(...parts);
}

function show(...parts) {
  find("finding").hidden = false;
  find("finding").replaceChildren(...parts);
}

function part(kind, textContent, className = "") {
  return Object.assign(document.createElement(kind), { textContent, className });
}

function list(lines) {
  const whole = document.createElement("ul");
  whole.append(...lines);
  return whole;
}

function folded(title, inside) {
  const whole = document.createElement("details");
  whole.append(part("summary", title), inside);
  return whole;
}
