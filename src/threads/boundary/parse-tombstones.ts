import { z } from "zod";
import { storedThreadId } from "../../parsing/keys.js";
import { pageQuery } from "../../parsing/page-query.js";
import { abortSignal } from "../../parsing/parse-call-options.js";
import { parse } from "../../parsing/parse.js";

const query = pageQuery.prefault({});

/** The parsed query of `listTombstones`. */
export interface TombstonesRequest {
  readonly after: string | undefined;
  readonly limit: number;
}

/** Parses the query of `listTombstones`. */
export function parseTombstoneQuery(value: unknown): TombstonesRequest {
  const { after, limit } = parse(query, value, "query");
  return { after, limit };
}

const threadIds = z.array(storedThreadId);
const liftOptions = z.strictObject({ signal: abortSignal.nullish() }).nullish();

/** Parses the arguments of `liftTombstones`: the distinct threads whose tombstones it deletes. */
export function parseLift(ids: unknown, options: unknown): string[] {
  parse(liftOptions, options, "options");
  return [...new Set(parse(threadIds, ids, "threadIds"))];
}
