// Runs the table: Python with the engine and the session. Pages are ports; each message is a JSON text, both ways.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const SITE = "/lib/python3.14/site-packages";
const KEPT = "/kept";
const KEEP_MS = 300;
const SOON_MS = 4;

let table = null;
let timer = null;
let keeping = null;
let python = null;
const pages = new Map();

self.onmessage = ({ data, ports }) => {
  if (data.begin) begin(data.begin).catch((error) => self.postMessage({ failed: String(error) }));
  else if (data.open) open(data.open, ports[0]);
};

async function begin({ game, players, language, size, anew }) {
  let loaded = 0;
  const load = async (path) => {
    const answer = await fetch(path);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    const reader = answer.body.getReader();
    const parts = [];
    for (let each = await reader.read(); !each.done; each = await reader.read()) {
      parts.push(each.value);
      loaded += each.value.length;
      self.postMessage({ share: Math.min(1, loaded / size) });
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  };
  const archives = Promise.all(["table.zip", "msgspec.whl"].map(load));
  python = await loadPyodide({ indexURL: new URL("pyodide/", self.location.href).href });
  for (const archive of await archives) python.unpackArchive(archive, "zip", { extractDir: SITE });
  python.FS.mkdir(KEPT);
  python.FS.mount(python.FS.filesystems.IDBFS, {}, KEPT);
  await keep(true);
  const tab = python.pyimport("referee_tab.table");
  table = tab.begin(say, KEPT, game, players, language, anew);
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
