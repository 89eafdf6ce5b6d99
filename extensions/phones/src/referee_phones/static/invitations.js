// Codes of free seats, to be scanned.

import { encode } from "./vendor/uqr.js";
import { html } from "./view.js";
import { say } from "./words.js";

// demo: only of a virtual table (/app.json).
export function Invitations({ codes, demo }) {
  if (!codes.length || (demo && !demo.scan)) return null;
  return html`<section class="box codes" aria-labelledby="take">
    <h2 id="take">${say("take-a-seat")}</h2>
    <p class="quiet">${say("scan")}</p>
    <ul>
      ${codes.map(({ seat, address }) => html`<${Invitation} key=${seat} seat=${say("seat", { seat: seat.toUpperCase() })} address=${address} />`)}
    </ul>
  </section>`;
}

// At a virtual table every seat is a page that this browser opens. While seats are free that is what comes first: each
// link brings its code.
export function Play({ demo, codes }) {
  if (!demo || !codes.length) return null;
  return html`<section class="box play" aria-labelledby="play">
    <h2 id="play">${say("play")}</h2>
    <p class="quiet">${say("play-hint")}</p>
    <div class="row"><${Seats} demo=${demo} codes=${codes} /></div>
  </section>`;
}

// Once they are taken, the same links in a line.
export function Pages({ demo, codes, players }) {
  if (!demo || codes.length) return null;
  return html`<nav class="pages" aria-label=${say("play")}><${Seats} demo=${demo} codes=${codes} players=${players} /></nav>`;
}

function Seats({ demo, codes, players = [] }) {
  const name = (seat) => players.find((player) => player.seat === seat)?.name ?? seat.toUpperCase();
  const address = (seat) => codes.find((each) => each.seat === seat)?.address ?? demo.seats[seat];
  return Object.keys(demo.seats).map((seat) => html`<a key=${seat} href=${address(seat)} target=${`seat-${seat}`}>${say("play-as", { seat: name(seat) })}</a>`);
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
