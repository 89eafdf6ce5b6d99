// All rules of a game, clause by clause. Each game's are fetched once, when it is chosen, so they can be read without the
// table and nobody in the network sees who looks something up.
//
// A `book` is what pages pass on: rules (of the game that is played, null without), open(clause, line).

import { Dialog } from "./dialog.js";
import { Picture } from "./pictures.js";
import { Short } from "./rules.js";
import { html } from "./view.js";
import { games, language, pieceName, say } from "./words.js";

const NAMED = /(?:^|[(（])([A-Z]\d+[a-z]?)(?=[:：)）])/g;
const CLAUSE = "[A-Z]\\d+[a-z]?";
const books = new Map();

export const rulesOf = (game) => books.get(game) ?? null;

export async function fetchRules(game) {
  if (!game || rulesOf(game)) return;
  const answer = await fetch(`rules/${game}.json`).catch(() => null);
  if (!answer?.ok) return;
  const { pieces, terms, sections } = await answer.json();
  const clauses = new Set(sections.flatMap(({ blocks }) => blocks.map(({ clause }) => clause)));
  const longest = Object.keys(terms).sort((one, other) => other.length - one.length);
  books.set(game, { pieces, sections, clauses, links: { clauses, terms, within: new RegExp(`\\b(${[...longest, CLAUSE].join("|")})\\b`) } });
}

// The clauses that lines name, each with the first of them: {clause, line}.
export function cited(lines, rules) {
  const found = new Map();
  for (const line of lines) {
    for (const [, clause] of line.matchAll(NAMED)) if (rules?.clauses.has(clause) && !found.has(clause)) found.set(clause, line);
  }
  return [...found].map(([clause, line]) => ({ clause, line }));
}

// The sections with what holds all words that are looked for.
function matching(sections, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (text) => words.every((word) => text.toLowerCase().includes(word));
  const text = ({ clause = "", text: said = "", rows = [] }) => [clause, said, ...rows.map((row) => row.join(" "))].join(" ");
  return sections
    .map(({ title, blocks }) => ({ title, blocks: holds(title) ? blocks : blocks.filter((block) => holds(text(block))) }))
    .filter(({ blocks }) => blocks.length);
}

// clause: the one that is looked up, with the line of the page that names it. short: the game's reference card.
export class Rulebook extends Dialog {
  constructor(props) {
    super(props);
    this.state = { game: props.game || Object.keys(games())[0], clause: props.clause, query: "" };
  }

  componentDidMount() {
    super.componentDidMount();
    this.turn(this.state.game);
    this.reach(this.state.clause);
  }

  componentDidUpdate(_, { clause }) {
    if (this.state.clause !== clause) this.reach(this.state.clause);
  }

  // A browser gives the keyboard back to the button that opened a dialog when that is closed, not when it goes away.
  componentWillUnmount() {
    super.componentWillUnmount();
    this.box.current.close?.();
  }

  turn(game) {
    this.setState({ game, query: "" });
    fetchRules(game).then(() => this.forceUpdate());
  }

  reach(clause) {
    const found = clause && this.box.current.querySelector(`#rule-${clause}`);
    if (!found) return;
    found.closest("details").open = true;
    found.scrollIntoView({ block: "center" });
    found.focus({ preventScroll: true });
  }

  // Even to the clause that was looked up last: its section may have been closed since.
  go(clause) {
    this.setState({ clause, query: "" }, () => this.reach(clause));
  }

