import { z } from "zod";
import { idsFrom } from "../../saver/model/checkpoint-time.js";
import type { ThreadScope } from "../queries/listed-threads.js";
import { encodeFilter } from "../../parsing/encode-filter.js";
import { recordOf } from "../../parsing/keys.js";
import { pageQuery } from "../../parsing/page-query.js";
import { parse } from "../../parsing/parse.js";

const query = pageQuery
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
  const { after, limit, filter, updatedAfter } = parse(query, value, "query");
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
