// Starts Python with the table's code. A first start runs it from bytecode, which takes seconds; then the browser keeps an
// image of Python's memory, and later starts only read that.

import { loadPyodide } from "./pyodide/pyodide.mjs";
import createModule from "./pyodide/pyodide.asm.mjs";

const SITE = "/lib/python3.14/site-packages";
// An image holds addresses of this library, so it is loaded first, always at the same place.
const LIBRARY = `${SITE}/msgspec/_core.cpython-314-wasm32-emscripten.so`;
const IMAGE = "python/image";

// version: of the code; an image of another one is never used. size: bytes of a first start.
const { version, size } = "CODE";

// share: takes the part of a first start that came.
export async function start(share) {
  const cache = await self.caches?.open(`table-referee:${new URL(".", self.location.href).pathname}:python-${version}`).catch(() => null); // a browser may keep nothing
  const image = await cache?.match(IMAGE);
  if (!image) countFetched(share);
  const files = unpacked("table.bin");
  const library = unpacked("library.bin");
  const python = await (image ? restored(image, library) : begun(library));
  write(python.FS, await files);
  if (!image) {
    python.pyimport("referee_tab.table").prepare();
    if (cache) cache.put(IMAGE, new Response(python.makeMemorySnapshot())).catch((error) => console.warn(error));
  }
  return python;
}

// Brings more modules to a Python that runs.
export async function add(python, path) {
  write(python.FS, await unpacked(path));
  python.pyimport("importlib").invalidate_caches();
}

async function begun(library) {
  const stdLibURL = URL.createObjectURL(new Blob([await library]));
  return load({ stdLibURL, _makeSnapshot: true }, 0).finally(() => URL.revokeObjectURL(stdLibURL));
}

// Python has read what it needs of its library: the rest comes while the image is loaded.
async function restored(image, library) {
  const _loadSnapshot = await image.arrayBuffer();
  const python = await load({ stdLibURL: "data:,", _loadSnapshot }, _loadSnapshot.byteLength);
  python.FS.writeFile("/lib/python314.zip", new Uint8Array(await library));
  return python;
}

const load = (options, memory) =>
  loadPyodide({
    ...options,
    indexURL: new URL("pyodide/", self.location.href).href,
    createPyodideModule: async (settings) => {
      const { locateFile } = settings;
      settings.dynamicLibraries = [LIBRARY];
      settings.locateFile = (name) => (name === LIBRARY ? new URL("msgspec.so", self.location.href).href : locateFile(name));
      const module = await createModule(settings);
      if (memory) module.growMemory(memory);
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

function countFetched(share) {
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
    if (answer.url.startsWith("blob:")) return answer; // it came with another file
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
    return new Response(answer.body.pipeThrough(count()), answer);
  };
}
