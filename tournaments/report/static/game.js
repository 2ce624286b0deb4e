// Plays a game card by card. The steps of each deal are explained in telling.py.
"use strict";

const SEATS = ["North", "East", "South", "West"];
const SUITS = { C: "♣", D: "♦", H: "♥", S: "♠" };
const SUIT_NAMES = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const RANK_NAMES = { T: "10", J: "jack", Q: "queen", K: "king", A: "ace" };
const AS_TEXT = "\ufe0e";

const game = JSON.parse(document.getElementById("story").textContent);
const byId = (id) => document.getElementById(id);
let deal = 0;
let step = 0; // so many steps of the deal are done

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function suitElement(letter) {
  if (!SUITS[letter]) return element("span", "", "no trump");
  const made = element("span", `suit suit-${letter}`, SUITS[letter] + AS_TEXT);
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", SUIT_NAMES[letter]);
  return made;
}

function cardName(code) {
  if (code === "XX") return "the Joker";
  return `${RANK_NAMES[code[0]] || code[0]} of ${SUIT_NAMES[code[1]]}`;
}

function cardElement(code) {
  const made = element("span", `card suit-${code[1]}`);
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", cardName(code));
  if (code === "XX") {
    made.append(element("span", "rank", "Jo"), element("span", "pip", "★" + AS_TEXT));
  } else {
    made.append(
      element("span", "rank", code[0] === "T" ? "10" : code[0]),
      element("span", "pip", SUITS[code[1]] + AS_TEXT),
    );
  }
  return made;
}

function signed(number) {
  return number > 0 ? `+${number}` : String(number).replace("-", "−");
}

// Everything as it is after so many steps of a deal.
function stateOf(told, done) {
  const state = {
    hands: told.hands.map((hand) => hand.split(" ").filter(Boolean)),
    table: [null, null, null, null],
    renege: null,
    winner: null,
    leader: null,
    tricks: game.sides.map(() => 0),
    changes: game.sides.map(() => 0),
    trump: null,
    contract: null,
    plays: [true, true, true, true],
    over: false,
  };
  for (const each of told.steps.slice(0, done)) {
    if (each.h) {
      for (const seat of Object.keys(each.h)) state.hands[seat] = each.h[seat].split(" ").filter(Boolean);
    }
    if (each.k) state.trump = each.k;
    if (each.b) state.contract = each.b;
    if (each.a) state.plays = state.plays.map((_, seat) => each.a.includes(seat));
    if (each.c) state.changes = each.c;
    if (each.e) state.over = true;
    if (each.p) {
      if (state.winner !== null || state.leader === null) {
        state.table = [null, null, null, null];
        state.winner = null;
        state.leader = each.s;
      }
      const hand = state.hands[each.s];
      const place = hand.indexOf(each.p);
      if (place >= 0) hand.splice(place, 1);
      state.table[each.s] = each.p;
      if (each.w !== undefined) {
        state.winner = each.w;
        state.tricks[game.side[each.w]] += 1;
      }
    }
  }
  return state;
}

function words(each) {
  if (each.e) return each.t;
  const who = each.s === undefined ? "" : `${SEATS[each.s]} `;
  const did = each.t || (each.p ? `plays ${cardText(each.p)}` : "");
  const took = each.w === undefined ? "" : `; ${SEATS[each.w]} takes the trick`;
  return did ? `${who}${did}${took}.` : "";
}

function cardText(code) {
  if (code === "XX") return "the Joker";
  return (code[0] === "T" ? "10" : code[0]) + SUITS[code[1]] + AS_TEXT;
}

function showLog(told) {
  const log = byId("log");
  log.replaceChildren();
  let trick = 0;
  let begun = false;
  told.steps.forEach((each, place) => {
    if (each.p && !begun) {
      begun = true;
      trick += 1;
      const head = element("li", "trick-head", `Trick ${trick}`);
      log.append(head);
    }
    if (each.w !== undefined) begun = false;
    const item = element("li", each.e ? "over" : "");
    for (const ruling of each.r || []) item.append(element("p", "ruling", ruling));
    const button = element("button", "", words(each) || "A ruling.");
    button.type = "button";
    button.addEventListener("click", () => go(deal, place + 1));
    item.append(button);
    item.dataset.step = String(place + 1);
    log.append(item);
  });
}

function showScores(told, state) {
  const rows = game.sides.map((name, side) => {
    const row = element("tr");
    const head = element("th", "", name);
    head.scope = "row";
    const before = told.scores[side];
    const after = state.over ? before + state.changes[side] : before;
    const last = deal === game.deals.length - 1 && step === told.steps.length;
    row.append(
      head,
      element("td", "number", String(state.tricks[side])),
      element("td", "number", state.changes[side] ? signed(state.changes[side]) : ""),
      element("td", "number strong", String(last ? game.scores[side] : after).replace("-", "−")),
    );
    return row;
  });
  byId("scores").replaceChildren(...rows);
}

