// The first page of the site: choose a game, and the table is set up in this tab. Each seat is a page of its own, as on a
// phone; between two players the device is handed on.

import { keep, kept } from "./kept.js";
import { load, symbol } from "./pictures.js";
import { Component, html, render } from "./view.js";
import { choose, games, language, say, speak, wanted } from "./words.js";

const MATCH = "match";
const TOGETHER = "together";
const TABLE = "table";
const LESSON = "lesson";

// Python starts while the first page is drawn, and while the player looks at it.
const newWorker = () => new Worker("worker.js", { type: "module" });
let spare = newWorker();

const AT_FIRST = { chosen: false, share: 0, ready: false, failed: null, unkept: false, sheet: null, shown: "a", way: TOGETHER, covered: false };

class Site extends Component {
  constructor(props) {
    super(props);
    this.state = AT_FIRST;
    this.links = 0;
    this.left = null; // once the match before is kept
    addEventListener("message", (event) => this.opened(event));
    this.start();
  }

  start() {
    this.asked = null;
    this.seat = null;
    this.worker = spare ?? newWorker();
    spare = null;
    this.worker.onmessage = ({ data }) => this.told(data);
    this.worker.onerror = () => this.setState({ failed: "site-failed" });
  }

  // The page of a seat loads behind the curtain while the table is set up: most likely of the player who saw it last.
  // way: who plays at the other seats (referee_tab/table.py); a match that goes on is no lesson any more.
  async begin(game, players, leave, way = TOGETHER) {
    const shown = (!leave && kept(MATCH)?.shown) || "a";
    this.begun = { game, players, shown, way: way === LESSON ? TABLE : way };
    this.setState({ chosen: true, shown, way, covered: !leave && players > 1 && way === TOGETHER });
    await this.left;
    this.worker.postMessage({ begin: { game, players, language, leave, way } });
  }

  told(data) {
    if (data.share !== undefined) this.setState({ share: data.share });
    if (data.failed) this.setState({ failed: data.failed });
    if (data.unkept) this.setState({ unkept: true });
    if (!data.ready) return;
    keep(MATCH, this.begun); // not before: another tab may have the match open
    this.watch();
  }

  // This page follows the table as everybody sees it: whose turn it is.
  watch() {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => data !== true && this.seen(JSON.parse(data).sheet ?? {});
    this.connect("table", language, port2);
    this.setState({ ready: true });
  }

  opened({ data, source, origin, ports }) {
    if (origin !== location.origin || source === window) return;
    if (data?.page) this.asked = { page: data.page, language: data.language, port: ports[0] };
    if (data?.leave) this.leave();
    this.admit();
  }

  componentDidUpdate() {
    this.admit();
  }

  // A seat's page gets nothing before its player has lifted the curtain.
  admit() {
    const { sheet, shown, covered } = this.state;
    if (!sheet || covered || this.asked?.page !== shown) return;
    if (this.seat) this.worker.postMessage({ close: this.seat });
    this.seat = this.connect(shown, this.asked.language, this.asked.port);
    this.asked = null;
  }

  connect(page, spoken, port) {
    this.links += 1;
    this.worker.postMessage({ open: { link: this.links, page, language: spoken } }, [port]);
    return this.links;
  }

  seen(changed) {
    const { sheet: before, shown, way, covered } = this.state;
    const sheet = { ...before, ...changed };
    const seats = way === TOGETHER ? sheet.players.map(({ seat }) => seat) : ["a"];
    const turn = sheet.players.find((player) => player.turn && seats.includes(player.seat))?.seat;
    const now = before && seats.includes(shown) ? shown : (turn ?? seats[0]);
    // Who is at it alone passes nothing on; at the end everybody may look.
    const passes = turn && turn !== now && !sheet.ending;
    const next = passes ? turn : now;
    if (next !== shown) keep(MATCH, { ...kept(MATCH), shown: next });
    this.setState({ sheet, shown: next, covered: passes || (covered && Boolean(turn)) });
  }

  leave() {
    const { worker } = this;
    this.left = new Promise((left) => (worker.onmessage = ({ data }) => (data.left || data.failed) && left()));
    this.left.then(() => worker.terminate());
    worker.postMessage({ leave: true });
    this.start();
    this.setState(AT_FIRST);
  }

