// Runs the table: Python with the engine and the session. Pages are ports; each message is a JSON text, both ways.

import { start } from "./python.js";

const KEPT = "/kept";
const KEEP_MS = 300;
const SOON_MS = 4;

let table = null;
let timer = null;
let keeping = null;
let python = null;
const pages = new Map();
const starting = start((share) => self.postMessage({ share }));
starting.catch(() => {}); // told once a match is to begin

self.onmessage = ({ data, ports }) => {
  if (data.begin) begin(data.begin).catch(failed);
  else if (data.open) open(data.open, ports[0]);
  else if (data.close) close(data.close);
};

function failed(error) {
  console.error(error);
  self.postMessage({ failed: true });
}

async function begin({ game, players, language, leave, way }) {
  python = await starting;
  python.FS.mkdir(KEPT);
  python.FS.mount(python.FS.filesystems.IDBFS, {}, KEPT);
  await keep(true);
  table = python.pyimport("referee_tab.table").begin(say, KEPT, game, players, language, leave, way);
  self.postMessage({ ready: true });
  pass();
}

function open({ link, page, language }, port) {
  pages.set(link, port);
  port.onmessage = ({ data }) => {
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

// Lets time pass, and keeps what was written, in the browser's own storage.
function pass() {
  clearTimeout(timer);
  const seconds = table.tick();
  if (seconds !== undefined) timer = setTimeout(pass, Math.max(SOON_MS, seconds * 1000));
  keeping ??= setTimeout(() => keep(false).finally(() => (keeping = null)), KEEP_MS);
}

const keep = (read) => new Promise((done, failed) => python.FS.syncfs(read, (error) => (error ? failed(error) : done())));
