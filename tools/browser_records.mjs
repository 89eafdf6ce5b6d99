// Runs tools/random_records.py with a built site's Python, in Node: node browser_records.mjs PYODIDE SITE SCRIPT < matches
// A line of input is a game and a seed; one of output the actions and the digest of that match's record.

import fs from "node:fs";
import readline from "node:readline";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

const PACKAGES = "/lib/python3.14/site-packages";
const LIBRARY = `${PACKAGES}/msgspec/_core.cpython-314-wasm32-emscripten.so`;

const [folder, site, script] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: folder });

// Writes a file of the site; LIBRARY is an empty name in it (tools/tab.py).
function write(path, body) {
  python.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
  python.FS.writeFile(path, body);
}

for (const name of ["table.bin", "records.bin"]) {
  const archive = gunzipSync(fs.readFileSync(`${site}/${name}`));
  const length = archive.readUInt32LE(0);
  let at = 4 + length;
  for (const [path, size] of JSON.parse(archive.subarray(4, at).toString())) {
    write(`${PACKAGES}/${path}`, archive.subarray(at, at + size));
    at += size;
  }
}
write(LIBRARY, fs.readFileSync(`${site}/msgspec.so`));
python.pyimport("importlib").invalidate_caches();
python.runPython(fs.readFileSync(script, "utf8"));
const record = python.globals.get("record");

for await (const line of readline.createInterface({ input: process.stdin })) {
  const [game, seed] = line.split(" ");
  const found = record(game, Number(seed));
  console.log(found.toJs().join(" "));
  found.destroy();
}
