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

// At a virtual table every seat is a page that this browser opens: with its code while it is free; during a match only
// where somebody plays so.
export function Play({ demo, codes, players }) {
  if (!demo) return null;
  const taken = (seat) => players.find((player) => player.seat === seat)?.phone;
  const code = (seat) => codes.find((each) => each.seat === seat)?.address;
  const seats = Object.entries(demo.seats).filter(([seat]) => code(seat) || taken(seat) || !players.length);
  return html`<section class="box play" aria-labelledby="play">
    <h2 id="play">${say("play")}</h2>
    <p class="quiet">${say("play-hint")}</p>
    <ul>
      ${seats.map(([seat, page]) => html`<li key=${seat}><a href=${code(seat) ?? page} target=${`seat-${seat}`}>${say("play-as", { seat: seat.toUpperCase() })}</a></li>`)}
    </ul>
  </section>`;
}

// The simulator's own page, where this browser may open it.
export function Bench({ demo }) {
  if (!demo?.bench) return null;
  return html`<p class="bench"><a href=${demo.bench} target="bench">${say("bench")}</a> ${say("bench-hint")}</p>`;
}

function Invitation({ seat, address }) {
  return html`<li>
    <${Code} address=${address} label=${say("code-of", { seat, address })} />
    <strong>${seat}</strong>
    <a href=${address}>${address.replace(/^https?:\/\//i, "")}</a>
  </li>`;
}

// Dark on white whatever the page's colours are, with the four modules of white that a reader needs.
function Code({ address, label }) {
  const { data, size } = encode(address, { ecc: "M", border: 4 });
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return html`<svg class="code" viewBox=${`0 0 ${size} ${size}`} role="img" aria-label=${label} shape-rendering="crispEdges">
    <rect width=${size} height=${size} fill="#ffffff" />
    <path d=${squares.join("")} fill="#000000" />
  </svg>`;
}