function show() {
  const told = game.deals[deal];
  const state = stateOf(told, step);
  const done = step > 0 ? told.steps[step - 1] : null;
  for (const seat of document.querySelectorAll(".seat")) {
    const number = Number(seat.dataset.seat);
    seat.querySelector(".hand").replaceChildren(...state.hands[number].map(cardElement));
    seat.classList.toggle("out", !state.plays[number]);
    seat.classList.toggle("acted", done !== null && done.s === number);
    const marks = [];
    if (told.dealer === number) marks.push(element("span", "mark", "dealer"));
    if (!state.plays[number]) marks.push(element("span", "mark", "out"));
    if (state.winner === number) marks.push(element("span", "mark mark-took", "takes it"));
    seat.querySelector(".marks").replaceChildren(...marks);
  }
  state.table.forEach((code, seat) => {
    const slot = document.querySelector(`.slot-${seat}`);
    slot.replaceChildren(...(code ? [cardElement(code)] : []));
    slot.classList.toggle("took", state.winner === seat);
  });
  const up = document.querySelector(".up");
  const showsUp = told.up && state.trump === null;
  up.replaceChildren(...(showsUp ? [cardElement(told.up)] : []));
  byId("up-fact").hidden = !told.up;
  byId("up").replaceChildren(...(told.up ? [cardText(told.up)] : []));
  byId("dealer").textContent = SEATS[told.dealer];
  byId("trump").replaceChildren(state.trump ? suitElement(state.trump) : "–");
  byId("contract").textContent = state.contract || "–";
  showScores(told, state);
  showSaid(told, done);
  showPlace();
}

function showSaid(told, done) {
  const said = byId("said");
  const parts = [];
  if (!done) {
    parts.push(`Deal ${deal + 1} of ${game.deals.length}: ${SEATS[told.dealer]} has dealt.`);
  } else {
    parts.push(...(done.r || []), words(done));
  }
  if (deal === game.deals.length - 1 && step === told.steps.length) parts.push(game.end);
  said.textContent = parts.filter(Boolean).join(" ");
  said.classList.toggle("ruled", Boolean(done && done.r));
}

function showPlace() {
  const atStart = deal === 0 && step === 0;
  const atEnd = deal === game.deals.length - 1 && step === game.deals[deal].steps.length;
  // A button that is disabled loses the focus, and with it the keyboard.
  for (const [id, off] of [["first", atStart], ["back", atStart], ["next", atEnd], ["last", atEnd]]) {
    byId(id).setAttribute("aria-disabled", String(off));
  }
  byId("deal").value = String(deal);
  const log = byId("log");
  for (const item of log.children) {
    const here = item.dataset.step === String(step);
    item.classList.toggle("here", here);
    if (item.firstElementChild) {
      if (here) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    }
    if (here) log.scrollTop = item.offsetTop - log.clientHeight / 2;
  }
  if (step === 0) log.scrollTop = 0;
  // So that a reload, or a link, comes back to this place.
  try {
    history.replaceState(null, "", `#${deal + 1}.${step}`);
  } catch {
    // Some browsers do not allow it to a file.
  }
}

function go(toDeal, toStep) {
  const other = toDeal !== deal;
  deal = toDeal;
  step = toStep;
  if (other) showLog(game.deals[deal]);
  show();
}

function on() {
  if (step < game.deals[deal].steps.length) go(deal, step + 1);
  else if (deal < game.deals.length - 1) go(deal + 1, 0);
}

function back() {
  if (step > 0) go(deal, step - 1);
  else if (deal > 0) go(deal - 1, game.deals[deal - 1].steps.length);
}

function last() {
  go(game.deals.length - 1, game.deals[game.deals.length - 1].steps.length);
}

function toDeal(number) {
  if (number >= 0 && number < game.deals.length) go(number, 0);
}

function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target instanceof HTMLSelectElement) return;
  const way = {
    ArrowRight: event.shiftKey ? () => toDeal(deal + 1) : on,
    ArrowLeft: event.shiftKey ? () => toDeal(step > 0 ? deal : deal - 1) : back,
    Home: () => go(0, 0),
    End: last,
  }[event.key];
  if (!way) return;
  event.preventDefault();
  way();
}

function fromAddress() {
  const [, number, place] = /^#(\d+)(?:\.(\d+))?$/.exec(location.hash) || [];
  const wanted = Math.min(Math.max(Number(number || 1), 1), game.deals.length) - 1;
  return [wanted, Math.min(Number(place || 0), game.deals[wanted].steps.length)];
}

game.deals.forEach((told, number) => {
  const option = element("option", "", `Deal ${number + 1}/${game.deals.length}`);
  option.value = String(number);
  byId("deal").append(option);
});
byId("first").addEventListener("click", () => go(0, 0));
byId("back").addEventListener("click", back);
byId("next").addEventListener("click", on);
byId("last").addEventListener("click", last);
byId("deal").addEventListener("change", (event) => toDeal(Number(event.target.value)));
document.addEventListener("keydown", onKey);
window.addEventListener("hashchange", () => go(...fromAddress()));
[deal, step] = fromAddress();
showLog(game.deals[deal]);
show();
