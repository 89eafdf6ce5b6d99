// Starts Python with the table's code. A first start runs it from bytecode, which takes seconds; then the browser keeps an
// image of Python's memory, and later starts only read that.

import { loadPyodide } from "./pyodide/pyodide.mjs";
import createModule from "./pyodide/pyodide.asm.mjs";

const SITE = "/lib/python3.14/site-packages";
// An image holds addresses of this library, so it is loaded first, always at the same place.
const LIBRARY = `${SITE}/msgspec/_core.cpython-314-wasm32-emscripten.so`;
const IMAGE = "python/image";

// version: of the code; an image of another one is never used. size: bytes of a first start. share: takes the part that
// came.
export async function start({ version, size }, share) {
  const cache = await self.caches?.open(`python-${version}`);
  const image = await (await cache?.match(IMAGE))?.arrayBuffer();
  if (!image) countFetched(size, share);
  const files = unpacked("table.bin");
  const library = URL.createObjectURL(new Blob([await unpacked("library.bin")]));
  const python = await load({ stdLibURL: library, ...(image ? { _loadSnapshot: image } : { _makeSnapshot: true }) }, image);
  URL.revokeObjectURL(library);
  write(python.FS, await files);
  if (!image) {
    python.pyimport("referee_tab.table").prepare();
    if (cache) cache.put(IMAGE, new Response(python.makeMemorySnapshot())).catch((error) => console.warn(error));
  }
  return python;
}

const load = (options, image) =>
  loadPyodide({
    ...options,
    indexURL: new URL("pyodide/", self.location.href).href,
    createPyodideModule: async (settings) => {
      const { locateFile } = settings;
      settings.dynamicLibraries = [LIBRARY];
      settings.locateFile = (name) => (name === LIBRARY ? new URL("msgspec.so", self.location.href).href : locateFile(name));
      const module = await createModule(settings);
      if (image) module.growMemory(image.byteLength);
      return module;
    },
  });

const unpacked = async (path) => new Response((await fetch(path)).body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();

// Writes an archive's files (tools/tab.py).
function write(FS, archive) {
  const [length] = new Uint32Array(archive, 0, 1);
  let at = 4 + length;
  for (const [path, size] of JSON.parse(new TextDecoder().decode(new Uint8Array(archive, 4, length)))) {
    const target = `${SITE}/${path}`;
    FS.mkdirTree(target.slice(0, target.lastIndexOf("/")));
    FS.writeFile(target, new Uint8Array(archive, at, size));
    at += size;
  }
}

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
