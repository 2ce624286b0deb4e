// Takes the bot to a referee: dials in, says hello, answers frames, comes back when cut off.

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>

#include "euchre/referee/v1/referee_service.grpc.pb.h"
#include "strategy.h"

namespace {

namespace v1 = euchre::referee::v1;
using namespace std::chrono_literals;

constexpr int kAttempts = 10;
constexpr std::array kStatusNames = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

struct Ending {
  bool welcome = false;
  bool farewell = false;
  grpc::Status status;
};

[[noreturn]] void Fail(int code, std::string_view why) {
  std::cerr << "bot: " << why << std::endl;
  std::exit(code);
}

std::string Variable(const char* name, std::string_view otherwise = "") {
  const char* value = std::getenv(name);
  return std::string(value != nullptr && *value != '\0' ? value : otherwise);
}

// Whether coming back would not help.
bool Refused(grpc::StatusCode code) {
  return code == grpc::UNAUTHENTICATED || code == grpc::PERMISSION_DENIED ||
         code == grpc::INVALID_ARGUMENT || code == grpc::FAILED_PRECONDITION ||
         code == grpc::ABORTED || code == grpc::UNIMPLEMENTED;
}

std::string InWords(const grpc::Status& status) {
  const auto code = static_cast<std::size_t>(status.error_code());
  std::string words = code < kStatusNames.size() ? kStatusNames[code] : "an unknown status";
  words += " " + status.error_message();
  std::ranges::replace_if(
      words, [](unsigned char each) { return each < ' '; }, ' ');
  return words;
}

v1::Answers AllAnswered(const v1::Frame& frame) {
  v1::Answers answers;
  for (const v1::Ask& ask : frame.asks()) *answers.add_answers() = Answered(ask);
  return answers;
}

// Holds one conversation, up to its end, over a connection of its own: one that has failed would
// not be dialled again at once.
Ending Converse(const std::string& address, const std::string& token, const v1::Hello& hello) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5'000);
  const auto stub = v1::RefereeService::NewStub(
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer " + token);
  const auto stream = stub->Play(&context);
  Ending ending;
  v1::PlayRequest request;
  *request.mutable_hello() = hello;
  stream->Write(request);  // if that fails, reading tells why
  for (v1::PlayResponse response; stream->Read(&response);) {
    ending.welcome |= response.has_welcome();
    if (response.has_farewell()) {
      ending.farewell = true;
      context.TryCancel();
    } else if (!response.frame().asks().empty()) {
      *request.mutable_answers() = AllAnswered(response.frame());
      stream->Write(request);
    }
  }
  ending.status = stream->Finish();
  return ending;
}

// Converses, again and again, until the referee says farewell.
void Stay(const std::string& address, const std::string& token, const v1::Hello& hello) {
  for (int failures = 1;; ++failures) {
    const Ending ending = Converse(address, token, hello);
    if (ending.farewell) return;
    const std::string why = InWords(ending.status);
    if (Refused(ending.status.error_code())) Fail(1, "the referee refused: " + why);
    if (ending.welcome) failures = 1;
    if (failures == kAttempts) Fail(1, "no referee at " + address + ": " + why);
    std::this_thread::sleep_for(failures * 500ms);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 2 && arguments[1] == std::string_view("--frame")) {
    v1::Frame frame;
    if (!frame.ParseFromIstream(&std::cin)) Fail(1, "this is no frame");
    return AllAnswered(frame).SerializeToOstream(&std::cout) ? 0 : 1;
  }
  const std::string address = Variable("EUCHRE_REFEREE");
  const std::string token = Variable("EUCHRE_TOKEN");
  if (address.empty() || token.empty()) Fail(2, "EUCHRE_REFEREE and EUCHRE_TOKEN are needed");
  const auto shown = [](char each) { return '!' <= each && each <= '~'; };
  if (!std::ranges::all_of(token, shown)) Fail(2, "EUCHRE_TOKEN is not a token");
  const std::string asks = Variable("EUCHRE_MAX_ASKS", "64");
  int max_asks = 0;
  const auto [end, error] = std::from_chars(asks.data(), asks.data() + asks.size(), max_asks);
  if (error != std::errc() || *end != '\0') Fail(2, "EUCHRE_MAX_ASKS is not a number");
  v1::Hello hello;
  hello.set_protocol(1);
  hello.set_instance(Variable("EUCHRE_INSTANCE", "1"));
  hello.set_software("simple-cpp 1");
  hello.set_max_asks(max_asks);
  Stay(address, token, hello);
}
