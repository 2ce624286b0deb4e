//! Plays Bid Euchre and Buck Euchre for a referee by the simple strategy.
//! How it is started is in ../README.md, what it answers in ../STRATEGY.md.

mod strategy;

use std::env::{args, var};
use std::io::{Read, Write, stdin, stdout};
use std::{process::exit, time::Duration};

use prost::Message;
use tokio::sync::mpsc;
use tonic::codegen::tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::Endpoint;
use tonic::{Code, Request, Status};

use referee::referee_service_client::RefereeServiceClient;
use referee::{Answers, Frame, Hello, PlayRequest, play_request, play_response};

/// What is generated from the .proto files.
mod referee {
    tonic::include_proto!("euchre.referee.v1");
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    if args().nth(1).as_deref() == Some("--frame") {
        let mut bytes = Vec::new();
        stdin().read_to_end(&mut bytes)?;
        let said = answers(&Frame::decode(&bytes[..])?);
        return Ok(stdout().write_all(&said.encode_to_vec())?);
    }
    let env = |name, otherwise: &str| match var(name) {
        Ok(value) if !value.is_empty() => value,
        _ => otherwise.to_string(),
    };
    let (address, token) = (env("EUCHRE_REFEREE", ""), env("EUCHRE_TOKEN", ""));
    let max_asks = env("EUCHRE_MAX_ASKS", "64").parse();
    let (false, false, Ok(max_asks)) = (address.is_empty(), token.is_empty(), max_asks) else {
        end(2, "needs EUCHRE_REFEREE and EUCHRE_TOKEN, and a number in EUCHRE_MAX_ASKS");
    };
    let instance = env("EUCHRE_INSTANCE", "1");
    let software = "simple-rust 1".to_string();
    let hello = Hello { protocol: 1, instance, software, games: vec![], max_asks };
    let mut failures = 0;
    loop {
        let Err(status) = converse(&address, &token, hello.clone(), &mut failures).await else {
            return Ok(()); // after a farewell
        };
        let what = format!("{:?} {:?}", status.code(), status.message());
        match status.code() {
            Code::Unauthenticated
            | Code::PermissionDenied
            | Code::InvalidArgument
            | Code::FailedPrecondition
            | Code::Aborted
            | Code::Unimplemented => end(1, &format!("the referee refused: {what}")),
            _ if failures == 9 => end(1, &format!("no referee at {address}: {what}")),
            _ => failures += 1,
        }
        tokio::time::sleep(Duration::from_millis(500 * failures)).await;
    }
}

/// Holds one conversation, up to a farewell. A welcome ends a row of failures.
async fn converse(address: &str, token: &str, hello: Hello, failures: &mut u64) -> Result<(), Status> {
    let bad = |_| Status::invalid_argument("the address or the token is none");
    let target = if address.starts_with("unix:") { address.to_string() } else { format!("http://{address}") };
    let channel = Endpoint::from_shared(target).map_err(|_| Status::invalid_argument("a bad address"))?;
    // What is put into `say` is sent as soon as it can be.
    let (say, said) = mpsc::unbounded_channel();
    let request = |kind| PlayRequest { kind: Some(kind) };
    let _ = say.send(request(play_request::Kind::Hello(hello)));
    let mut call = Request::new(UnboundedReceiverStream::new(said));
    call.metadata_mut().insert("authorization", format!("Bearer {token}").parse().map_err(bad)?);
    let mut client = RefereeServiceClient::new(channel.connect_lazy());
    let mut responses = client.play(call).await?.into_inner();
    while let Some(response) = responses.message().await? {
        match response.kind {
            Some(play_response::Kind::Welcome(_)) => *failures = 0,
            Some(play_response::Kind::Frame(frame)) if !frame.asks.is_empty() => {
                let _ = say.send(request(play_request::Kind::Answers(answers(&frame))));
            }
            Some(play_response::Kind::Farewell(_)) => return Ok(()),
            _ => {}
        }
    }
    Err(Status::unavailable("the stream ended without a farewell"))
}

fn answers(frame: &Frame) -> Answers {
    Answers { answers: frame.asks.iter().map(strategy::answer).collect() }
}

fn end(code: i32, why: &str) -> ! {
    eprintln!("bot: {why}");
    exit(code)
}
