"""
A bot that does one thing wrong, named on its command line. It knows nothing but the .proto.

    wrong.py KIND
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import time
from pathlib import Path

import grpc
from euchre.referee.v1 import cards_pb2, game_pb2, referee_service_pb2_grpc, rules_pb2
from euchre.referee.v1 import referee_service_pb2 as pb

sys.path.insert(0, str(Path(__file__).parents[2]))

from plain import first

KIND = sys.argv[1]
INSTANCE = os.environ["EUCHRE_INSTANCE"]


def misplay(ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    """
    Answer a question wrongly, if that is the kind of bot.
    """
    question = ask.WhichOneof("question")
    if KIND == "illegal" and question == "play":
        illegal = set(ask.view.hand) - set(ask.play.legal_cards)
        out.play = min(illegal, default=out.play)
    elif KIND == "not_held" and question == "play":
        out.play = min(set(range(1, 25)) - set(ask.view.hand))
    elif KIND == "wrong_action" and question == "call_2":
        out.trump = ask.call_2.legal_suits[0]
    elif KIND == "must_bid" and question == "auction":
        out.bid = game_pb2.BID_PASS
    elif KIND == "joker" and cards_pb2.CARD_JOKER in ask.view.hand:
        out.ClearField(out.WhichOneof("action"))
    elif KIND == "challenges" and question == "play":
        out.challenges.add(seat=ask.view.seat, trick=1)
    elif KIND == "double" and ask.ask_id > 2**53:
        out.ask_id = int(float(ask.ask_id))
    elif KIND == "wrong_id":
        out.ask_id += 5000


def unknown_fields(ask: game_pb2.Ask) -> bool:
    """
    Whether the ask holds more than this version of the protocol has.
    """
    return b"later" in ask.SerializeToString()


def hello() -> pb.Hello:
    """
    The introduction, wrong or not.
    """
    said = pb.Hello(protocol=1, instance=INSTANCE, software="wrong", max_asks=64)
    if KIND == "instance":
        said.instance = "mine"
    elif KIND == "protocol":
        said.protocol = 2
    elif KIND == "software":
        said.software = "x" * 201
    elif KIND == "games":
        said.games.extend([rules_pb2.GAME_BID, 7])
    elif KIND == "negative":
        said.max_asks = -1
    elif KIND == "buck_only":
        said.games.append(rules_pb2.GAME_BUCK)
    elif KIND == "one_at_a_time":
        said.max_asks = 0
    elif KIND == "short_instance":
        said.instance = INSTANCE[:8]
    return said


def requests(outbox: queue.Queue):
    """
    Say hello, and then whatever lies in the outbox.
    """
    if KIND == "no_hello":
        yield pb.PlayRequest(answers=pb.Answers())
    else:
        yield pb.PlayRequest(hello=hello())
    if KIND == "two_hellos":
        yield pb.PlayRequest(hello=hello())
    if KIND == "eager":
        yield pb.PlayRequest(answers=pb.Answers(answers=[game_pb2.Answer(ask_id=1)]))
    if KIND == "unset":
        yield pb.PlayRequest()
    while (request := outbox.get()) is not None:
        yield request


def answer(frame: pb.Frame, outbox: queue.Queue) -> None:
    """
    Answer a frame.
    """
    request = pb.PlayRequest()
    for place, ask in enumerate(frame.asks):
        if KIND == "unknown_field" and unknown_fields(ask):
            sys.exit(3)
        if KIND == "only_one" and place:
            break
        if KIND == "slow":
            time.sleep(0.5)
        out = request.answers.answers.add(ask_id=ask.ask_id)
        first(ask, out)
        misplay(ask, out)
        if KIND == "twice":
            request.answers.answers.add().CopyFrom(out)
    if KIND == "answers_tells" and frame.tells and not frame.asks:
        request.answers.answers.add(ask_id=frame.tells[0].seated.game_id)
    if request.answers.answers and KIND != "silent":
        outbox.put(request)


def converse(stub) -> bool:
    """
    Hold one conversation; return whether it ended with a farewell.
    """
    outbox: queue.Queue = queue.Queue()
    token = os.environ["EUCHRE_TOKEN"]
    shown = {"no_token": (), "bare_token": (("authorization", token),)}
    metadata = shown.get(KIND, (("authorization", f"Bearer {token}"),))
    try:
        for response in stub.Play(requests(outbox), metadata=metadata):
            kind = response.WhichOneof("kind")
            if kind == "frame":
                answer(response.frame, outbox)
            elif kind == "farewell":
                return True
            elif kind is None and KIND == "unknown_message":
                sys.exit(3)
            elif kind == "welcome" and KIND == "leaves":
                outbox.put(pb.PlayRequest(leave=pb.Leave()))
        return False
    finally:
        outbox.put(None)


def cut_off(error: grpc.RpcError) -> grpc.StatusCode:
    """
    Take note that the conversation broke off; return with which status.
    """
    if KIND == "hangs":
        time.sleep(600)
    return error.code()


def main() -> int:
    """
    Converse, again and again.
    """
    if KIND == "one_process" and INSTANCE != "1":
        return 1
    if KIND == "noisy":
        sys.stderr.write("x" * 70_000)
    if KIND == "sigterm":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    options = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 300)]
    with grpc.insecure_channel(os.environ["EUCHRE_REFEREE"], options=options) as channel:
        stub = referee_service_pb2_grpc.RefereeServiceStub(channel)
        while True:
            try:
                if converse(stub) and KIND != "comes_again":
                    break
                code = grpc.StatusCode.OK
            except grpc.RpcError as error:
                code = cut_off(error)
            final = {grpc.StatusCode.ABORTED, grpc.StatusCode.UNAUTHENTICATED}
            if KIND == "stubborn":
                final = set()
            if KIND == "no_reconnect" or code in final:
                return 1
            time.sleep(0.05)
    if KIND == "ignores_farewell":
        time.sleep(60)
    return 4 if KIND == "exit_code" else 0


if __name__ == "__main__":
    sys.exit(main())
