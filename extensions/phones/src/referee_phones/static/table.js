// The table's page, for a tablet or a television: the board, whose turn it is, what is wanted, and what happened.

import { Board } from "./board.js";
import { Play } from "./demo.js";
import { Deciding, Ending, Record } from "./ending.js";
import { Invitations } from "./invitations.js";
import { Mark, colourOf } from "./mark.js";
import { Nameable } from "./naming.js";
import { Panels } from "./panels.js";
import { Alert, Broken, Lacks, Link, Players } from "./parts.js";
import { Rules } from "./rules.js";
import { Told } from "./told.js";
import { html } from "./view.js";
import { say } from "./words.js";

const FEW = 8;

// name(seat, name, colour): names a player who has no page. begin(): starts the match, where what is put beside the page
// can. seat(seats): shows seats in this window.
export function TablePage({ sheet, link, note, now, save, saving, open, again, demo, name, beside, begin, seat, book }) {
  const { board, answers } = sheet;
  const known = sheet.panels.length > 0 && html`<section class="box" aria-labelledby="knows" tabindex=${board ? null : 0}>
    <h2 id="knows">${say("all-know")}</h2>
    <${Panels} panels=${sheet.panels} />
  </section>`;
  const played = sheet.told.length > 0;
  const apart = !board && Boolean(sheet.ending?.ring);
  // Before a match the seats come first; after it, what became of it.
  const seats = html`${(!demo || demo.scan) && html`<${Invitations} codes=${sheet.codes} />`}
    <${Nameable} players=${sheet.nameable} colours=${sheet.colours} keep=${name} />`;
  return html`<div class="page table">
    <header class="bar">
      <span class="game"><${Link} state=${link} />${sheet.heading}</span>
      ${demo && html`<${Play} demo=${demo} game=${sheet.game} codes=${sheet.codes} colours=${sheet.colours} players=${sheet.players} seat=${seat} />`}
      ${beside && html`<button type="button" class="plain" aria-expanded=${beside.open} onClick=${beside.toggle}>${beside.label}</button>`}
      <button type="button" class="plain" onClick=${open}>${say("menu")}</button>
    </header>
    <main class=${sheet.ending ? "ended" : board || sheet.players.length ? "" : "alone"}>
      <${Broken} state=${link} again=${again} />
      ${note && html`<p class="note" role="status">${note}</p>`}
      <div class="head">
        <h1 class="status">${sheet.status ?? sheet.heading}</h1>
        ${(answers.asks ?? sheet.wanted) && html`<p class="wanted">${answers.asks ?? sheet.wanted}</p>`}
        ${answers.lines.length > 0 && !begin && html`<p class="quiet">${say("start-at-a-seat")}</p>`}
        ${!sheet.ending && played && html`<p class="last"><${Mark} colour=${colourOf(sheet.players, sheet.last)} />${sheet.told[sheet.told.length - 1]}</p>`}
        ${begin && answers.lines.length > 0 && html`<button type="button" class="plain strong begin" onClick=${begin}>${answers.lines[0]}</button>`}
      </div>
      <div class="middle">
        ${board && html`<${Board} board=${board} players=${sheet.players} picture=${sheet.picture} marks=${sheet.marks} />`}
        ${apart && html`<div class="box whole"><${Deciding} ending=${sheet.ending} /></div>`}
        ${!board && !played && seats}
        ${!board && known}
        ${!board && played && seats}
      </div>
      <div class="side-column" tabindex="0" role="group" aria-label=${say("players")}>
        ${sheet.ending && html`<${Ending} ending=${sheet.ending} board=${board} players=${sheet.players} apart=${apart}><${Record} ending=${sheet.ending} players=${sheet.players} game=${sheet.heading} result=${sheet.wanted} save=${save} saving=${saving} /></>`}
        ${board && !played && seats}
        <${Players} players=${sheet.players} clocks=${sheet.clocks} now=${now} />
        <${Alert} alert=${sheet.alert} book=${book} />
        <${Lacks} lacks=${sheet.lacks} />
        ${board && known}
        <${Told} told=${sheet.told} undo=${sheet.undo} few=${FEW} reached />
        ${board && played && seats}
        <${Rules} rules=${sheet.rules} book=${book} />
      </div>
    </main>
  </div>`;
}
