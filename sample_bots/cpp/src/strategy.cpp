#include "strategy.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace {

namespace v1 = euchre::referee::v1;
using List = google::protobuf::RepeatedField<int>;  // cards, suits or bids, by their numbers

constexpr int kOrder = 18;  // tenths of a trick that are enough in Buck Euchre: to call trump
constexpr int kStay = 6;    // and to stay in

int Rank(int card) { return (card - 1) % 6 + 1; }
int Printed(int card) { return (card - 1) / 6 + 1; }

// What a card counts as: the Joker and the left bower are trumps.
int Suit(int card, int trump) {
  const bool left = Rank(card) == 3 && Printed(card) + trump == 5;
  return card == v1::CARD_JOKER || left ? trump : Printed(card);
}

int Power(int card, int trump) {
  if (card == v1::CARD_JOKER) return 29;
  if (Suit(card, trump) != trump) return Rank(card);
  if (Rank(card) != 3) return 20 + Rank(card);
  return Printed(card) == trump ? 28 : 27;
}

v1::Card Highest(const List& cards, int trump) {
  const auto power = [=](int card) { return Power(card, trump); };
  return static_cast<v1::Card>(*std::ranges::max_element(cards, {}, power));
}

v1::Card Lowest(const List& cards, int trump) {
  const auto power = [=](int card) { return Power(card, trump); };
  return static_cast<v1::Card>(*std::ranges::min_element(cards, {}, power));
}

// The tenths of a trick that a hand is worth.
int Worth(const List& hand, int trump) {
  int tenths = 0;
  for (const int card : hand) {
    const int power = Power(card, trump);
    tenths += power > 20 ? power - 18 : power == 6 ? 6 : 0;
  }
  return tenths;
}

v1::Suit Best(const List& hand, const List& suits) {
  const auto worth = [&](int suit) { return Worth(hand, suit); };
  return static_cast<v1::Suit>(*std::ranges::max_element(suits, {}, worth));
}

v1::Bid Auction(const List& legal, const List& hand) {
  constexpr int kSuits[] = {1, 2, 3, 4};
  const int own = Worth(hand, Best(hand, List(std::begin(kSuits), std::end(kSuits))));
  const auto need = [&](int bid) {
    switch (bid) {
      case v1::BID_PASS:
        return std::numeric_limits<int>::max();
      case v1::BID_ASK:
        return 7 * hand.size();
      case v1::BID_MOON:
        return 8 * hand.size();
      default:
        return 10 * bid - 2 * hand.size();
    }
  };
  int said = legal[0];
  for (const int bid : legal) said = own >= need(bid) ? bid : said;
  return static_cast<v1::Bid>(said);
}

// Leads the highest card; wins as cheaply as can be, but not over the partner.
v1::Card Play(const List& legal, const v1::SeatView& view) {
  const v1::PublicView& table = view.public_view();
  const int trump = table.trump();
  if (table.tricks().empty() || table.tricks().rbegin()->winner() != 0) {
    return Highest(legal, trump);
  }
  const v1::Trick& trick = *table.tricks().rbegin();
  const int led = Suit(trick.cards(0), trump);
  const auto strength = [=](int card) {
    const int suit = Suit(card, trump);
    return suit == trump || suit == led ? Power(card, trump) : 0;
  };
  const auto top = std::ranges::max_element(trick.cards(), {}, strength);
  const int seat = trick.seats(static_cast<int>(top - trick.cards().begin()));
  List winners;
  for (const int card : legal) {
    if (strength(card) > strength(*top)) winners.Add(card);
  }
  const bool partners = table.contract().bid() != 0 && (seat + view.seat()) % 2 == 0;
  return Lowest(partners || winners.empty() ? legal : winners, trump);
}

}  // namespace

v1::Answer Answered(const v1::Ask& ask) {
  const v1::PublicView& table = ask.view().public_view();
  const List& hand = ask.view().hand();
  const int trump = table.trump();
  v1::Answer answer;
  answer.set_ask_id(ask.ask_id());
  switch (ask.question_case()) {
    case v1::Ask::kClaim:
      answer.mutable_claim();
      break;
    case v1::Ask::kJokerDiscard:
      answer.set_discard(Lowest(ask.joker_discard().legal_cards(), trump));
      break;
    case v1::Ask::kAuction:
      answer.set_bid(Auction(ask.auction().legal_bids(), hand));
      break;
    case v1::Ask::kTrump:
      answer.set_trump(Best(hand, ask.trump().legal_suits()));
      break;
    case v1::Ask::kAskGive:
      answer.set_give(Lowest(ask.ask_give().legal_cards(), trump));
      break;
    case v1::Ask::kAskGift:
      answer.set_give(Highest(ask.ask_gift().legal_cards(), trump));
      break;
    case v1::Ask::kPlay:
      answer.set_play(Play(ask.play().legal_cards(), ask.view()));
      break;
    case v1::Ask::kCall1: {
      const bool good = Worth(hand, Printed(table.turn_up())) >= kOrder;
      good ? answer.mutable_order() : answer.mutable_pass_turn();
      break;
    }
    case v1::Ask::kCall2: {
      answer.set_name(Best(hand, ask.call_2().legal_suits()));
      if (Worth(hand, answer.name()) < kOrder) answer.mutable_pass_turn();  // in its place
      break;
    }
    case v1::Ask::kDealerDiscard:
      answer.set_discard(Lowest(ask.dealer_discard().legal_cards(), trump));
      break;
    case v1::Ask::kDrop: {
      const bool weak = table.participants_size() > 1 && Worth(hand, trump) < kStay;
      weak ? answer.mutable_drop() : answer.mutable_stay();
      break;
    }
    case v1::Ask::kLastCall:
      answer.mutable_call();
      break;
    default:  // of a newer protocol: the referee has a fallback
      break;
  }
  return answer;
}
