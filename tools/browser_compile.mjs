// Compiles Python for browsers with its own interpreter: node browser_compile.mjs PYODIDE IN.zip OUT.zip
// A module becomes bytecode without line columns; other files stay as they are. Equal sources are equal bytes.

import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, source, target] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: folder, env: { PYTHONHASHSEED: "0", PYTHONNODEBUGRANGES: "1" } });
python.FS.writeFile("/in.zip", new Uint8Array(fs.readFileSync(source)));
python.runPython(`
import marshal
import zipfile
from importlib.util import MAGIC_NUMBER

HEAD = MAGIC_NUMBER + bytes((1, 0, 0, 0)) + bytes(8)  # never compared with a source

with zipfile.ZipFile("/in.zip") as sources, zipfile.ZipFile("/out.zip", "w") as compiled:
    for name in sources.namelist():
        body = sources.read(name)
        if name.endswith(".py"):
            body = HEAD + marshal.dumps(compile(body, name, "exec", dont_inherit=True, optimize=0))
        compiled.writestr(zipfile.ZipInfo(name), body)
`);
fs.writeFileSync(target, python.FS.readFile("/out.zip"));
