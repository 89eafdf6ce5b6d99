// Loads what signs and verifies matches, once it is asked for: a match is played without it.

import { hasSigned, publicOf, sign } from "./ed25519.js";
import { add } from "./python.js";

export async function records(python) {
  await add(python, "records.bin");
  const found = python.pyimport("referee_tab.records");
  found.prepare();
  return {
    verify: (file, notes, language) => found.verify(python.toPy(file), notes, language, hasSigned),
    noteHeads: (table) => found.note_heads(table, publicOf, sign),
    save: (table, link) => found.save(table, link, publicOf, sign),
  };
}
