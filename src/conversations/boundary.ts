import { z } from "zod";
import { type ConnectionOptions, connectionOptions } from "../parsing/connection-options.js";
import { keyText, MAX_KEY_BYTES, threadId } from "../parsing/keys.js";
import { jsonObject, parse } from "../parsing/parse.js";
import { abortSignal } from "../parsing/parse-call-options.js";

/** The options of conversations. */
export interface PostgresConversationsOptions extends ConnectionOptions {
  /**
   * Whether a deleted thread stays deleted, as the option of the same name of the saver: `delete` leaves a tombstone, and `set` refuses such
   * a thread with a `ThreadDeletedError`. Set it as for the savers. Default `false`.
   */
  readonly keepTombstones?: boolean | undefined;
}

const options = z.strictObject({ ...connectionOptions, keepTombstones: z.boolean().default(false) });

/** Parses the options of the constructor. */
export function parseOptions(given: unknown): z.output<typeof options> {
  return parse(options, given ?? {}, "options");
}

/** What of JSON text a JSONB column can't hold: U+0000 and half of a surrogate pair, after an even number of backslashes. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/u;

const COLUMNS = ["title", "owner", "graph_id"];

/** Metadata as the JSON text of a column. */
const metadataText = jsonObject.transform((metadata, context): string => {
  const refuse = (message: string, path: string[] = []): never => {
    context.addIssue({ code: "custom", message, path });
    return z.NEVER;
  };
  for (const name of COLUMNS) {
    const value = metadata[name] ?? null;
    if (value !== null && typeof value !== "string") return refuse("must be a text", [name]);
    if (value !== null && Buffer.byteLength(value) > MAX_KEY_BYTES)
      return refuse(`must not be longer than ${MAX_KEY_BYTES} bytes`, [name]);
  }
  const text = textOf(metadata);
  if (text?.startsWith("{") !== true) return refuse("must be data of JSON");
  return UNSTORABLE.test(text) ? refuse("must not contain U+0000 or a lone surrogate") : text;
});

/** `JSON.stringify`, for what it refuses as well: a BigInt or a cycle. */
function textOf(metadata: object): string | undefined {
  try {
    return JSON.stringify(metadata);
  } catch {
    return undefined;
  }
}

const change = z.strictObject({
  kind: z.enum(["put", "patch"]),
  metadata: metadataText.optional(),
  signal: abortSignal.nullish(),
});

const query = z.strictObject({
  metadata: metadataText.optional(),
  title: keyText.optional(),
  limit: z.int().min(0).default(50),
  offset: z.int().min(0).default(0),
  after: z.looseObject({ thread_id: keyText, created_at: z.date(), updated_at: z.date() }).optional(),
  sortBy: z.enum(["created_at", "updated_at"]).default("updated_at"),
  sortOrder: z.enum(["asc", "desc"]).default("desc"),
  exactTotal: z.boolean().default(false),
  signal: abortSignal.nullish(),
});

/** A parsed query of `search`. */
export type SearchRequest = z.output<typeof query>;

/** Parses the id of a thread. */
export function parseThread(given: unknown): string {
  return parse(threadId, given, "id");
}

/** Parses the second argument of `set`. */
export function parseChange(given: unknown): z.output<typeof change> {
  return parse(change, given, "options");
}

/** Parses the argument of `search`. */
export function parseQuery(given: unknown): SearchRequest {
  return parse(query, given ?? {}, "options");
}
