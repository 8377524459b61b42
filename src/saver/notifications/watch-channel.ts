import { createHash } from "node:crypto";
import type { SaverCall } from "../call/saver-call.js";
import { CHANNEL_NAME } from "../../db/listening/channel-name.js";

/** The namespace and id of a checkpoint, within a thread. */
export interface CheckpointRef {
  readonly checkpointNs: string;
  readonly checkpointId: string;
}

/**
 * The part of a notification channel's name that is the same for all threads of a schema and tenant. Two tenants may have
 * threads with the same id; their scopes keep the channels apart.
 */
export function watchScope(schema: string, tenantId: string | undefined): string {
  return JSON.stringify(["langgraph-checkpoint-kysely", "watch", schema, tenantId ?? null]);
}

/** The scope in which a saver sends notifications; `undefined` for a saver that sends none. */
export function notificationScope(call: SaverCall): string | undefined {
  return call.policy.notifies === true ? watchScope(call.schema, call.policy.tenantId) : undefined;
}

/** The notification channel of a thread. It is a digest: Postgres allows 63 bytes, and a thread id may have 2,000. */
export function watchChannel(scope: string, threadId: string): string {
  const digest = createHash("sha256").update(`${scope}${threadId}`).digest("hex");
  return CHANNEL_NAME.prefix + digest.slice(0, CHANNEL_NAME.digits);
}

/** The payload that announces a checkpoint, as `notifyWatchers` builds it. */
export function payloadOf({ checkpointNs, checkpointId }: CheckpointRef): string {
  return `${Array.from(checkpointNs).length}:${checkpointNs}${checkpointId}`;
}

/** Parses the payload of a notification; `undefined` if another program sent it. */
export function parseNotification(payload: string): CheckpointRef | undefined {
  const [, length, rest] = /^(\d{1,4}):([^]*)$/.exec(payload) ?? [];
  if (length === undefined || rest === undefined) return undefined;
  // Postgres counts code points: a surrogate pair is one character.
  const characters = Array.from(rest);
  const checkpointNs = characters.slice(0, Number(length)).join("");
  return { checkpointNs, checkpointId: rest.slice(checkpointNs.length) };
}