  render({ close, clause: looked, line, short, game: played }, { game, clause, query }) {
    const rules = rulesOf(game);
    const known = rules ? matching(rules.sections, query) : [];
    const count = known.reduce((sum, { blocks }) => sum + blocks.length, 0);
    const about = ({ title, blocks }) => !title && !blocks.some(({ clause }) => clause);
    const sections = [...known.filter((section) => !about(section)), ...known.filter(about)];
    return html`<dialog ref=${this.box} class="drawer book" aria-labelledby="book" onClose=${close} onClick=${(event) => event.target === this.box.current && close()}>
      <div class="inside">
        <div class="top">
          <h2 id="book">${say("all-rules")}</h2>
          <button type="button" class="plain" onClick=${close}>${say("close")}</button>
        </div>
        <div class="row">
          <select aria-label=${say("game")} value=${game} onChange=${({ target }) => this.turn(target.value)}>
            ${Object.entries(games()).map(([name, title]) => html`<option value=${name} selected=${name === game}>${title}</option>`)}
          </select>
          ${rules && html`<input type="search" aria-label=${say("search-rules")} placeholder=${say("search-rules")} value=${query} onInput=${({ target }) => this.setState({ query: target.value })} />`}
        </div>
        <p class="unseen" role="status">${query && say("rules-found", { count })}</p>
        ${rules ? language !== "en" && html`<p class="quiet">${say("rules-english")}</p>` : html`<p class="note">${say("rules-missing")}</p>`}
        ${!query && game === played && short.length > 0 && html`<details class="rules" open=${!clause}>
          <summary><h3>${say("rules")}</h3></summary>
          <${Short} rules=${short} />
        </details>`}
        ${!query && rules?.pieces.length > 0 && html`<ul class="pieces">
          ${rules.pieces.map((kind) => html`<li key=${kind}><${Picture} name=${kind} /><span>${pieceName(kind)}</span></li>`)}
        </ul>`}
        ${query && !count && html`<p class="quiet" aria-hidden="true">${say("rules-found", { count })}</p>`}
        ${sections.map((section) => html`<${Section} key=${`${game} ${section.title}`} ...${section} query=${query} clause=${clause} line=${clause === looked && language !== "en" ? line : null} links=${rules.links} go=${(to) => this.go(to)} />`)}
      </div>
    </dialog>`;
  }
}

// line: what the page says of the clause that is looked up, in its language.
function Section({ title, blocks, query, clause, line, links, go }) {
  const open = Boolean(query) || blocks.some((block) => block.clause && block.clause === clause);
  const ruled = blocks.some((block) => block.clause);
  return html`<details class="rules" open=${open}>
    <summary><h3 lang=${title ? "en" : null}>${title || say(ruled ? "all-rules" : "rules-about")}</h3></summary>
    <div class="clauses" lang="en">${blocks.map((block) => html`<${Block} ...${block} title=${title} looked=${clause} line=${line} links=${links} go=${go} />`)}</div>
  </details>`;
}

function Block({ clause, text, rows, title, looked, line, links, go }) {
  const words = (said) => html`<${Words} said=${said} own=${clause} links=${links} go=${go} />`;
  if (rows) {
    const [head, ...body] = rows;
    return html`<div class="wide-table" tabindex="0" role="region" aria-label=${title}><table>
      <thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
      <tbody>${body.map((row) => html`<tr>${row.map((cell) => html`<td>${words(cell)}</td>`)}</tr>`)}</tbody>
    </table></div>`;
  }
  if (!clause) return html`<p>${words(text)}</p>`;
  const here = clause === looked;
  return html`<p id=${`rule-${clause}`} tabindex="-1" class=${here ? "clause here" : "clause"}>
    <b>${clause}</b>${here && line && html` <em lang=${document.documentElement.lang}>${line}</em>`} <span>${words(text)}</span>
  </p>`;
}

// A text in which each clause that is named and each term that another clause explains can be tapped.
function Words({ said, own, links: { clauses, terms, within }, go }) {
  const tap = (event, clause) => {
    event.preventDefault(); // the address stays: what follows # in it may be a code
    go(clause);
  };
  return said.split(within).map((part, at) => {
    const clause = terms[part] ?? part;
    if (at % 2 === 0 || clause === own || !clauses.has(clause)) return part;
    return html`<a href=${`#rule-${clause}`} class=${clause === part ? "" : "term"} onClick=${(event) => tap(event, clause)}>${part}</a>`;
  });
}
