// All rules of a game, clause by clause. Each game's are fetched once a language, when it is chosen, so they can be read
// without the table and nobody in the network sees who looks something up.
//
// A `book` is what pages pass on: rules (of the game that is played, null without), open(clause).

import { Dialog } from "./dialog.js";
import { Picture } from "./pictures.js";
import { Short } from "./rules.js";
import { html } from "./view.js";
import { games, language, pieceName, say } from "./words.js";

const NAMED = /(?:^|[(（])([A-Z]\d+[a-z]?)(?=[:：)）])/g;
const CLAUSE = "[A-Z]\\d+[a-z]?";
const LETTER = /[\p{L}\p{N}]/u;
const HAN = /\p{Script=Han}/u; // written without blanks between words
const books = new Map();

const named = (game) => `rules/${language}/${game}.json`;

export const rulesOf = (game) => books.get(named(game)) ?? null;

export async function fetchRules(game) {
  if (!game || rulesOf(game)) return;
  const file = named(game);
  const answer = await fetch(file).catch(() => null);
  if (!answer?.ok) return;
  const { language: spoken, pieces, terms: given, forms, sections } = await answer.json();
  const terms = { ...given, ...forms };
  const clauses = new Set(sections.flatMap(({ blocks }) => blocks.map(({ clause }) => clause)));
  const longest = Object.keys(terms).sort((one, other) => other.length - one.length);
  books.set(file, { lang: spoken === language ? null : spoken, pieces, sections, clauses, links: { clauses, terms, named: new RegExp([...longest, CLAUSE].join("|"), "gu") } });
}

// The clauses that lines name.
export function cited(lines, rules) {
  const found = lines.flatMap((line) => [...line.matchAll(NAMED)].map(([, clause]) => clause));
  return [...new Set(found)].filter((clause) => rules?.clauses.has(clause));
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

// clause: the one that is looked up. short: the game's reference card.
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

  render({ close, short, game: played }, { game, clause, query }) {
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
        ${rules ? rules.lang && html`<p class="quiet">${say("rules-english")}</p>` : html`<p class="note">${say("rules-missing")}</p>`}
        ${!query && game === played && short.length > 0 && html`<details class="rules" open=${!clause}>
          <summary><h3>${say("rules")}</h3></summary>
          <${Short} rules=${short} />
        </details>`}
        ${!query && rules?.pieces.length > 0 && html`<ul class="pieces">
          ${rules.pieces.map((kind) => html`<li key=${kind}><${Picture} name=${kind} /><span>${pieceName(kind)}</span></li>`)}
        </ul>`}
        ${query && !count && html`<p class="quiet" aria-hidden="true">${say("rules-found", { count })}</p>`}
        ${sections.map((section) => html`<${Section} key=${`${game} ${section.title}`} ...${section} query=${query} clause=${clause} lang=${rules.lang} links=${rules.links} go=${(to) => this.go(to)} />`)}
      </div>
    </dialog>`;
  }
}

// lang: of the rules, null if it is the page's.
function Section({ title, blocks, query, clause, lang, links, go }) {
  const open = Boolean(query) || blocks.some((block) => block.clause && block.clause === clause);
  const ruled = blocks.some((block) => block.clause);
  return html`<details class="rules" open=${open}>
    <summary><h3 lang=${title ? lang : null}>${title || say(ruled ? "all-rules" : "rules-about")}</h3></summary>
    <div class="clauses" lang=${lang}>${blocks.map((block) => html`<${Block} ...${block} title=${title} looked=${clause} links=${links} go=${go} />`)}</div>
  </details>`;
}

function Block({ clause, text, rows, title, looked, links, go }) {
  const words = (said) => html`<${Words} said=${said} own=${clause} links=${links} go=${go} />`;
  if (rows) {
    const [head, ...body] = rows;
    return html`<div class="wide-table" tabindex="0" role="region" aria-label=${title}><table>
      <thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
      <tbody>${body.map((row) => html`<tr>${row.map((cell) => html`<td>${words(cell)}</td>`)}</tr>`)}</tbody>
    </table></div>`;
  }
  if (!clause) return html`<p>${words(text)}</p>`;
  return html`<p id=${`rule-${clause}`} tabindex="-1" class=${clause === looked ? "clause here" : "clause"}>
    <b>${clause}</b> <span>${words(text)}</span>
  </p>`;
}

const joined = (one = "", other = "") => [one, other].every((each) => LETTER.test(each) && !HAN.test(each));

// A text's parts: every second one is a name, and no piece of a longer word.
function divided(text, named) {
  const parts = [];
  let end = 0;
  for (const { 0: name, index } of text.matchAll(named)) {
    const after = index + name.length;
    if (joined(text[index - 1], name[0]) || joined(name[name.length - 1], text[after])) continue;
    parts.push(text.slice(end, index), name);
    end = after;
  }
  return [...parts, text.slice(end)];
}

// A text in which each clause that is named and each term that another clause explains can be tapped.
function Words({ said, own, links: { clauses, terms, named }, go }) {
  const tap = (event, clause) => {
    event.preventDefault(); // the address stays: what follows # in it may be a code
    go(clause);
  };
  return divided(said, named).map((part, at) => {
    const clause = terms[part] ?? part;
    if (at % 2 === 0 || clause === own || !clauses.has(clause)) return part;
    return html`<a href=${`#rule-${clause}`} class=${clause === part ? "" : "term"} onClick=${(event) => tap(event, clause)}>${part}</a>`;
  });
}
