import { z } from "zod";
import { threadId } from "../../parsing/keys.js";
import { pageQuery } from "../../parsing/page-query.js";
import { abortSignal } from "../../parsing/parse-call-options.js";
import { parse } from "../../parsing/parse.js";

const query = pageQuery.prefault({});

/** A checked call of `listTombstones`. */
export interface TombstonesRequest {
  readonly after: string | undefined;
  readonly limit: number;
}

/** What `listTombstones` is asked for. */
export function parseTombstoneQuery(value: unknown): TombstonesRequest {
  const { after, limit } = parse(query, value, "query");
  return { after, limit };
}

const threadIds = z.array(threadId);
const liftOptions = z.strictObject({ signal: abortSignal.nullish() }).nullish();

/** The threads whose tombstones `liftTombstones` is asked to delete, each once. */
export function parseLift(ids: unknown, options: unknown): string[] {
  parse(liftOptions, options, "options");
  return [...new Set(parse(threadIds, ids, "threadIds"))];
}
