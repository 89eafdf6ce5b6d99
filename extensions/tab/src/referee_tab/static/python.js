// Starts Python with the table's code. The first start compiles it, which takes seconds; then the browser keeps an image of
// Python's memory, and later starts only read that.

import { loadPyodide } from "./pyodide/pyodide.mjs";
import createModule from "./pyodide/pyodide.asm.mjs";

const SITE = "/lib/python3.14/site-packages";
// An image holds addresses of this library, so it is loaded first, always at the same place.
const LIBRARY = `${SITE}/msgspec/_core.cpython-314-wasm32-emscripten.so`;
const TABLE = "referee_tab.table";
const FILES = "python/files";
const IMAGE = "python/image";

// version: of the code; an image of another one is never used. size: bytes of a first start. share: takes the part that
// came.
export async function start({ version, size }, share) {
  const cache = await self.caches?.open(`python-${version}`);
  const image = await (await cache?.match(IMAGE))?.arrayBuffer();
  if (image) {
    const python = await load({ _loadSnapshot: image }, image.byteLength);
    restoreFiles(python.FS, await (await cache.match(FILES)).arrayBuffer());
    return python;
  }
  countFetched(size, share);
  const archive = fetch("table.zip").then((answer) => answer.arrayBuffer());
  const python = await load({ _makeSnapshot: true }, 0);
  python.unpackArchive(await archive, "zip", { extractDir: SITE });
  python.pyimport(TABLE).prepare();
  if (cache) keep(cache, python).catch((error) => console.warn(`Python's image is not kept: ${error}`));
  return python;
}

const load = (options, size) =>
  loadPyodide({
    ...options,
    indexURL: new URL("pyodide/", self.location.href).href,
    createPyodideModule: async (settings) => {
      const { locateFile } = settings;
      settings.dynamicLibraries = [LIBRARY];
      settings.locateFile = (name) => (name === LIBRARY ? new URL("msgspec.so", self.location.href).href : locateFile(name));
      const module = await createModule(settings);
      if (size > module.HEAP8.length) module.growMemory(size);
      return module;
    },
  });

function countFetched(size, share) {
  const { fetch } = self;
  let came = 0;
  let shown = 0;
  const count = () =>
    new TransformStream({
      transform(part, next) {
        came += part.length;
        if (came - shown >= size / 100) share((shown = came) / size);
        next.enqueue(part);
      },
    });
  self.fetch = async (...request) => {
    const answer = await fetch(...request);
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
    return new Response(answer.body.pipeThrough(count()), answer);
  };
}

async function keep(cache, python) {
  const image = python.makeMemorySnapshot();
  const files = listFiles(python.FS, SITE);
  const head = new TextEncoder().encode(JSON.stringify(files.map(([path, body]) => [path, body.length])));
  await cache.put(FILES, new Response(new Blob([Uint32Array.of(head.length), head, ...files.map(([, body]) => body)])));
  await cache.put(IMAGE, new Response(image));
}

function listFiles(FS, folder) {
  const names = FS.readdir(folder).filter((name) => name !== "." && name !== "..");
  return names.flatMap((name) => {
    const path = `${folder}/${name}`;
    if (FS.isDir(FS.stat(path).mode)) return listFiles(FS, path);
    return [[path, FS.readFile(path)]];
  });
}

function restoreFiles(FS, kept) {
  const [length] = new Uint32Array(kept, 0, 1);
  let at = 4 + length;
  for (const [path, size] of JSON.parse(new TextDecoder().decode(new Uint8Array(kept, 4, length)))) {
    FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    FS.writeFile(path, new Uint8Array(kept, at, size));
    at += size;
  }
}
