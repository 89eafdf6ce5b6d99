// Says each change once: in the polite live region, aloud by the browser where that is switched on, and by a sound.

import { kept } from "./kept.js";
import { language } from "./words.js";

const GATHER_MS = 150;
const SOUNDS = { turn: [660, 880], told: [520], laid: [330], refused: [220, 196], end: [523, 659, 784] };
const LOUDNESS = 0.1;
const usual = { aloud: false, sounds: false, hints: true };
let pending = [];
let timer = null;
let audio = null;

// What the table does where nobody chose otherwise on this page.
export function usually({ aloud, sounds }) {
  Object.assign(usual, { aloud: Boolean(aloud), sounds: Boolean(sounds) });
}

// Whether this page reads aloud, sounds, or gives hints.
export const on = (name) => kept(name, usual[name]);

// What is new in a sheet, in the order in which it should be heard.
export function changes(before, after) {
  const known = new Set(before?.told ?? []);
  const fresh = before ? after.told.slice(overlap(before.told, after.told)) : [];
  const parts = fresh.length < 5 ? fresh : fresh.slice(-4);
  const alert = after.alert.join(" ");
  if (alert && alert !== (before?.alert ?? []).join(" ")) parts.push(alert);
  for (const field of ["status", "wanted"]) if (after[field] && after[field] !== before?.[field]) parts.push(after[field]);
  if (after.answers.asks && after.answers.asks !== before?.answers.asks) parts.push(after.answers.asks);
  return { parts: [...new Set(parts)], told: fresh.some((line) => !known.has(line)), refused: Boolean(alert) && alert !== (before?.alert ?? []).join(" ") };
}

// How many of the newer lines were there before: old ones fall off at the front, or go when something is taken back.
function overlap(before, after) {
  for (let gone = 0; gone <= before.length; gone += 1) {
    const rest = before.slice(gone);
    if (rest.length <= after.length && rest.every((line, at) => line === after[at])) return rest.length;
  }
  return 0;
}

export function tell(...parts) {
  pending.push(...parts.filter(Boolean));
  clearTimeout(timer);
  timer = setTimeout(() => {
    const text = pending.map((part) => (/[.!?。！？…]$/.test(part) ? part : `${part}.`)).join(" ");
    pending = [];
    document.getElementById("told").textContent = text;
    if (on("aloud")) aloud(text);
  }, GATHER_MS);
}

export function aloud(text) {
  if (!("speechSynthesis" in window)) return;
  const words = new SpeechSynthesisUtterance(text);
  words.lang = { zh_Hans: "zh-CN", zh_Hant: "zh-TW" }[language] ?? language;
  speechSynthesis.cancel();
  speechSynthesis.speak(words);
}

export function quiet() {
  window.speechSynthesis?.cancel();
}

// A browser lets sound out only after a touch, Safari only where that touch asked for it.
function unlock() {
  if (!on("sounds") || !window.AudioContext) return;
  audio ??= new AudioContext();
  if (audio.state !== "running") audio.resume().catch(() => {});
}

document.addEventListener("click", unlock, true);
document.addEventListener("keydown", unlock, true);

export function play(name) {
  if (!on("sounds") || audio?.state !== "running") return;
  SOUNDS[name].forEach((pitch, at) => {
    const [from, tone, gain] = [audio.currentTime + at * 0.13, audio.createOscillator(), audio.createGain()];
    tone.type = "triangle";
    tone.frequency.value = pitch;
    gain.gain.setValueAtTime(0, from);
    gain.gain.linearRampToValueAtTime(LOUDNESS, from + 0.015);
    gain.gain.exponentialRampToValueAtTime(0.001, from + 0.22);
    tone.connect(gain).connect(audio.destination);
    tone.start(from);
    tone.stop(from + 0.25);
  });
}
