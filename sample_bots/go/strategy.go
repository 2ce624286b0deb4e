package main

import (
	"slices"

	pb "example.org/simplebot/referee"
)

// Tenths of a trick that are enough in Buck Euchre: to call trump, and to stay in.
const order, stay = 18, 6

// answer answers a question, by nothing but the view and the legal list.
func answer(ask *pb.Ask) *pb.Answer {
	answer, plain := &pb.Answer{AskId: ask.AskId}, &pb.Plain{}
	hand, public := ask.View.GetHand(), ask.View.GetPublicView()
	trump := pb.Suit(public.GetTrump()) // suits and trumps have the same numbers
	switch question := ask.Question.(type) {
	case *pb.Ask_Claim:
		answer.Action = &pb.Answer_Claim{Claim: plain}
	case *pb.Ask_JokerDiscard:
		answer.Action = &pb.Answer_Discard{Discard: lowest(question.JokerDiscard.LegalCards, trump)}
	case *pb.Ask_Auction:
		answer.Action = &pb.Answer_Bid{Bid: bid(hand, question.Auction.LegalBids)}
	case *pb.Ask_Trump:
		answer.Action = &pb.Answer_Trump{Trump: best(hand, question.Trump.LegalSuits)}
	case *pb.Ask_AskGive:
		answer.Action = &pb.Answer_Give{Give: lowest(question.AskGive.LegalCards, trump)}
	case *pb.Ask_AskGift:
		answer.Action = &pb.Answer_Give{Give: highest(question.AskGift.LegalCards, trump)}
	case *pb.Ask_Play:
		answer.Action = &pb.Answer_Play{Play: play(ask.View, question.Play.LegalCards)}
	case *pb.Ask_Call_1:
		answer.Action = &pb.Answer_PassTurn{PassTurn: plain}
		if worth(hand, printed(public.TurnUp)) >= order {
			answer.Action = &pb.Answer_Order{Order: plain}
		}
	case *pb.Ask_Call_2:
		answer.Action = &pb.Answer_PassTurn{PassTurn: plain}
		if suit := best(hand, question.Call_2.LegalSuits); worth(hand, suit) >= order {
			answer.Action = &pb.Answer_Name{Name: suit}
		}
	case *pb.Ask_DealerDiscard:
		answer.Action = &pb.Answer_Discard{Discard: lowest(question.DealerDiscard.LegalCards, trump)}
	case *pb.Ask_Drop:
		answer.Action = &pb.Answer_Stay{Stay: plain}
		if len(public.Participants) > 1 && worth(hand, trump) < stay {
			answer.Action = &pb.Answer_Drop{Drop: plain}
		}
	case *pb.Ask_LastCall:
		answer.Action = &pb.Answer_Call{Call: plain}
	}
	return answer
}

// bid bids all that the hand is worth, trusting the partner for some of it.
func bid(hand []pb.Card, legal []pb.Bid) pb.Bid {
	own, size := worth(hand, best(hand, []pb.Suit{1, 2, 3, 4})), len(hand)
	said := legal[0]
	for _, bid := range legal {
		need := 10*int(bid) - 2*size
		switch bid {
		case pb.Bid_BID_PASS:
			continue
		case pb.Bid_BID_ASK:
			need = 7 * size
		case pb.Bid_BID_MOON:
			need = 8 * size
		}
		if own >= need {
			said = bid
		}
	}
	return said
}

// play leads the highest card, and wins as cheaply as can be, but not over the partner.
func play(view *pb.SeatView, legal []pb.Card) pb.Card {
	tricks, trump := view.GetPublicView().GetTricks(), pb.Suit(view.GetPublicView().GetTrump())
	if len(tricks) == 0 || tricks[len(tricks)-1].Winner != pb.Seat_SEAT_UNSPECIFIED {
		return highest(legal, trump)
	}
	trick := tricks[len(tricks)-1]
	led := suit(trick.Cards[0], trump)
	strength := func(card pb.Card) int {
		if each := suit(card, trump); each == led || each == trump {
			return power(card, trump)
		}
		return 0
	}
	top := slices.MaxFunc(trick.Cards, func(a, b pb.Card) int { return strength(a) - strength(b) })
	winner := trick.Seats[slices.Index(trick.Cards, top)]
	if view.PublicView.Contract.GetBid() != 0 && (winner+view.Seat)%2 == 0 {
		return lowest(legal, trump) // it is the partner's
	}
	loses := func(card pb.Card) bool { return strength(card) <= strength(top) }
	if winners := slices.DeleteFunc(slices.Clone(legal), loses); len(winners) > 0 {
		return lowest(winners, trump)
	}
	return lowest(legal, trump)
}

func rank(card pb.Card) int        { return int(card-1)%6 + 1 }
func printed(card pb.Card) pb.Suit { return pb.Suit((card-1)/6 + 1) }

// suit returns what a card counts as: the Joker and the left bower are trumps.
func suit(card pb.Card, trump pb.Suit) pb.Suit {
	if card == pb.Card_CARD_JOKER || rank(card) == 3 && printed(card)+trump == 5 {
		return trump
	}
	return printed(card)
}

// power returns 1 to 6 for a plain card, 21 to 29 for a trump.
func power(card pb.Card, trump pb.Suit) int {
	switch {
	case card == pb.Card_CARD_JOKER:
		return 29
	case suit(card, trump) != trump:
		return rank(card)
	case rank(card) != 3:
		return 20 + rank(card)
	case printed(card) == trump:
		return 28
	}
	return 27
}

// worth returns the tenths of a trick that a hand is worth: trumps by their power, and aces.
func worth(hand []pb.Card, trump pb.Suit) (tenths int) {
	for _, card := range hand {
		if each := power(card, trump); each > 20 {
			tenths += each - 18
		} else if each == 6 {
			tenths += 6
		}
	}
	return tenths
}

// Of equals these three return the first.

func best(hand []pb.Card, suits []pb.Suit) pb.Suit {
	return slices.MaxFunc(suits, func(a, b pb.Suit) int { return worth(hand, a) - worth(hand, b) })
}

func lowest(cards []pb.Card, trump pb.Suit) pb.Card {
	return slices.MinFunc(cards, func(a, b pb.Card) int { return power(a, trump) - power(b, trump) })
}

func highest(cards []pb.Card, trump pb.Suit) pb.Card {
	return slices.MaxFunc(cards, func(a, b pb.Card) int { return power(a, trump) - power(b, trump) })
}
