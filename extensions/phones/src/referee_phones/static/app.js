// One app for every audience: the address tells which (/app.json). It shows the sheets that come over the link and sends
// taps back; it decides nothing, and hides nothing that it was given.

import { stayAwake } from "./awake.js";
import { Seats } from "./demo.js";
import { Door } from "./door.js";
import { Drawer, look } from "./drawer.js";
import * as joining from "./joining.js";
import { NAMED, isFromPlay, keep, kept } from "./kept.js";
import { connect } from "./link.js";
import { OwnerPage, gathering } from "./owner.js";
import { OwnNaming } from "./naming.js";
import { load } from "./pictures.js";
import { download } from "./poster.js";
import { Rulebook, fetchRules, rulesOf } from "./rulebook.js";
import { changes, play, tell, usually } from "./said.js";
import { SeatPage } from "./seat.js";
import { TablePage } from "./table.js";
import { html, render } from "./view.js";
import { choose, language, say, speak, wanted } from "./words.js";

const NOTE_MS = 4000;
const TABLE = "table";
const OWNER = "owner";
const CAMERA = "camera";
const NAME = "name";
const WAITING = ["away", "full"]; // the page tries again by itself

const root = document.getElementById("app");
let about = null;
let link = null;
let state = { link: "connecting", why: null, sheet: null, step: null, file: null, seat: null, spare: null, refusal: null, barred: false, asking: false, note: null, refusals: 0, greeted: null, open: false, aside: false, naming: false, saving: "", here: null, learns: false, lesson: null, reads: null };
let challenge = null;
let offset = 0;
let missed = false;
let Beside = null;
let begin = null;

const now = () => performance.now() / 1000 + offset;

function set(changed) {
  state = { ...state, ...changed };
  draw();
}

function draw() {
  document.title = state.step ? `${state.step.doing} · ${say("title")}` : state.sheet?.status ? `${state.sheet.status} · ${say("title")}` : say("title");
  document.documentElement.lang = about.languages.find(({ code }) => code === language).tag;
  render(html`<${App} />`, root);
}

function App() {
  if (about.audience === OWNER) return html`<${Owner} />`;
  const { sheet, seat, open } = state;
  const atTable = about.audience === TABLE;
  const book = { rules: rulesOf(sheet?.game), open: (clause) => set({ open: false, reads: { clause } }) };
  const shared = { sheet, refusals: state.refusals, link: state.link, now, save, saving: state.saving, signs: about.signs, open: () => set({ open: true }), again: () => link?.open(), book };
  if (!sheet || (!atTable && !seat)) {
    const retry = joining.may() && !state.barred ? greet : null;
    return html`<${Door} ...${shared} about=${about} refusal=${state.refusal ?? state.note} why=${state.why} barred=${state.barred} joining=${state.asking} table=${atTable} pick=${pick} retry=${retry} come=${atTable || state.barred ? null : claim} />`;
  }
  const me = sheet.players.find((player) => player.seat === seat);
  const asked = !kept("named") && !isFromPlay() && me?.name === seat?.toUpperCase();
  const naming = (state.naming || asked) && html`<${OwnNaming} key=${state.naming} seat=${seat} focus=${state.naming} keep=${name} name=${kept("name", "")} colour=${me?.colour} colours=${sheet.colours} spare=${state.spare} />`;
  const beside = about.beside && { label: about.beside.labels[language], open: state.aside, toggle: () => set({ aside: !state.aside }) };
  const extra = Beside && state.aside && html`<${Beside} beside=${about.beside} label=${beside.label} close=${beside.toggle} />`;
  const seated = (hand, brings, below) => html`<${SeatPage} ...${shared} lesson=${state.lesson} seat=${seat} codes=${joining.codes(sheet.codes)} note=${state.note} tap=${tap} naming=${naming} hand=${hand} brings=${brings} beside=${below} />`;
  const page = state.here
    ? html`<${Seats} seats=${state.here} learns=${state.learns} demo=${about.demo} sheet=${sheet} link=${state.link} close=${() => set({ here: null })} />`
    : atTable
    ? html`<${TablePage} ...${shared} demo=${about.demo} note=${state.note} name=${(at, text, colour) => link.say(nameMessage(text, colour, at))} beside=${Beside && beside} begin=${begin && (() => begin(about.beside))} seat=${(seats, learns = false) => set({ here: seats, learns })} />${extra}`
    : Beside
    ? html`<${Beside} beside=${about.beside} seat=${seat} teach=${(lesson) => set({ lesson })} within=${seated} />`
    : seated(null, null);
  const drawer = open && html`<${Drawer}
    menu=${atTable ? null : sheet.menu}
    alert=${atTable ? [] : sheet.alert}
    refusals=${state.refusals}
    tap=${(serial, line) => tap(serial, line, true)}
    close=${() => set({ open: false })}
    leave=${leave}
    spare=${state.spare}
    rename=${atTable ? null : () => set({ naming: true, open: false })}
    seated=${!atTable}
    about=${about}
    pick=${pick}
    book=${book}
  />`;
  const rules = state.reads && html`<${Rulebook} ...${state.reads} game=${sheet.game} short=${sheet.rules} close=${() => set({ reads: null })} />`;
  return html`${page}${drawer}${rules}`;
}

