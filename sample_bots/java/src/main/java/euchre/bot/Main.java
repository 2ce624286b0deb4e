package euchre.bot;

import euchre.referee.v1.RefereeServiceGrpc;
import euchre.referee.v1.RefereeServiceGrpc.RefereeServiceStub;
import euchre.referee.v1.RefereeServiceOuterClass.Answers;
import euchre.referee.v1.RefereeServiceOuterClass.Frame;
import euchre.referee.v1.RefereeServiceOuterClass.Hello;
import euchre.referee.v1.RefereeServiceOuterClass.PlayRequest;
import euchre.referee.v1.RefereeServiceOuterClass.PlayResponse;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.MetadataUtils;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Takes the bot to a referee: dials in, says hello, answers frames, comes back when cut off. */
public final class Main {
  /** Statuses after which coming back would not help. */
  private static final Set<Status.Code> REFUSED =
      Set.of(
          Status.Code.UNAUTHENTICATED,
          Status.Code.PERMISSION_DENIED,
          Status.Code.INVALID_ARGUMENT,
          Status.Code.FAILED_PRECONDITION,
          Status.Code.ABORTED,
          Status.Code.UNIMPLEMENTED);

  private static final int ATTEMPTS = 10;

  /** Netty warns of an option that unix sockets do not have; kept here, or it is forgotten. */
  private static final Logger NETTY = Logger.getLogger("io.grpc.netty");

  private Main() {}

  /** Plays until the referee says farewell. */
  public static void main(String[] arguments) throws Exception {
    NETTY.setLevel(Level.SEVERE);
    if (arguments.length == 1 && arguments[0].equals("--frame")) {
      answers(Frame.parseFrom(System.in)).writeTo(System.out);
      System.out.flush();
      return;
    }
    String address = variable("EUCHRE_REFEREE", "");
    String token = variable("EUCHRE_TOKEN", "");
    if (address.isEmpty() || token.isEmpty()) {
      fail(2, "EUCHRE_REFEREE and EUCHRE_TOKEN are needed");
    }
    if (!token.matches("[!-~]+")) {
      fail(2, "EUCHRE_TOKEN is not a token");
    }
    var hello =
        Hello.newBuilder()
            .setProtocol(1)
            .setInstance(variable("EUCHRE_INSTANCE", "1"))
            .setSoftware("simple-java 1");
    try {
      hello.setMaxAsks(Integer.parseInt(variable("EUCHRE_MAX_ASKS", "64")));
    } catch (NumberFormatException error) {
      fail(2, "EUCHRE_MAX_ASKS is not a number");
    }
    stay(address, token, hello.build());
    System.exit(0);
  }

  /** Converses, again and again, until the referee says farewell. */
  private static void stay(String address, String token, Hello hello) throws Exception {
    ManagedChannel channel =
        Grpc.newChannelBuilder(address, InsecureChannelCredentials.create())
            .keepAliveTime(10, TimeUnit.SECONDS)
            .keepAliveTimeout(5, TimeUnit.SECONDS)
            .build();
    var metadata = new Metadata();
    metadata.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
    RefereeServiceStub stub =
        RefereeServiceGrpc.newStub(channel)
            .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata));
    for (int failures = 1; ; failures++) {
      var conversation = new Conversation();
      stub.play(conversation).onNext(PlayRequest.newBuilder().setHello(hello).build());
      Status status = conversation.ended.get();
      if (conversation.farewell) {
        return;
      }
      String why = status.getCode() + " " + Objects.requireNonNullElse(status.getDescription(), "");
      if (REFUSED.contains(status.getCode())) {
        fail(1, "the referee refused: " + why);
      }
      failures = conversation.welcome ? 1 : failures;
      if (failures == ATTEMPTS) {
        fail(1, "no referee at " + address + ": " + why);
      }
      Thread.sleep(500 * failures);
      channel.resetConnectBackoff(); // else the channel waits longer and longer by itself
    }
  }

  /** One conversation, up to its end. */
  private static final class Conversation
      implements ClientResponseObserver<PlayRequest, PlayResponse> {
    final CompletableFuture<Status> ended = new CompletableFuture<>();
    volatile boolean welcome;
    volatile boolean farewell;
    private ClientCallStreamObserver<PlayRequest> requests;

    @Override
    public void beforeStart(ClientCallStreamObserver<PlayRequest> requests) {
      this.requests = requests;
    }

    @Override
    public void onNext(PlayResponse response) {
      switch (response.getKindCase()) {
        case WELCOME -> welcome = true;
        case FRAME -> {
          if (response.getFrame().getAsksCount() > 0) {
            requests.onNext(
                PlayRequest.newBuilder().setAnswers(answers(response.getFrame())).build());
          }
        }
        case FAREWELL -> {
          farewell = true;
          ended.complete(Status.OK);
        }
        case KIND_NOT_SET -> {} // something from a newer protocol
      }
    }

    @Override
    public void onError(Throwable error) {
      ended.complete(Status.fromThrowable(error));
    }

    @Override
    public void onCompleted() {
      ended.complete(Status.OK.withDescription("the stream ended"));
    }
  }

  private static Answers answers(Frame frame) {
    return Answers.newBuilder()
        .addAllAnswers(frame.getAsksList().stream().map(Strategy::answer).toList())
        .build();
  }

  private static String variable(String name, String otherwise) {
    String value = System.getenv(name);
    return value == null || value.isEmpty() ? otherwise : value;
  }

  private static void fail(int code, String why) {
    System.err.println("bot: " + why.replaceAll("\\s+", " "));
    System.exit(code);
  }
}
