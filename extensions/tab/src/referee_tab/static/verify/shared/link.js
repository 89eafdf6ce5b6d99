// The check in this tab, in place of the link to `referee verify --page`: a file comes in parts, and then its notes.

import { language, say } from "./words.js";

export function connect({ found, fault }, status) {
  let worker = begun();
  let asked = null;
  let parts = [];
  status.hidden = true; // nothing is connected: all is here

  function begun() {
    const fresh = new Worker(new URL("../../checking.js", import.meta.url), { type: "module" });
    fresh.onmessage = ({ data }) => ({ found, fault, failed })[data.is](data);
    fresh.onerror = failed;
    return fresh;
  }

  // The next file gets another Python: this one may have run out of memory.
  function failed() {
    worker?.terminate();
    worker = null;
    if (asked) fault({ said: say("verify-failed"), why: "" });
  }

  async function check() {
    const data = await new Blob(parts).arrayBuffer();
    const file = new Uint8Array(data, 0, asked.file);
    const notes = new TextDecoder().decode(new Uint8Array(data, asked.file));
    worker ??= begun();
    worker.postMessage({ file, notes, language });
  }

  const ask = (what) => {
    asked = what;
    parts = [];
    return true;
  };
  const bytes = (part) => {
    parts.push(part);
    if (parts.reduce((sum, each) => sum + each.byteLength, 0) === asked.file + asked.notes) check();
    return true;
  };
  navigator.serviceWorker?.register(new URL("../../offline.js", import.meta.url));
  return Object.assign(ask, { bytes });
}
