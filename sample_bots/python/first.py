from euchrebot import Bot, run


class First(Bot):
    """Bids three when it may, and otherwise does the first legal thing."""

    def auction(self, ask):
        return 3 if 3 in ask.auction.legal_bids else ask.auction.legal_bids[0]

    def play(self, ask):
        return max(ask.play.legal_cards)


run(First())
