import { createHash } from "node:crypto";
import { CHANNEL_NAME } from "../../db/listening/channel-name.js";

/** A change of an item, as a notification announces it. */
export interface NotifiedChange {
  readonly kind: "put" | "delete";
  readonly prefix: string;
  readonly key: string;
}

/** The channel that announces the changes of a store. Stores of two tenants have different ones. */
export function changeChannel(schema: string, tenantId: string | undefined): string {
  const scope = JSON.stringify(["langgraph-checkpoint-kysely", "store", schema, tenantId ?? null]);
  const digest = createHash("sha256").update(scope).digest("hex");
  return CHANNEL_NAME.prefix + digest.slice(0, CHANNEL_NAME.digits);
}

/** Parses the payload of a notification; `undefined` if another program sent it. */
export function parseChange(payload: string): NotifiedChange | undefined {
  const [, kind, length, rest] = /^(put|delete) (\d{1,4}):([^]*)$/.exec(payload) ?? [];
  if ((kind !== "put" && kind !== "delete") || length === undefined || rest === undefined) return undefined;
  // Postgres counts code points: a surrogate pair is one character.
  const prefix = Array.from(rest).slice(0, Number(length)).join("");
  return { kind, prefix, key: rest.slice(prefix.length) };
}
