package euchre.bot;

import euchre.referee.v1.Game.Answer;
import euchre.referee.v1.Game.Ask;
import euchre.referee.v1.Game.Bid;
import euchre.referee.v1.Game.Plain;
import euchre.referee.v1.Game.SeatView;
import java.util.List;
import java.util.function.ToIntFunction;

/** The simple strategy of ../../STRATEGY.md: what to answer to an ask. */
final class Strategy {
  private static final int JOKER = 25;

  /** Tenths of a trick that are enough in Buck Euchre: to call trump, to stay in. */
  private static final int ORDER = 18;

  private static final int STAY = 6;

  private Strategy() {}

  /** Answers an ask. */
  static Answer answer(Ask ask) {
    var table = ask.getView().getPublicView();
    var hand = ask.getView().getHandValueList();
    int trump = table.getTrumpValue();
    var yes = Plain.getDefaultInstance();
    var answer = Answer.newBuilder().setAskId(ask.getAskId());
    var answered =
        switch (ask.getQuestionCase()) {
          case CLAIM -> answer.setClaim(yes);
          case JOKER_DISCARD ->
              answer.setDiscardValue(lowest(ask.getJokerDiscard().getLegalCardsValueList(), trump));
          case AUCTION ->
              answer.setBidValue(auction(ask.getAuction().getLegalBidsValueList(), hand));
          case TRUMP -> answer.setTrumpValue(best(hand, ask.getTrump().getLegalSuitsValueList()));
          case ASK_GIVE ->
              answer.setGiveValue(lowest(ask.getAskGive().getLegalCardsValueList(), trump));
          case ASK_GIFT ->
              answer.setGiveValue(highest(ask.getAskGift().getLegalCardsValueList(), trump));
          case PLAY ->
              answer.setPlayValue(play(ask.getPlay().getLegalCardsValueList(), ask.getView()));
          case CALL_1 -> {
            boolean good = worth(hand, printed(table.getTurnUpValue())) >= ORDER;
            yield good ? answer.setOrder(yes) : answer.setPassTurn(yes);
          }
          case CALL_2 -> {
            int suit = best(hand, ask.getCall2().getLegalSuitsValueList());
            yield worth(hand, suit) >= ORDER ? answer.setNameValue(suit) : answer.setPassTurn(yes);
          }
          case DEALER_DISCARD ->
              answer.setDiscardValue(
                  lowest(ask.getDealerDiscard().getLegalCardsValueList(), trump));
          case DROP -> {
            boolean weak = table.getParticipantsCount() > 1 && worth(hand, trump) < STAY;
            yield weak ? answer.setDrop(yes) : answer.setStay(yes);
          }
          case LAST_CALL -> answer.setCall(yes);
          case QUESTION_NOT_SET -> answer; // of a newer protocol: the referee has a fallback
        };
    return answered.build();
  }

  private static int auction(List<Integer> legal, List<Integer> hand) {
    int own = worth(hand, best(hand, List.of(1, 2, 3, 4)));
    int size = hand.size();
    int said = legal.get(0);
    for (int bid : legal) {
      int need =
          switch (bid) {
            case Bid.BID_PASS_VALUE -> Integer.MAX_VALUE;
            case Bid.BID_ASK_VALUE -> 7 * size;
            case Bid.BID_MOON_VALUE -> 8 * size;
            default -> 10 * bid - 2 * size;
          };
      said = own >= need ? bid : said;
    }
    return said;
  }

  /** Leads the highest card; wins as cheaply as can be, but not over the partner. */
  private static int play(List<Integer> legal, SeatView view) {
    var table = view.getPublicView();
    int trump = table.getTrumpValue();
    var tricks = table.getTricksList();
    if (tricks.isEmpty() || tricks.get(tricks.size() - 1).getWinnerValue() != 0) {
      return highest(legal, trump);
    }
    var trick = tricks.get(tricks.size() - 1);
    var cards = trick.getCardsValueList();
    int led = suit(cards.get(0), trump);
    ToIntFunction<Integer> strength =
        card -> suit(card, trump) == trump || suit(card, trump) == led ? power(card, trump) : 0;
    int top = most(cards, strength);
    int seat = trick.getSeatsValue(cards.indexOf(top));
    if (table.getContract().getBidValue() != 0 && (seat + view.getSeatValue()) % 2 == 0) {
      return lowest(legal, trump);
    }
    int toBeat = strength.applyAsInt(top);
    var winners = legal.stream().filter(card -> strength.applyAsInt(card) > toBeat).toList();
    return lowest(winners.isEmpty() ? legal : winners, trump);
  }

  private static int rank(int card) {
    return (card - 1) % 6 + 1;
  }

  private static int printed(int card) {
    return (card - 1) / 6 + 1;
  }

  /** What a card counts as: the Joker and the left bower are trumps. */
  private static int suit(int card, int trump) {
    boolean left = rank(card) == 3 && printed(card) + trump == 5;
    return card == JOKER || left ? trump : printed(card);
  }

  private static int power(int card, int trump) {
    if (card == JOKER) {
      return 29;
    } else if (suit(card, trump) != trump) {
      return rank(card);
    } else if (rank(card) != 3) {
      return 20 + rank(card);
    }
    return printed(card) == trump ? 28 : 27;
  }

  /** The first of those that score most. */
  private static int most(List<Integer> list, ToIntFunction<Integer> score) {
    int best = list.get(0);
    for (int each : list) {
      best = score.applyAsInt(each) > score.applyAsInt(best) ? each : best;
    }
    return best;
  }

  private static int highest(List<Integer> cards, int trump) {
    return most(cards, card -> power(card, trump));
  }

  private static int lowest(List<Integer> cards, int trump) {
    return most(cards, card -> -power(card, trump));
  }

  /** The tenths of a trick that a hand is worth. */
  private static int worth(List<Integer> hand, int trump) {
    return hand.stream()
        .mapToInt(card -> power(card, trump))
        .map(power -> power > 20 ? power - 18 : power == 6 ? 6 : 0)
        .sum();
  }

  private static int best(List<Integer> hand, List<Integer> suits) {
    return most(suits, suit -> worth(hand, suit));
  }
}
