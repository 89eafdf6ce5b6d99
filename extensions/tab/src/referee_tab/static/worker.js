// Runs the table: Python with the engine and the session. Pages are ports; each message is a JSON text, both ways.

import { start } from "./python.js";

const KEPT = "/kept";
const KEEP_MS = 300;
const SOON_MS = 4;
const LEFT_MS = 2000;
const NOTE_MS = 1000; // a match begins before the heads are worked out

let table = null;
let timer = null;
let keeping = null;
let kept = Promise.resolve();
let python = null;
let signing = null;
let noting = null;
const pages = new Map();
const starting = start((share) => self.postMessage({ share }));
starting.catch(() => {}); // told once a match is to begin

self.onmessage = ({ data, ports }) => {
  if (data.begin) begin(data.begin).catch(failed);
  else if (data.open) open(data.open, ports[0]);
  else if (data.close) close(data.close);
  else if (data.leave) leave().catch(failed);
};

function failed(error) {
  console.error(error);
  self.postMessage({ failed: "site-failed" });
}

async function begin({ game, players, language, leave, way }) {
  python = await starting;
  if (!(await alone())) return self.postMessage({ failed: "site-elsewhere" });
  python.FS.mkdir(KEPT);
  python.FS.mount(python.FS.filesystems.IDBFS, {}, KEPT);
  await keep(true).catch(unkept);
  table = python.pyimport("referee_tab.table").begin(say, KEPT, game, players, language, leave, way);
  self.postMessage({ ready: true });
  pass();
}

function open({ link, page, language }, port) {
  pages.set(link, port);
  port.onmessage = ({ data }) => {
    if (JSON.parse(data).sign) return sign(link).catch(failed);
    table.hear(link, data);
    pass();
  };
  port.postMessage(true);
  table.open(link, page, language);
}

function close(link) {
  table.close(link);
  pages.get(link).close();
  pages.delete(link);
}

function say(link, text) {
  pages.get(link).postMessage(text);
}

// Gives a page the signed record of the match.
async function sign(link) {
  (await signs()).save(table, link);
  pass();
}

async function signs() {
  signing ??= import("./records.js").then(({ records }) => records(python));
  return signing.catch((error) => {
    signing = null; // it is fetched again
    throw error;
  });
}

// Shows what players write down to be able to verify the match later.
async function note() {
  const found = await signs().finally(() => (noting = null));
  if (!table.lacks_heads()) return;
  found.noteHeads(table);
  pass();
}

// Lets time pass, and keeps what was written, in the browser's own storage.
function pass() {
  clearTimeout(timer);
  const seconds = table.tick();
  if (seconds !== undefined) timer = setTimeout(pass, Math.max(SOON_MS, seconds * 1000));
  if (table.lacks_heads()) noting ??= setTimeout(() => note().catch((error) => console.warn(error)), NOTE_MS);
  keeping ??= setTimeout(() => keep(false).catch(unkept).finally(() => (keeping = null)), KEEP_MS);
}

// The page ends this worker once the last move is kept.
async function leave() {
  clearTimeout(timer);
  clearTimeout(keeping);
  clearTimeout(noting);
  if (table) await keep(false).catch(unkept);
  self.postMessage({ left: true });
}

// A browser may refuse storage, or have no more room: people play on, and are told.
function unkept(error) {
  console.warn(error);
  self.postMessage({ unkept: true });
}

// Each tab writes all that is kept, so that only one may. A worker that is just leaving gives the lock up.
async function alone() {
  if (!self.navigator.locks) return true;
  const signal = AbortSignal.timeout?.(LEFT_MS);
  return new Promise((told) => {
    const hold = () => (told(true), new Promise(() => {}));
    self.navigator.locks.request(`table-referee:${new URL(".", self.location.href).pathname}`, { signal }, hold).catch(() => told(false));
  });
}

// One after another: read or write all of it.
function keep(read) {
  const sync = () => new Promise((done, failed) => python.FS.syncfs(read, (error) => (error ? failed(error) : done())));
  return (kept = kept.then(sync, sync));
}
