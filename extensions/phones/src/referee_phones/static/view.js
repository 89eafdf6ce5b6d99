// The view library, in one place: Preact, with htm instead of JSX. Both are vendored as they were published.

import { Component, createRef, h, render } from "./vendor/preact.js";
import htm from "./vendor/htm.js";

export const html = htm.bind(h);
export { Component, createRef, render };