function Owner() {
  const { step, seat, open } = state;
  const shared = { link: state.link, again: () => link?.open() };
  if (!step || !seat) {
    const retry = joining.may() ? greet : null;
    return html`<${Door} ...${shared} about=${about} refusal=${state.refusal ?? state.note} why=${state.why} joining=${state.asking} pick=${pick} retry=${retry} claim=${claim} />`;
  }
  const drawer = open && html`<${Drawer} menu=${null} close=${() => set({ open: false })} about=${about} pick=${pick} />`;
  return html`<${OwnerPage}
      ...${shared}
      step=${step}
      file=${state.file}
      refusals=${state.refusals}
      note=${state.note}
      tap=${(serial, line) => tap(serial, line, false)}
      open=${() => set({ open: true })}
    />${drawer}`;
}

// A code that was typed stands where a scanned one would.
function claim(code) {
  history.replaceState(null, "", `#${code.replace(/[^0-9A-Za-z]/g, "")}`);
  greet();
}

function tap(serial, line, menu) {
  return link.say({ tap: { serial, line, menu } });
}

async function pick(code) {
  await choose(code);
  link?.say({ speak: code });
  draw();
  if (state.sheet) fetchRules(state.sheet.game).then(draw);
}

// colour: null for the one that the player has. at: the seat, on the table's own page.
const nameMessage = (text, colour, at) => ({ name: text, ...(colour && { colour }), ...(at && { seat: at }) });

function name(text, colour) {
  if (!link.say(nameMessage(text, colour))) return;
  keep("name", text || null);
  if (colour) keep("colour", colour);
  keep("named", true);
  set({ naming: false });
}

// signed: the record that can be verified, which not every table gives.
function save(signed) {
  if (link.say(signed ? { sign: true } : { save: true })) set({ saving: signed ? ".signed" : ".txt" });
}

// The record of the match that the page shows.
function saved(address) {
  const { game, ending } = state.sheet;
  const day = ending?.begun ? new Date(ending.begun * 1000).toISOString().slice(0, 10) : null;
  download(address, [game, day].filter(Boolean).join("-") + state.saving);
  set({ saving: "" });
}

// The seat is given up once the table says so: a phone that forgot its key before would hold the seat for nobody.
function leave() {
  link.say({ go: true });
  set({ open: false });
}

function greet() {
  if (!challenge) return;
  const greeting = joining.greeting(challenge);
  set({ asking: Boolean(greeting), greeted: greeting });
  if (greeting) link.say(greeting);
}

const hears = {
  state(how, why = null) {
    const before = state.link;
    // A table that was started again may take phones where it took none.
    set({ link: how, why, saving: "", ...(how === "live" && state.barred ? { barred: false, refusal: null } : {}) });
    challenge = null;
    if (how === "lost" && before === "live" && !missed) {
      missed = true;
      tell(say("lost"));
    }
  },

  message(message) {
    if (message.at !== undefined) offset = message.at - performance.now() / 1000;
    if ("challenge" in message) challenged(message.challenge);
    else if ("joined" in message) joined(message.joined);
    else if ("refused" in message) refused(message);
    else if ("note" in message) noted(message.note);
    else if ("sheet" in message) shown({ ...state.sheet, ...message.sheet });
    else if ("step" in message) stepped({ ...state.step, ...message.step });
    else if ("part" in message) gather(message);
    else if ("lesson" in message) set({ lesson: message.lesson && { ...message.lesson, wish: (learn) => link.say({ learn }) } });
    else if ("speak" in message) pick(message.speak);
  },
};

