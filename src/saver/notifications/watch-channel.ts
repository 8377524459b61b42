import { createHash } from "node:crypto";
import { CHANNEL_NAME } from "../queries/notify-watchers.js";
import type { SaverCall } from "../call/saver-call.js";

/** What the checkpoint that is told of is called, within its thread. */
export interface ToldCheckpoint {
  readonly checkpointNs: string;
  readonly checkpointId: string;
}

/**
 * What the names of the channels of a schema's threads are made of beside the thread. Another tenant's threads are others,
 * of whatever name.
 */
export function watchScope(schema: string, tenantId: string | undefined): string {
  return JSON.stringify(["langgraph-checkpoint-kysely", "watch", schema, tenantId ?? null]);
}

/** The scope of what a saver stores; `undefined` where nobody is told of it. */
export function toldScope(call: SaverCall): string | undefined {
  return call.policy.notifies === true ? watchScope(call.schema, call.policy.tenantId) : undefined;
}

/** The channel of a thread: a digest, since a name may have 63 bytes, and a thread 2,000. */
export function watchChannel(scope: string, threadId: string): string {
  const digest = createHash("sha256").update(`${scope}${threadId}`).digest("hex");
  return CHANNEL_NAME.prefix + digest.slice(0, CHANNEL_NAME.digits);
}

/** What `tellWatchers` told; `undefined` for what somebody else sent. */
export function parseTold(payload: string): ToldCheckpoint | undefined {
  const [, length, rest] = /^(\d{1,4}):([^]*)$/.exec(payload) ?? [];
  if (length === undefined || rest === undefined) return undefined;
  // As Postgres counts them: a pair of surrogates is one.
  const characters = Array.from(rest);
  const checkpointNs = characters.slice(0, Number(length)).join("");
  return { checkpointNs, checkpointId: rest.slice(checkpointNs.length) };
}
