// The page of a phone that is the table's camera: it shows the phone's picture, says how to hold it, and sends pictures
// over its link, few at rest, more while something moves. The next one goes out once the table acknowledged the last.
// Once the table has found the mat, only the mat and a little around it are sent, with gray in place of all else.

import { stayAwake } from "./awake.js";
import { Languages, look } from "./drawer.js";
import * as joining from "./joining.js";
import { connect } from "./link.js";
import { Broken, Link } from "./parts.js";
import { tell } from "./said.js";
import { html, render } from "./view.js";
import { choose, language, say } from "./words.js";

const WIDE = 1280; // pixels of a picture's longer side
const LONGEST = 512 * 1024; // frames.py
const MOVING_MS = 100;
const RESTING_MS = 500;
const RESTING_PACE = 5; // vision/frame_rate.py: pictures a second that a table at rest is worth
const LOST_MS = 3000; // after which an acknowledgement will not come
const SETTLE_MS = 2000; // that exposure and focus need
const SMALL = [64, 36];
const MOVED = 12; // gray levels by which a spot of the small picture differs
const QUALITY = 0.85;
const LEAST_QUALITY = 0.45;
const AROUND = "#808080"; // neither dark nor glaring
const TILTED = 45; // degrees; more is hard to read

const LOCKED = { exposureMode: ["exposureTime", "iso"], whiteBalanceMode: ["colorTemperature"], focusMode: ["focusDistance"] };

const root = document.getElementById("app");
const video = Object.assign(document.createElement("video"), { autoplay: true, muted: true, playsInline: true });
const canvas = document.createElement("canvas");
const small = Object.assign(document.createElement("canvas"), { width: SMALL[0], height: SMALL[1] });
const sketch = small.getContext("2d", { willReadFrequently: true });

let about = null;
let link = null;
let challenge = null;
let greeted = null;
let state = { link: "connecting", why: null, refusal: null, joined: false, fault: null, said: [], tilt: 0, asks: false, sideways: false, sent: false, cropped: false };
let stream = null;
let quality = QUALITY;
let pace = 0;
let relocks = 0;
let region = [];
let sentAt = -Infinity;
let waiting = false;
let before = null;

function set(changed) {
  const said = changed.said?.join(" ");
  if (said && said !== state.said.join(" ")) tell(said);
  state = { ...state, ...changed };
  document.title = say("camera-title");
  document.documentElement.lang = about.languages.find(({ code }) => code === language).tag;
  render(html`<${Page} />`, root);
}

function Page() {
  const { link: how, why, refusal, joined, fault, said, tilt, asks, sideways, sent, cropped } = state;
  const hints = [
    ...(sent ? said : [say("camera-starting")]),
    ...(tilt > TILTED ? [say("camera-tilted", { degrees: tilt })] : []),
    ...(sideways ? [say("camera-sideways")] : []),
  ];
  return html`<div class="page camera">
    <header class="bar">
      <span class="game"><${Link} state=${how} />${say("camera-title")}</span>
      <${Languages} about=${about} pick=${pick} />
    </header>
    <main>
      <${Broken} state=${how} again=${() => link.open()} told=${say("camera-elsewhere")} open=${say("camera-here")} />
      ${why && html`<p class="refusal" role="alert">${why}</p>`}
      <div class="sight" ref=${(place) => place && !place.contains(video) && place.append(video)} hidden=${!stream}></div>
      <section class="box">
        ${refusal && html`<p class="refusal" role="alert">${refusal}</p>`}
        ${fault && html`<p class="refusal" role="alert">${fault()}</p>
          <button type="button" class="plain strong" onClick=${film}>${say("try-again")}</button>`}
        ${!joined && !refusal && how === "live" && !greeted && html`<p>${say("camera-scan")}</p>`}
        ${joined && !fault && html`<ul class="hints">${hints.map((each) => html`<li key=${each}>${each}</li>`)}</ul>`}
        ${joined && asks && html`<p>${say("camera-measures-tilt")}</p>
          <button type="button" class="plain" onClick=${measure}>${say("camera-measure-tilt")}</button>`}
        ${joined && html`<p class="quiet">${say("camera-hold")}</p>`}
        ${joined && html`<p class="quiet">${say(cropped ? "camera-mat-only" : "camera-whole")}</p>`}
      </section>
    </main>
  </div>`;
}

async function pick(code) {
  await choose(code);
  link.say({ speak: code });
  set({});
}

// The phone's picture, from the camera at its back if it has one there.
async function film() {
  set({ fault: null });
  if (!navigator.mediaDevices) return set({ fault: () => say("camera-insecure") });
  try {
    const wanted = { facingMode: "environment", width: { ideal: WIDE }, height: { ideal: (WIDE * 9) / 16 }, frameRate: { ideal: 15 } };
    stream = await navigator.mediaDevices.getUserMedia({ video: wanted, audio: false });
  } catch (error) {
    return set({ fault: () => (error.name === "NotAllowedError" ? say("camera-denied") : say("camera-missing")) });
  }
  const [track] = stream.getVideoTracks();
  track.onended = () => {
    stream = null;
    set({ fault: () => say("camera-missing"), sent: false });
  };
  video.srcObject = stream;
  await video.play().catch(() => {});
  set({ sideways: video.videoHeight > video.videoWidth });
  lock(track);
}

