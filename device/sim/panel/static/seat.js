// A seat's page: its own display and buttons, and the table as it lies before that seat.

import { keyboard } from "./buttons.js";
import { tray } from "./hand.js";
import { connect } from "../shared/link.js";
import { seats } from "./seats.js";
import { table } from "./table.js";
import { told } from "./told.js";

const find = (id) => document.getElementById(id);
let seat = null;

const send = connect(
  {
    hello: (message) => {
      ({ seat } = message);
      cards.setup(message);
      view.setup(message);
      held.setup(message);
    },
    table: ({ pieces }) => view.update(pieces),
    hands: (message) => held.update(message),
    peeked: (message) => view.peeked(message),
    trouble: (message) => line.trouble(message),
    refused: (message) => {
      view.refused(message);
      held.refused(message);
      line.refused(message);
    },
    screen: (screen) => cards.draw(screen),
  },
  find("link"),
);
const cards = seats(find("seats"), send);
const line = told(find("told"));
const view = table(find("table"), send, () => seat, (x, y) => held.takes(x, y));
const held = tray(find("tray"), send, () => seat, view);
keyboard(() => seat, send);
