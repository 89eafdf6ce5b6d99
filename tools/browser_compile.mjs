// Compiles Python for browsers with its own interpreter: node browser_compile.mjs PYODIDE IN.zip OUT.zip [docs]
// A module becomes bytecode without line columns, and without docstrings unless "docs" is named; other files stay as they
// are. Equal sources are equal bytes.

import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, source, target, docs] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: folder, env: { PYTHONHASHSEED: "0", PYTHONNODEBUGRANGES: "1" } });
python.FS.writeFile("/in.zip", new Uint8Array(fs.readFileSync(source)));
python.globals.set("keeps_docs", docs === "docs");
python.runPython(`
import ast
import marshal
import zipfile
from importlib.util import MAGIC_NUMBER

HEAD = MAGIC_NUMBER + bytes((1, 0, 0, 0)) + bytes(8)  # never compared with a source

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def parsed(source):
    module = ast.parse(source)
    for node in ast.walk(module):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None and not keeps_docs:
            first, *rest = node.body
            node.body = rest or [ast.copy_location(ast.Pass(), first)]
    return module


with zipfile.ZipFile("/in.zip") as sources, zipfile.ZipFile("/out.zip", "w") as compiled:
    for name in sources.namelist():
        body = sources.read(name)
        if name.endswith(".py"):
            body = HEAD + marshal.dumps(compile(parsed(body), name, "exec", dont_inherit=True, optimize=0))
        compiled.writestr(zipfile.ZipInfo(name), body)
`);
fs.writeFileSync(target, python.FS.readFile("/out.zip"));