// Asks the phone's owner for the phone's tilt: iPhones give it only after a touch.
async function measure() {
  await DeviceOrientationEvent.requestPermission().catch(() => {});
  set({ asks: false });
}

// Lets exposure, white balance and focus settle, then holds them, as far as this browser lets them be held.
async function lock(track) {
  const can = track.getCapabilities?.() ?? {};
  const modes = Object.keys(LOCKED).filter((mode) => can[mode]?.includes("manual") && can[mode].includes("continuous"));
  const applied = (set) => track.applyConstraints({ advanced: [set] }).catch(() => {}); // it goes on setting it by itself
  for (const mode of modes) await applied({ [mode]: "continuous" });
  await new Promise((done) => setTimeout(done, SETTLE_MS));
  const now = track.getSettings();
  for (const mode of modes) {
    const values = LOCKED[mode].filter((name) => name in now).map((name) => [name, now[name]]);
    await applied({ [mode]: "manual", ...Object.fromEntries(values) });
  }
}

// Whether the picture differs from that of a moment ago.
function moves() {
  sketch.drawImage(video, 0, 0, ...SMALL);
  const { data } = sketch.getImageData(0, 0, ...SMALL);
  const moved = before?.some((level, at) => Math.abs(level - data[at]) > MOVED) ?? true;
  before = data;
  return moved;
}

function tick() {
  const now = performance.now();
  if (waiting && now > sentAt + LOST_MS) waiting = false;
  if (!stream || !state.joined || !video.videoWidth || document.visibilityState !== "visible") return;
  const every = moves() ? MOVING_MS : pace > RESTING_PACE ? 1000 / pace : RESTING_MS;
  if (waiting || now < sentAt + every - MOVING_MS / 2) return;
  waiting = true;
  sentAt = now;
  const scale = Math.min(1, WIDE / Math.max(video.videoWidth, video.videoHeight));
  canvas.width = Math.round(video.videoWidth * scale);
  canvas.height = Math.round(video.videoHeight * scale);
  draw(canvas.getContext("2d"), canvas.width, canvas.height);
  canvas.toBlob(send, "image/jpeg", quality);
}

// Draws the picture, or the region alone that the table wants. Its place in the picture stays the same.
function draw(brush, width, height) {
  brush.save();
  if (region.length) {
    brush.fillStyle = AROUND;
    brush.fillRect(0, 0, width, height);
    brush.beginPath();
    for (let at = 0; at < region.length; at += 2) brush.lineTo(region[at] * width, region[at + 1] * height);
    brush.clip();
  }
  brush.drawImage(video, 0, 0, width, height);
  brush.restore();
}

function send(picture) {
  if (picture && picture.size <= LONGEST && link.send(picture)) return;
  if (picture?.size > LONGEST) quality = Math.max(LEAST_QUALITY, quality - 0.1);
  waiting = false;
}

function took({ pace: asked, relocks: locks, region: wanted, said }) {
  waiting = false;
  pace = asked;
  region = wanted;
  if (locks > relocks && stream) lock(stream.getVideoTracks()[0]);
  relocks = locks;
  const cropped = region.length > 0;
  const same = state.sent && !state.refusal && cropped === state.cropped && said.join() === state.said.join();
  if (!same) set({ said, cropped, sent: true, refusal: null });
}

function greet() {
  greeted = joining.greeting(challenge);
  if (greeted) link.say(greeted);
  set({});
}

function refused({ refused: sentence, why }) {
  if (why === "superseded") return;
  waiting = false;
  if (joining.PASSING.includes(why) && !greeted) return set({ why: sentence }); // it comes back by itself
  if (why === "picture") {
    quality = Math.max(LEAST_QUALITY, quality - 0.1);
    return set({ refusal: sentence });
  }
  const again = greeted && !greeted.join && joining.code();
  joining.refused(why, greeted);
  set({ joined: false, refusal: sentence });
  if (again && !joining.seated()) greet(); // with the code, now that the key is gone
}

const hears = {
  state(how, why = null) {
    waiting = false;
    greeted = null;
    region = [];
    set({ link: how, why, ...(how === "live" ? {} : { joined: false, sent: false, cropped: false }) });
  },

  message(message) {
    if ("challenge" in message) {
      challenge = message.challenge;
      greet();
    } else if ("joined" in message) {
      joining.joined();
      set({ joined: true, refusal: null });
      if (!stream) film();
    } else if ("took" in message) took(message.took);
    else if ("refused" in message) refused(message);
  },
};

export function start(given) {
  about = given;
  look();
  set({ asks: typeof window.DeviceOrientationEvent?.requestPermission === "function" });
  link = connect(hears);
  stayAwake();
  setInterval(tick, MOVING_MS / 2);
  window.addEventListener("hashchange", () => !state.joined && challenge && greet());
  window.addEventListener("deviceorientation", ({ beta, gamma }) => {
    if (beta === null) return;
    if (state.asks) set({ asks: false });
    const radians = (degrees) => (degrees * Math.PI) / 180;
    const tilt = Math.round((Math.acos(Math.cos(radians(beta)) * Math.cos(radians(gamma))) * 180) / Math.PI);
    if (Math.abs(tilt - state.tilt) >= 3) set({ tilt });
  });
  document.addEventListener("visibilitychange", () => state.joined && state.fault && !document.hidden && film()); // unlocked
  video.addEventListener("resize", () => set({ sideways: video.videoHeight > video.videoWidth }));
}
