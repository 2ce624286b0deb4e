/** The simple strategy of ../../STRATEGY.md: what to answer to an ask. */

import type { Answer } from "./generated/euchre/referee/v1/Answer.js";
import type { Ask__Output as Ask } from "./generated/euchre/referee/v1/Ask.js";
import type { Bid__Output as Bid } from "./generated/euchre/referee/v1/Bid.js";
import type { Card__Output as Card } from "./generated/euchre/referee/v1/Card.js";
import type { SeatView__Output as SeatView } from "./generated/euchre/referee/v1/SeatView.js";

const [JOKER, PASS, ASK, MOON] = [25, 13, 14, 15];
const [ORDER, STAY] = [18, 6]; // tenths of a trick that are enough in Buck Euchre

const rank = (card: number): number => ((card - 1) % 6) + 1;
const printed = (card: number): number => Math.ceil(card / 6);

/** What a card counts as: the Joker and the left bower are trumps. */
function suit(card: number, trump: number): number {
  const left = rank(card) === 3 && printed(card) + trump === 5;
  return card === JOKER || left ? trump : printed(card);
}

function power(card: number, trump: number): number {
  if (card === JOKER) return 29;
  if (suit(card, trump) !== trump) return rank(card);
  if (rank(card) !== 3) return 20 + rank(card);
  return printed(card) === trump ? 28 : 27;
}

/** The first of those that score most. */
const most = <T>(list: readonly T[], score: (each: T) => number): T =>
  list.reduce((best, each) => (score(each) > score(best) ? each : best));

const highest = (cards: readonly Card[], trump: number): Card =>
  most(cards, (card) => power(card, trump));
const lowest = (cards: readonly Card[], trump: number): Card =>
  most(cards, (card) => -power(card, trump));

/** The tenths of a trick that a hand is worth. */
const worth = (hand: readonly Card[], trump: number): number =>
  hand
    .map((card) => power(card, trump))
    .reduce((sum, each) => sum + (each > 20 ? each - 18 : each === 6 ? 6 : 0), 0);

const best = <T extends number>(hand: readonly Card[], suits: readonly T[]): T =>
  most(suits, (each) => worth(hand, each));

function auction(legal: readonly Bid[], hand: readonly Card[]): Bid {
  const own = worth(hand, best(hand, [1, 2, 3, 4]));
  const need = (bid: Bid): number => {
    if (bid === PASS) return Infinity;
    if (bid === ASK) return 7 * hand.length;
    if (bid === MOON) return 8 * hand.length;
    return 10 * bid - 2 * hand.length;
  };
  return legal.findLast((bid) => own >= need(bid)) ?? legal[0];
}

/** Leads the highest card; wins as cheaply as can be, but not over the partner. */
function play(legal: readonly Card[], view: SeatView | null): Card {
  const table = view?.publicView;
  const trump = table?.trump ?? 0;
  const trick = table?.tricks.at(-1);
  if (!view || !trick || trick.winner) return highest(legal, trump);
  const follows = [trump, suit(trick.cards[0], trump)];
  const strength = (card: Card): number =>
    follows.includes(suit(card, trump)) ? power(card, trump) : 0;
  const top = most(trick.cards, strength);
  const seat = trick.seats[trick.cards.indexOf(top)];
  const partners = table?.contract?.bid && (seat + view.seat) % 2 === 0;
  const winners = partners ? [] : legal.filter((card) => strength(card) > strength(top));
  return lowest(winners.length ? winners : legal, trump);
}

function action(ask: Ask): Answer {
  const table = ask.view?.publicView;
  const hand = ask.view?.hand ?? [];
  const trump = table?.trump ?? 0;
  switch (ask.question) {
    case "claim":
      return { claim: {} };
    case "jokerDiscard":
      return { discard: lowest(ask.jokerDiscard!.legalCards, trump) };
    case "auction":
      return { bid: auction(ask.auction!.legalBids, hand) };
    case "trump":
      return { trump: best(hand, ask.trump!.legalSuits) };
    case "askGive":
      return { give: lowest(ask.askGive!.legalCards, trump) };
    case "askGift":
      return { give: highest(ask.askGift!.legalCards, trump) };
    case "play":
      return { play: play(ask.play!.legalCards, ask.view) };
    case "call_1":
      return worth(hand, printed(table?.turnUp ?? 0)) >= ORDER ? { order: {} } : { passTurn: {} };
    case "call_2": {
      const name = best(hand, ask.call_2!.legalSuits);
      return worth(hand, name) >= ORDER ? { name } : { passTurn: {} };
    }
    case "dealerDiscard":
      return { discard: lowest(ask.dealerDiscard!.legalCards, trump) };
    case "drop": {
      const crowd = (table?.participants.length ?? 0) > 1;
      return crowd && worth(hand, trump) < STAY ? { drop: {} } : { stay: {} };
    }
    case "lastCall":
      return { call: {} };
    default:
      return {}; // of a newer protocol: the referee has a fallback
  }
}

/** Answers an ask. */
export const answer = (ask: Ask): Answer => ({ askId: ask.askId, ...action(ask) });
