// A seat's page: whose turn, what is asked, what may be tapped, what only this seat knows, what happened.

import { Askable } from "./about.js";
import { Choices } from "./choices.js";
import { Clocks } from "./clocks.js";
import { Ending, Record } from "./ending.js";
import { Hint } from "./hint.js";
import { Invitations } from "./invitations.js";
import { LessonCard } from "./lesson.js";
import { Mark } from "./mark.js";
import { Panels } from "./panels.js";
import { Alert, Broken, Lacks, Link } from "./parts.js";
import { Regret } from "./regret.js";
import { Rules } from "./rules.js";
import { linesOf, read, within } from "./selections.js";
import { Told } from "./told.js";
import { Touch } from "./touch.js";
import { html } from "./view.js";
import { say } from "./words.js";

const FEW = 6;

export function SeatPage({ sheet, refusals, seat, codes, link, note, tap, save, saving, signs, now, open, again, naming, hand, brings, beside, book, lesson }) {
  const me = sheet.players.find((player) => player.seat === seat);
  const { answers } = sheet;
  // A step that is only read: nothing is chosen, or set up, beside it, except what the own menu asks.
  const reading = lesson?.moves?.length === 0 && !answers.asks;
  const asks = reading ? say("learn") : answers.asks ?? sheet.wanted;
  const choosing = !reading && (answers.lines.length > 0 || answers.back);
  const things = answers.touch?.things ?? [];
  const touched = things.length > 0;
  // Where nothing drawn is lit, the list shows what a lesson wants.
  const wanted = !touched && lesson?.moves ? linesOf(within(read(answers), lesson.moves)) : [];
  const touching = touched || (sheet.board && !sheet.ending);
  // Where no card can be touched, the hand of which the referee knows nothing stands in the same place.
  const high = brings || !things.some((key) => key.startsWith("="));
  const sky = things.some((key) => key.startsWith("#")) && sheet.panels.find(({ kind }) => kind === "ring");
  const panels = sheet.panels.filter((panel) => panel !== sky);
  return html`<div class=${me?.turn ? "page seat turn" : "page seat"}>
    <header class="bar">
      <div class="names">
        <span class="who"><${Link} state=${link} /><${Mark} colour=${me?.colour} />${me?.name ?? say("seat", { seat: seat.toUpperCase() })}${me?.side && me.side !== me.name ? html` <span class="side">${me.side}</span>` : ""}</span>
        <span class="game">${sheet.heading}</span>
      </div>
      <button type="button" class="plain" onClick=${open}>${say("menu")}</button>
    </header>
    <main>
      <${Broken} state=${link} again=${again} />
      <h1 class="status">${sheet.status ?? sheet.heading}</h1>
      ${sheet.clocks.length > 0 && html`<${Clocks} clocks=${sheet.clocks} players=${sheet.players} now=${now} />`}
      <${Alert} alert=${sheet.alert} book=${book} />
      ${note && html`<p class="note" role="status">${note}</p>`}
      ${!lesson && !sheet.told.length && naming}
      ${sheet.ending && html`<${Ending} ending=${sheet.ending} board=${sheet.board} players=${sheet.players} />`}
      ${lesson && html`<${LessonCard} key=${lesson.at} ...${lesson} book=${book} />`}
      <${Askable} list=${answers} board=${sheet.board} sky=${sky} rules=${sheet.rules} book=${book}>
        <h2 id="asks">${asks ?? (choosing ? say("to-do") : say("nothing-to-do"))}</h2>
        ${!reading && answers.asks && sheet.wanted && html`<p class="wanted">${sheet.wanted}</p>`}
        ${!lesson && html`<${Hint} list=${answers} rules=${sheet.rules} panels=${sheet.panels} />`}
        ${touching && html`<${Touch} board=${sheet.board} players=${sheet.players} sky=${sky} list=${answers} refused=${sheet.alert[0]} only=${lesson?.moves} hand=${high && hand} brings=${brings} tap=${(serial, line) => tap(serial, line, false)} />`}
        ${sheet.regret !== null && html`<${Regret} key=${sheet.regret} ends=${sheet.regret} now=${now} undo=${() => tap(answers.serial, -2, false)} />`}
        ${touched && choosing && html`<h3>${say("all-moves")}</h3>`}
        ${choosing && html`<${Choices} refusals=${refusals} list=${answers} wanted=${wanted} name=${asks ?? say("to-do")} tap=${(serial, line) => tap(serial, line, false)} />`}
      </>
      ${sheet.ending && html`<div class="ending record">
        <${Record} ending=${sheet.ending} players=${sheet.players} game=${sheet.heading} result=${sheet.wanted} save=${save} saving=${saving} signs=${signs} />
      </div>`}
      <${Invitations} codes=${codes} />
      <${Lacks} lacks=${sheet.lacks} />
      ${!(high && touching) && hand}
      ${beside}
      ${panels.length > 0 && html`<section class="box" aria-labelledby="knows">
        <h2 id="knows">${say("you-know")}</h2>
        <${Panels} panels=${panels} />
      </section>`}
      ${!lesson && sheet.told.length > 0 && naming}
      <${Told} told=${sheet.told} undo=${sheet.undo} few=${FEW} />
      <${Rules} rules=${sheet.rules} book=${book} />
    </main>
    <${Jumps} places=${{ asks: "to-do", ...(panels.length && { knows: "you-know" }), ...(sheet.told.length && { happened: "happened" }) }} />
  </div>`;
}

// A list may be longer than the display: what is known and what happened are one tap away. places: keys by element.
function Jumps({ places }) {
  const there = Object.entries(places);
  if (there.length < 2) return null;
  const go = (id) => document.getElementById(id).scrollIntoView({ block: id === "asks" ? "center" : "start" });
  return html`<nav class="jump" aria-label=${say("this-page")}>
    ${there.map(([id, key]) => html`<button type="button" key=${id} onClick=${() => go(id)}>${say(key)}</button>`)}
  </nav>`;
}
