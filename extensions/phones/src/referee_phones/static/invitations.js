// Codes of free seats, to be scanned.

import { encode } from "./vendor/uqr.js";
import { html } from "./view.js";
import { say } from "./words.js";

export function Invitations({ codes }) {
  if (!codes.length) return null;
  return html`<section class="box codes" aria-labelledby="take">
    <h2 id="take">${say("take-a-seat")}</h2>
    <p class="quiet">${say("scan")}</p>
    <ul>
      ${codes.map(({ seat, address }) => html`<${Invitation} key=${seat} seat=${say("seat", { seat: seat.toUpperCase() })} address=${address} />`)}
    </ul>
  </section>`;
}

function Invitation({ seat, address }) {
  return html`<li>
    <${Code} address=${address} label=${say("code-of", { seat, address })} />
    <strong>${seat}</strong>
    <a href=${address}>${address.replace(/^https?:\/\//i, "")}</a>
  </li>`;
}

// Dark on white whatever the page's colours are, with the four modules of white that a reader needs.
export function Code({ address, label }) {
  const { data, size } = encode(address, { ecc: "M", border: 4 });
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return html`<svg class="code" viewBox=${`0 0 ${size} ${size}`} role="img" aria-label=${label} shape-rendering="crispEdges">
    <rect width=${size} height=${size} fill="#ffffff" />
    <path d=${squares.join("")} fill="#000000" />
  </svg>`;
}
