// The app's own words, in the language that was chosen here, else in the one that a virtual table was given, else in one
// that the browser asks for.

import { keep, kept } from "./kept.js";

let found = { words: {}, titles: {}, pieces: {}, games: {} };
export let language = "en";

export async function speak(code) {
  found = await (await fetch(`words/${code}.json`)).json();
  language = code;
}

export function choose(code) {
  keep("language", code);
  return speak(code);
}

export function say(key, fields = {}) {
  return (found.words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => fields[name] ?? "");
}

// What is printed on a card as its title.
export function title(kind) {
  return found.titles[kind] ?? kind;
}

// What a piece is called.
export const pieceName = (kind) => found.pieces[kind] ?? kind;

// The titles of all games by name.
export const games = () => found.games;

export function wanted({ language: usual, languages, given }) {
  const codes = languages.map(({ code }) => code);
  const asked = [kept("language"), given, ...navigator.languages.map((each) => ours(each, codes))];
  return asked.find((code) => codes.includes(code)) ?? usual;
}

function ours(name, codes) {
  const [primary, ...rest] = name.toLowerCase().split("-");
  if (primary !== "zh") return codes.find((code) => code === primary);
  const traditional = !rest.includes("hans") && rest.some((part) => ["hant", "tw", "hk", "mo"].includes(part));
  return traditional ? "zh_Hant" : "zh_Hans";
}
