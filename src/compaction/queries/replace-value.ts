import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { ChannelKey } from "./select-versions.js";

/** A value in another form. */
export interface Replacement {
  readonly version: string;
  readonly type: string;
  readonly blob: Uint8Array;
  /** The version that a splice refers to. */
  readonly base: string | null;
  /** The length of the whole value that a splice stands for. */
  readonly wholeBytes: number | null;
}

/** Replaces what is stored of a value. An earlier statement of the transaction has to lock it. */
export function replaceValue(
  schema: string,
  key: ChannelKey,
  replacement: Replacement,
): BoundStatement<unknown> {
  return replace.bind(schema, { ...key, ...replacement });
}

const replace = /* @__PURE__ */ new Statement<ChannelKey & Replacement, unknown>((db, parameter) =>
  db
    .updateTable("checkpoint_blobs")
    .set({
      type: parameter("type"),
      blob: parameter("blob"),
      base: parameter("base"),
      whole_bytes: parameter("wholeBytes"),
    })
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .where("channel", "=", parameter("channel"))
    .where("version", "=", parameter("version")),
);
