// Command bot plays Bid Euchre and Buck Euchre for a referee by the simple strategy.
// How it is started is in ../README.md, what it answers in ../STRATEGY.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "example.org/simplebot/referee"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--frame" {
		data, frame := must(io.ReadAll(os.Stdin)), &pb.Frame{}
		must(frame, proto.Unmarshal(data, frame))
		must(os.Stdout.Write(must(proto.Marshal(answers(frame)))))
		return
	}
	address, token := os.Getenv("EUCHRE_REFEREE"), os.Getenv("EUCHRE_TOKEN")
	maxAsks, err := strconv.ParseInt(env("EUCHRE_MAX_ASKS", "64"), 10, 32)
	if address == "" || token == "" || err != nil {
		end(2, "needs EUCHRE_REFEREE and EUCHRE_TOKEN, and a number in EUCHRE_MAX_ASKS")
	}
	hello := &pb.Hello{Protocol: 1, Instance: env("EUCHRE_INSTANCE", "1"), Software: "simple-go 1", MaxAsks: int32(maxAsks)}
	for failures := 1; ; failures++ {
		welcomed, err := converse(address, token, hello)
		what := status.Convert(err)
		switch what.Code() {
		case codes.OK:
			return // after a farewell
		case codes.Unauthenticated, codes.PermissionDenied, codes.InvalidArgument,
			codes.FailedPrecondition, codes.Aborted, codes.Unimplemented:
			end(1, "the referee refused: %v %q", what.Code(), what.Message())
		}
		if welcomed {
			failures = 1
		}
		if failures == 10 {
			end(1, "no referee at %s: %v %q", address, what.Code(), what.Message())
		}
		time.Sleep(time.Duration(failures) * time.Second / 2)
	}
}

// converse holds one conversation. Without an error it ended with a farewell.
func converse(address, token string, hello *pb.Hello) (welcomed bool, err error) {
	// A connection of its own for each: one that has failed is not dialled again at once.
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return false, err
	}
	defer connection.Close()
	ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+token)
	stream, err := pb.NewRefereeServiceClient(connection).Play(ctx)
	if err != nil {
		return false, err
	}
	// Why something could not be sent is told by Recv.
	_ = stream.Send(&pb.PlayRequest{Kind: &pb.PlayRequest_Hello{Hello: hello}})
	for {
		response, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return welcomed, status.Error(codes.Unavailable, "the stream ended without a farewell")
		} else if err != nil {
			return welcomed, err
		}
		switch kind := response.Kind.(type) {
		case *pb.PlayResponse_Welcome:
			welcomed = true
		case *pb.PlayResponse_Frame:
			if said := answers(kind.Frame); len(said.Answers) > 0 {
				_ = stream.Send(&pb.PlayRequest{Kind: &pb.PlayRequest_Answers{Answers: said}})
			}
		case *pb.PlayResponse_Farewell:
			return welcomed, nil
		}
	}
}

func answers(frame *pb.Frame) *pb.Answers {
	said := &pb.Answers{}
	for _, ask := range frame.Asks {
		said.Answers = append(said.Answers, answer(ask))
	}
	return said
}

// env returns an environment variable, or what an empty one means.
func env(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func must[T any](value T, err error) T {
	if err != nil {
		end(1, "%v", err)
	}
	return value
}

func end(code int, format string, values ...any) {
	fmt.Fprintf(os.Stderr, "bot: "+format+"\n", values...)
	os.Exit(code)
}
