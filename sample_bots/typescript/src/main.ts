#!/usr/bin/env node
/** Takes the bot to a referee: dials in, says hello, answers frames, comes back when cut off. */

import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { credentials, loadPackageDefinition, Metadata, status } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import type { Answers } from "./generated/euchre/referee/v1/Answers.js";
import type { Frame__Output as Frame } from "./generated/euchre/referee/v1/Frame.js";
import type { Hello } from "./generated/euchre/referee/v1/Hello.js";
import type { PlayResponse__Output as PlayResponse } from "./generated/euchre/referee/v1/PlayResponse.js";
import type { RefereeServiceClient } from "./generated/euchre/referee/v1/RefereeService.js";
import type { ProtoGrpcType } from "./generated/referee_service.js";
import { answer } from "./strategy.js";

/** Statuses after which coming back would not help. */
const REFUSED = [
  status.UNAUTHENTICATED,
  status.PERMISSION_DENIED,
  status.INVALID_ARGUMENT,
  status.FAILED_PRECONDITION,
  status.ABORTED,
  status.UNIMPLEMENTED,
];
const ATTEMPTS = 10;

const definition = loadSync("euchre/referee/v1/referee_service.proto", {
  includeDirs: [fileURLToPath(new URL("../../../protos", import.meta.url))],
  longs: String,
  defaults: true,
  oneofs: true,
});
const { v1 } = (loadPackageDefinition(definition) as unknown as ProtoGrpcType).euchre.referee;

const answers = (frame: Frame): Answers => ({ answers: frame.asks.map(answer) });

function fail(code: number, why: string): never {
  process.stderr.write(`bot: ${why.replace(/\s+/g, " ")}\n`);
  process.exit(code);
}

/** Holds one conversation; tells what was heard before it ended, and how it did. */
function converse(client: RefereeServiceClient, token: string, hello: Hello) {
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  const call = client.play(metadata);
  return new Promise<{ heard: Set<unknown>; code: status; details: string }>((resolve) => {
    const heard = new Set<unknown>();
    call.on("data", (response: PlayResponse) => {
      heard.add(response.kind);
      if (response.farewell) call.cancel();
      else if (response.frame?.asks.length) call.write({ answers: answers(response.frame) });
    });
    call.on("error", () => {}); // the status says the same
    call.on("status", ({ code, details }) => resolve({ heard, code, details }));
    call.write({ hello });
  });
}

/** Converses, again and again, until the referee says farewell. */
async function stay(address: string, token: string, hello: Hello): Promise<void> {
  const client = new v1.RefereeService(address, credentials.createInsecure(), {
    "grpc.keepalive_time_ms": 10_000,
    "grpc.keepalive_timeout_ms": 5_000,
    "grpc.max_reconnect_backoff_ms": 1_000,
  });
  for (let failures = 1; ; failures++) {
    const { heard, code, details } = await converse(client, token, hello);
    if (heard.has("farewell")) return client.close();
    const why = `${status[code]} ${details}`;
    if (REFUSED.includes(code)) fail(1, `the referee refused: ${why}`);
    if (heard.has("welcome")) failures = 1;
    if (failures === ATTEMPTS) fail(1, `no referee at ${address}: ${why}`);
    await setTimeout(500 * failures);
  }
}

if (process.argv[2] === "--frame") {
  const frame = v1.Frame.deserialize(readFileSync(0));
  writeFileSync(1, v1.Answers.serialize(answers(frame)));
} else {
  const { EUCHRE_REFEREE, EUCHRE_TOKEN, EUCHRE_INSTANCE, EUCHRE_MAX_ASKS } = process.env;
  if (!EUCHRE_REFEREE || !EUCHRE_TOKEN) fail(2, "EUCHRE_REFEREE and EUCHRE_TOKEN are needed");
  if (!/^[!-~]+$/.test(EUCHRE_TOKEN)) fail(2, "EUCHRE_TOKEN is not a token"); // never show it
  const maxAsks = Number(EUCHRE_MAX_ASKS || 64);
  if (!Number.isInteger(maxAsks)) fail(2, "EUCHRE_MAX_ASKS is not a number");
  const instance = EUCHRE_INSTANCE || "1";
  const software = "simple-typescript 1";
  await stay(EUCHRE_REFEREE, EUCHRE_TOKEN, { protocol: 1, instance, software, maxAsks });
}
