// The table's display: the server answers once it shows something new.

const AGAIN_MS = 2000;
const screen = document.getElementById("screen");
let shown = 0;

for (;;) {
  try {
    shown = await (await fetch(`news?after=${shown}`)).json();
    screen.src = `screen.png?${shown}`;
  } catch {
    await new Promise((done) => setTimeout(done, AGAIN_MS));
  }
}