// On this link whoever has a seat, or a code, can show it.
function challenged(given) {
  if (about.audience === TABLE) return;
  challenge = given;
  greet();
}

function joined(seat) {
  joining.joined();
  const given = window.name.startsWith(NAMED) ? JSON.parse(window.name.slice(NAMED.length)) : {};
  if (given.name && (given.name !== kept("name") || given.colour !== kept("colour"))) name(given.name, given.colour);
  // Who comes back is known to the table, perhaps by a name that was given there since.
  const known = state.greeted?.join && kept("name");
  set({ seat, spare: joining.spare(), asking: false, greeted: null, refusal: null });
  if (known) link.say(nameMessage(known, kept("colour")));
}

function refused({ refused: sentence, why }) {
  if (why === "superseded") return;
  const { greeted } = state;
  joining.refused(why, greeted);
  if (joining.PASSING.includes(why)) {
    if ((state.sheet || state.step) && !WAITING.includes(why)) play("refused");
    noted(sentence);
    set({ asking: false, greeted: null, refusals: state.refusals + 1, naming: state.naming || why === NAME });
    return;
  }
  tell(sentence);
  set({ seat: null, sheet: null, step: null, refusal: sentence, barred: why === "off", asking: false, greeted: null });
  if (greeted?.prove && !greeted.join && joining.code() && !joining.seated()) greet(); // with the code, now that the key is gone
}

function noted(sentence) {
  if (state.note !== sentence) tell(sentence);
  set({ note: sentence, saving: "" });
  setTimeout(() => state.note === sentence && set({ note: null }), NOTE_MS);
}

function shown(sheet) {
  if (state.here) return set({ sheet }); // the seats' pages tell
  usually(sheet);
  const { parts, told, refused: no } = changes(state.sheet, sheet);
  const turns = (each) => each?.players.some(({ seat, turn }) => seat === state.seat && turn);
  const lying = (each) => JSON.stringify(each?.board?.pieces);
  if (state.sheet && !state.sheet.ending && sheet.ending) play("end");
  else if (!turns(state.sheet) && turns(sheet)) play("turn");
  else if (no) play("refused");
  else if (state.sheet && lying(state.sheet) !== lying(sheet)) play("laid");
  else if (told) play("told");
  if (sheet.game !== state.sheet?.game) fetchRules(sheet.game).then(draw);
  set({ sheet });
  tell(missed && say("live"), ...parts);
  missed = false;
}

const gather = gathering((address) => (about.audience === OWNER ? set({ file: { address } }) : saved(address)));

function stepped(step) {
  const before = state.step;
  if (step.file !== before?.file && state.file) URL.revokeObjectURL(state.file.address);
  const news = ["doing", "now", "seen"].filter((field) => step[field] && step[field] !== before?.[field]).map((field) => step[field]);
  set({ step, file: step.file === before?.file ? state.file : null });
  tell(missed && say("live"), ...news, ...step.remarks.filter((each) => !before?.remarks.includes(each)));
  missed = false;
}

async function start() {
  look();
  about = await (await fetch(new URL("app.json", location.href))).json(); // beside this page, wherever its scripts are
  document.documentElement.classList.toggle(TABLE, about.audience === TABLE);
  await Promise.all([speak(wanted(about)), ...(about.audience === CAMERA ? [] : [load(), addition()])]);
  document.getElementById("instead").remove();
  if (about.audience === CAMERA) return (await import("./camera.js")).start(about);
  draw();
  link = connect(hears);
  if (about.audience === TABLE) stayAwake();
}

// A module that whoever serves the pages put beside this one; its link has a token, if only in the page's address.
async function addition() {
  const atTable = about.audience === TABLE;
  if (about.beside && (!atTable || about.beside.token || location.hash)) ({ Beside, begin } = await import(`./${about.beside.module}`));
}

window.addEventListener("hashchange", () => (state.seat ? joining.joined() : greet()));
start();
