// Keeps a page of the club as it is now: parts come one by one as they change, and clocks run on between.

const main = document.getElementById("parts");
const link = document.getElementById("link");
const watched = document.body.dataset.live;
let ahead = 0;  // of this browser's clock, the host's is so many seconds

document.getElementById("language")?.addEventListener("change", ({ target }) => target.form.submit());
if (watched) watch();
setInterval(tick, 250);

function watch() {
  const source = new EventSource(watched);
  source.onopen = () => state("connected");
  source.onerror = () => {
    state("lost");
    if (source.readyState === EventSource.CLOSED) {
      setTimeout(watch, 3000);
    }
  };
  source.onmessage = ({ data }) => show(JSON.parse(data));
}

function state(name) {
  if (!link) return;
  link.dataset.state = name === "connected" ? "live" : name;
  link.textContent = document.body.dataset[name];
}

function show({ now, parts, order }) {
  ahead = now - Date.now() / 1000;
  const here = new Map([...main.children].map((each) => [each.dataset.part, each]));
  for (const [name, stamp, html] of parts) put(here, name, stamp, html);
  if (order) arrange(here, order);
  tick();
}

function put(here, name, stamp, html) {
  const place = here.get(name) ?? Object.assign(document.createElement("div"), {});
  if (place.dataset.stamp === stamp) return;
  const focused = place.contains(document.activeElement) ? mark(document.activeElement) : null;
  place.dataset.part = name;
  place.dataset.stamp = stamp;
  const typed = written(place);
  place.innerHTML = html;
  if (typed.pair === written(place).pair) {
    for (const [name, value] of typed.fields) {
      const field = place.querySelector(`[name="${name}"]`);
      if (field) field.value = value;
    }
  }
  here.set(name, place);
  if (focused) [...place.querySelectorAll("a, button, input, select")].find((each) => mark(each) === focused)?.focus();
}

// What somebody has typed into a part, and for which pair.
function written(place) {
  const fields = [...place.querySelectorAll("input:not([type=hidden]), textarea")];
  return {
    pair: place.querySelector("[name=pair]")?.value,
    fields: fields.filter((each) => each.value !== each.defaultValue).map((each) => [each.name, each.value]),
  };
}

// What is the same element after its part was made again.
function mark(element) {
  return `${element.tagName} ${element.getAttribute("href") ?? element.name ?? ""} ${element.textContent}`;
}

function arrange(here, order) {
  const focused = document.activeElement;
  const wanted = order.map((name) => here.get(name));
  for (const [name, place] of here) if (!order.includes(name)) place.remove();
  wanted.forEach((place, at) => {
    if (main.children[at] !== place) main.insertBefore(place, main.children[at] ?? null);
  });
  if (focused !== document.activeElement && main.contains(focused)) focused.focus();
}

// Clocks are told when they change hands: in between they run here.
function tick() {
  const now = Date.now() / 1000 + ahead;
  for (const clock of document.querySelectorAll(".clock[data-since]")) {
    const left = Math.max(0, clock.dataset.left - Math.max(0, now - clock.dataset.since));
    const seconds = Math.floor(left);
    const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    if (clock.textContent !== text) clock.textContent = text;
    clock.classList.toggle("short", left < 30);
  }
}

// The organiser's forms: each is an order, which is carried out or refused.

const key = new URLSearchParams(location.search).get("key");
if (key) organise();

function organise() {
  const waiting = [];
  let socket = null;

  function open() {
    const address = new URL(`/organise?${new URLSearchParams({ key, lang: document.documentElement.lang })}`, location);
    socket = new WebSocket(String(address).replace(/^http/, "ws"));
    socket.onmessage = ({ data }) => answered(waiting.shift(), JSON.parse(data));
    socket.onclose = () => {
      for (const form of waiting.splice(0)) answered(form, { refused: document.body.dataset.lost });
      setTimeout(open, 1000);
    };
  }

  function answered(form, { refused, done }) {
    form.querySelector(".refused").textContent = refused ?? "";
    if (done) location.href = done;
  }

  main.addEventListener("submit", (event) => {
    event.preventDefault();
    const form = event.target;
    if (waiting.includes(form)) return;  // it was sent already
    if (socket.readyState !== WebSocket.OPEN) return answered(form, { refused: document.body.dataset.lost });
    const fields = Object.fromEntries(new FormData(form, event.submitter));
    waiting.push(form);
    socket.send(JSON.stringify({ do: form.dataset.do, fields }));
  });
  open();
}
