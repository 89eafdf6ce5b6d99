// A seat's page: its own display and buttons, and the table as it lies before that seat.

import { keyboard } from "./buttons.js";
import { connect } from "./link.js";
import { seats } from "./seats.js";
import { table } from "./table.js";

const find = (id) => document.getElementById(id);
let seat = null;

const send = connect(
  {
    hello: (message) => {
      ({ seat } = message);
      find("title").textContent = `Seat ${seat.toUpperCase()}`;
      cards.setup(message);
      view.setup(message);
    },
    table: ({ pieces }) => view.update(pieces),
    peeked: (message) => view.peeked(message),
    screen: (screen) => cards.draw(screen),
  },
  find("link"),
);
const cards = seats(find("seats"), send);
const view = table(find("table"), send, () => seat);
keyboard(() => seat, send);