  render({ site, pick }, { chosen, share, ready, failed, unkept, sheet, shown, way, covered }) {
    if (!chosen) return html`<${Games} site=${site} pick=${pick} begin=${(...each) => this.begin(...each)} />`;
    const waits = failed || !ready || !sheet;
    const playing = waits ? [] : sheet.players.filter(({ seat }) => (way === TOGETHER && sheet.status !== null) || seat === shown);
    const name = (seat) => sheet?.players.find((player) => player.seat === seat)?.name ?? seat.toUpperCase();
    const look = (seat) => seat !== shown && this.setState({ shown: seat, covered: !sheet.ending });
    return html`<div class="page seats">
      <header class="bar">
        <button type="button" class="plain" onClick=${() => this.leave()}>${say("site-leave")}</button>
        ${playing.length > 1 && html`<div class="which" role="group" aria-label=${say("players")}>
          ${playing.map(({ seat }) => html`<button type="button" key=${seat} class="plain" aria-pressed=${seat === shown} onClick=${() => look(seat)}>${name(seat)}</button>`)}
        </div>`}
        ${unkept && html`<p role="status">${say("site-unkept")}</p>`}
      </header>
      <main>
        <iframe key=${shown} class="shown" src=${`${shown}/`} inert=${waits || covered} title=${say("seat", { seat: name(shown) })}></iframe>
        ${failed
          ? html`<section class="cover"><p role="alert">${say(failed)}</p></section>`
          : waits
          ? html`<section class="cover"><p role="status">${say("site-loading", { percent: Math.round(100 * share) })}</p><progress max="1" value=${share}></progress></section>`
          : covered &&
            html`<section class="cover curtain"><h2>${say("site-pass", { name: name(shown) })}</h2><p>${say("site-private", { name: name(shown) })}</p><button type="button" class="plain strong" onClick=${() => this.setState({ covered: false })}>${say("site-show", { name: name(shown) })}</button></section>`}
      </main>
    </div>`;
  }
}

function Games({ site, pick, begin }) {
  const last = kept(MATCH);
  return html`<main class="site">
    <header>
      <h1>${say("title")}</h1>
      <p>${say("site-about")}</p>
      <label class="language">${say("language")} <select onChange=${({ target }) => pick(target.value)}>
        ${site.languages.map(({ code, name }) => html`<option key=${code} value=${code} selected=${code === language}>${name}</option>`)}
      </select></label>
    </header>
    ${last && html`<p class="go-on"><button type="button" class="plain strong" onClick=${() => begin(last.game, last.players, false, last.way)}>${say("site-go-on", { game: games()[last.game] })}</button></p>`}
    <ul class="games">
      ${site.games.map(({ name, players, pictures, cards, alone }) => html`<li key=${name} class="box">
        <svg class="drawn" viewBox=${`0 0 ${100 * Math.max(1, pictures.length)} 100`} aria-hidden="true">${pictures.map((each, place) => html`<g key=${each} transform=${`translate(${100 * place + 50} 50)`}>${symbol(each, 80)}</g>`)}</svg>
        <h2>${games()[name]}</h2>
        <p class="quiet">${say(cards ? "site-cards" : "site-all-here")}</p>
        ${alone > 0 && html`<div class="ways">
          <button type="button" class="plain" onClick=${() => begin(name, alone, true, LESSON)}>${say("learn")}</button>
          <button type="button" class="plain" onClick=${() => begin(name, alone, true, TABLE)}>${say("site-against")}</button>
        </div>`}
        <div class="ways">${players.map((count) => html`<button type="button" key=${count} class="plain" onClick=${() => begin(name, count, true)}>${count === 1 ? say("site-players-1") : say("site-players", { count })}</button>`)}</div>
      </li>`)}
    </ul>
    <p class="quiet">${say("site-honest")}</p>
    <p><a href=${`verify/${language}/`}>${say("site-verify")}</a></p>
  </main>`;
}

async function start() {
  const [answer] = await Promise.all([fetch("site.json"), load()]);
  const site = await answer.json();
  const draw = () => {
    document.title = say("title");
    document.documentElement.lang = site.languages.find(({ code }) => code === language).tag;
    render(html`<${Site} site=${site} pick=${(code) => choose(code).then(draw)} />`, document.getElementById("app"));
  };
  await speak(wanted(site));
  document.getElementById("instead").remove();
  draw();
  if ("serviceWorker" in navigator) navigator.serviceWorker.register("offline.js");
}

start();
