import { z } from "zod";
import { idsFrom } from "../../saver/model/checkpoint-time.js";
import type { ThreadScope } from "../queries/listed-threads.js";
import { encodeFilter } from "../../parsing/encode-filter.js";
import { recordOf, storedText, storedThreadId, checkpointNs } from "../../parsing/keys.js";
import { pageQuery, abortSignal, staleReadOptions } from "../../parsing/parse-call-options.js";
import { parse } from "../../parsing/parse.js";
import type { NamespaceKey } from "../../saver/model/keys.js";

const threadQuery = pageQuery
  .extend({
    filter: recordOf(z.string(), z.unknown()).optional(),
    updatedAfter: z.date().optional(),
  })
  .prefault({});

/** The parsed query of `listThreads`. */
export interface ThreadsRequest {
  readonly scope: ThreadScope;
  readonly limit: number;
}

/** Parses the query of `listThreads`. */
export function parseThreadQuery(value: unknown): ThreadsRequest {
  const { after, limit, filter, updatedAfter } = parse(threadQuery, value, "query");
  const encoded = encodeFilter(filter, "query.filter");
  return {
    scope: {
      after,
      filter: encoded?.contained,
      unlike: encoded?.notContained,
      updatedAfter: updatedAfter && laterThan(updatedAfter),
    },
    limit,
  };
}

// A Date has milliseconds: a checkpoint made within the same millisecond does not count as later.
function laterThan(time: Date): ThreadScope["updatedAfter"] {
  return { id: idsFrom(new Date(Math.min(time.getTime() + 1, LAST_DATE_MS))), ts: time.toISOString() };
}

const LAST_DATE_MS = 8.64e15;

const tombstoneQuery = pageQuery.prefault({});

/** The parsed query of `listTombstones`. */
export type TombstonesRequest = z.output<typeof tombstoneQuery>;

/** Parses the query of `listTombstones`. */
export function parseTombstoneQuery(value: unknown): TombstonesRequest {
  return parse(tombstoneQuery, value, "query");
}

const threadIds = z.array(storedThreadId);
const liftOptions = z.strictObject({ signal: abortSignal.nullish() }).nullish();

/** Parses the arguments of `liftTombstones`: the distinct threads whose tombstones it deletes. */
export function parseLift(ids: unknown, options: unknown): string[] {
  parse(liftOptions, options, "options");
  return [...new Set(parse(threadIds, ids, "threadIds"))];
}

const historyOptions = staleReadOptions
  .extend({ checkpointNs, limit: z.int().min(1).optional(), before: storedText.min(1).optional() })
  .prefault({});

/** The parsed arguments of `history`. */
export interface HistoryRequest extends NamespaceKey {
  /** The most checkpoints; may be infinite. */
  readonly limit: number;
  /** Only checkpoints with a smaller id. */
  readonly before: string | undefined;
}

/** Parses the arguments of `history`. */
export function parseHistory(thread: unknown, given: unknown): HistoryRequest {
  const { checkpointNs, limit = Number.POSITIVE_INFINITY, before } = parse(historyOptions, given, "options");
  return { threadId: parse(storedThreadId, thread, "threadId"), checkpointNs, limit, before };
}
