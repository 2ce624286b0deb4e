// Decks from secrets, a second time: written from docs/shuffle.md alone, in another language.
//
// Reads JSON lines with `secret` (hexadecimal) or `seed`, `set`, `deal`, `cards` (24, 25, 48
// or 49) and `disguise`; writes a JSON line for each, with `commitment`, `first_dealer` and `deck`.

import { createHash } from "node:crypto";
import { createInterface } from "node:readline";

function sha256(...parts) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

// Unsigned, 32 bits, big-endian.
function uint32(number) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}

const SHUFFLE = Buffer.from("euchre-referee shuffle 1\0", "latin1");
const SEED = Buffer.from("euchre-referee seed 1\0", "latin1");

function secretOf({ secret, seed }) {
  return secret ? Buffer.from(secret, "hex") : sha256(SEED, Buffer.from(seed, "utf8"));
}

// 1. Key of a set.
function keyOf(secret, set) {
  return sha256(SHUFFLE, secret, Buffer.from(set, "utf8"));
}

// 2. Bytes of a deal.
function* stream(key, deal) {
  for (let block = 0; ; block++) yield* sha256(key, uint32(deal), uint32(block));
}

// 3. Deck.
function sorted(cards) {
  const deck = [];
  for (const suit of "CDHS")
    for (const rank of "9TJQKA")
      for (let copy = 0; copy < Math.floor(cards / 24); copy++) deck.push(rank + suit);
  if (cards % 24 === 1) deck.push("XX");
  return deck;
}

function shuffled(cards, key, deal) {
  const deck = sorted(cards);
  const bytes = stream(key, deal);
  for (let i = deck.length - 1; i >= 1; i--) {
    let b;
    do b = bytes.next().value;
    while (b >= 256 - (256 % (i + 1)));
    const j = b % (i + 1);
    [deck[i], deck[j]] = [deck[j], deck[i]];
  }
  return deck;
}

// 4. First dealer.
function firstDealer(key) {
  return "NESW"[stream(key, 0).next().value % 4];
}

// 5. Disguise: what C, D, H and S become.
const DISGUISES = ["CDHS", "DCSH", "CHDS", "HCSD", "SDHC", "DSCH", "SHDC", "HSCD"];

function disguised(card, disguise) {
  return card === "XX" ? card : card[0] + DISGUISES[disguise]["CDHS".indexOf(card[1])];
}

for await (const line of createInterface({ input: process.stdin })) {
  const row = JSON.parse(line);
  const secret = secretOf(row);
  const key = keyOf(secret, row.set);
  const deck = shuffled(row.cards, key, row.deal).map((card) => disguised(card, row.disguise));
  console.log(
    JSON.stringify({
      commitment: sha256(secret).toString("hex"),
      first_dealer: firstDealer(key),
      deck: deck.join(" "),
    }),
  );
}
