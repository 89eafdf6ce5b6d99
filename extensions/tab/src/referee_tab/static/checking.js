// Verifies matches' files for a page, in a worker: one after another.

import { start } from "./python.js";
import { records } from "./records.js";

const starting = start(() => {}).then(records);
starting.catch(() => {}); // told once a file is to be checked

self.onmessage = async ({ data: { file, notes, language } }) => {
  try {
    const { verify } = await starting;
    self.postMessage(JSON.parse(verify(file, notes, language)));
  } catch (error) {
    console.error(error);
    self.postMessage({ is: "failed" });
  }
};
