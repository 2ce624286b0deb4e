//! The simple strategy. Cards, suits, bids and seats are the plain numbers of the protocol.

use crate::referee::answer::Action;
use crate::referee::ask::Question;
use crate::referee::{Answer, Ask, Bid, Card, Plain, PublicView};

/// Tenths of a trick that are enough in Buck Euchre: to call trump, and to stay in.
const ORDER: i32 = 18;
const STAY: i32 = 6;
const JOKER: i32 = Card::Joker as i32;

/// Answers a question, by nothing but the view and the legal list.
pub fn answer(ask: &Ask) -> Answer {
    let view = ask.view.clone().unwrap_or_default();
    let public = view.public_view.unwrap_or_default();
    let (hand, trump) = (&view.hand, public.trump());
    let trump = trump as i32;
    let plain = Plain {};
    let action = ask.question.as_ref().map(|question| match question {
        Question::Claim(_) => Action::Claim(plain),
        Question::JokerDiscard(it) => Action::Discard(lowest(&it.legal_cards, trump)),
        Question::Auction(it) => Action::Bid(bid(hand, &it.legal_bids)),
        Question::Trump(it) => Action::Trump(best(hand, &it.legal_suits)),
        Question::AskGive(it) => Action::Give(lowest(&it.legal_cards, trump)),
        Question::AskGift(it) => Action::Give(highest(&it.legal_cards, trump)),
        Question::Play(it) => Action::Play(play(view.seat, &public, &it.legal_cards)),
        Question::Call1(_) if worth(hand, printed(public.turn_up)) >= ORDER => Action::Order(plain),
        Question::Call1(_) => Action::PassTurn(plain),
        Question::Call2(it) => match best(hand, &it.legal_suits) {
            suit if worth(hand, suit) >= ORDER => Action::Name(suit),
            _ => Action::PassTurn(plain),
        },
        Question::DealerDiscard(it) => Action::Discard(lowest(&it.legal_cards, trump)),
        Question::Drop(_) if public.participants.len() > 1 && worth(hand, trump) < STAY => {
            Action::Drop(plain)
        }
        Question::Drop(_) => Action::Stay(plain),
        Question::LastCall(_) => Action::Call(plain),
    });
    Answer { ask_id: ask.ask_id, action, challenges: vec![] }
}

/// Bids all that the hand is worth, trusting the partner for some of it.
fn bid(hand: &[i32], legal: &[i32]) -> i32 {
    let (own, size) = (worth(hand, best(hand, &[1, 2, 3, 4])), hand.len() as i32);
    let is_worth_it = |bid: i32| match Bid::try_from(bid) {
        Ok(Bid::Pass) => false,
        Ok(Bid::Ask) => own >= 7 * size,
        Ok(Bid::Moon) => own >= 8 * size,
        _ => own >= 10 * bid - 2 * size,
    };
    legal.iter().copied().rfind(|&bid| is_worth_it(bid)).unwrap_or(legal[0])
}

/// Leads the highest card, and wins as cheaply as can be, but not over the partner.
fn play(seat: i32, public: &PublicView, legal: &[i32]) -> i32 {
    let trump = public.trump() as i32;
    let Some(trick) = public.tricks.last().filter(|trick| trick.winner == 0) else {
        return highest(legal, trump);
    };
    let led = suit(trick.cards[0], trump);
    let strength = |card: i32| match suit(card, trump) {
        each if each == led || each == trump => power(card, trump),
        _ => 0,
    };
    let top = first_max(&trick.cards, strength);
    let place = trick.cards.iter().position(|&card| card == top).unwrap_or(0);
    let teams = public.contract.is_some_and(|contract| contract.bid != 0);
    let winners: Vec<i32> = legal.iter().copied().filter(|&card| strength(card) > strength(top)).collect();
    if winners.is_empty() || teams && (trick.seats[place] + seat) % 2 == 0 {
        return lowest(legal, trump); // it cannot be taken, or is the partner's
    }
    lowest(&winners, trump)
}

fn rank(card: i32) -> i32 {
    (card - 1) % 6 + 1
}

fn printed(card: i32) -> i32 {
    (card - 1) / 6 + 1
}

/// What a card counts as: the Joker and the left bower are trumps.
fn suit(card: i32, trump: i32) -> i32 {
    let left = rank(card) == 3 && printed(card) + trump == 5;
    if card == JOKER || left { trump } else { printed(card) }
}

/// 1 to 6 for a plain card, 21 to 29 for a trump.
fn power(card: i32, trump: i32) -> i32 {
    match rank(card) {
        _ if card == JOKER => 29,
        rank if suit(card, trump) != trump => rank,
        3 if printed(card) == trump => 28,
        3 => 27,
        rank => 20 + rank,
    }
}

/// The tenths of a trick that a hand is worth: trumps by their power, and aces.
fn worth(hand: &[i32], trump: i32) -> i32 {
    let tenths = |power| match power {
        21.. => power - 18,
        6 => 6,
        _ => 0,
    };
    hand.iter().map(|&card| tenths(power(card, trump))).sum()
}

/// The suit under which a hand is worth most.
fn best(hand: &[i32], suits: &[i32]) -> i32 {
    first_max(suits, |suit| worth(hand, suit))
}

fn lowest(cards: &[i32], trump: i32) -> i32 {
    first_max(cards, |card| -power(card, trump))
}

fn highest(cards: &[i32], trump: i32) -> i32 {
    first_max(cards, |card| power(card, trump))
}

/// The number of a list, which is not empty, with the greatest value; of equals the first.
fn first_max(numbers: &[i32], value: impl Fn(i32) -> i32) -> i32 {
    let greatest = numbers.iter().copied().rev().max_by_key(|&number| value(number));
    greatest.unwrap_or_default()
}
