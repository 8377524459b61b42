import { z } from "zod";
import { InvalidConfigError } from "../errors/index.js";
import { functionSchema } from "../parsing/function-schema.js";
import { parse } from "../parsing/parse.js";
import type { ItemStore } from "../store/item-store.js";
import { PostgresStore } from "../store/postgres-store.js";

/** What a request wants to do. */
export interface InspectorAccess {
  /** `write` changes threads. Everything else, with the files of the page, is `read`. */
  readonly action: "read" | "write";
}

/**
 * Decides about a request. The inspector calls it for each one, before it reads anything. `true` lets the request in, and `false` answers
 * it with status 403. A `Response` is sent instead, for example a redirect to a login page.
 *
 * The page asks with `action: "write"` what it may do, so the function must not count on a write to follow.
 */
export type Authorize = (
  request: Request,
  access: InspectorAccess,
) => boolean | Response | Promise<boolean | Response>;

/** The options of `createInspector`. */
export interface InspectorOptions {
  /** Decides about each request. */
  readonly authorize: Authorize;
  /** Whether threads can be changed, as far as {@link authorize} lets them. Default: `false`. */
  readonly write?: boolean | undefined;
  /** The path that the inspector is mounted at, such as `/inspector`. Default: `/`. */
  readonly basePath?: string | undefined;
  /**
   * The store whose items the inspector shows. Pass yours for searches by meaning, and for items that only its serializer reads. Default:
   * a store on the database of the saver, where its tables exist.
   */
  readonly store?: ItemStore | undefined;
}

const optionsSchema = z.strictObject({
  authorize: functionSchema<Authorize>(),
  write: z.boolean().optional(),
  basePath: z
    .string()
    .regex(/^(?:\/[\w.~-]+)*\/?$/, "must be a path such as /inspector")
    .transform((path) => path.replace(/\/$/, ""))
    .optional(),
  store: z.instanceof(PostgresStore, { error: "must be a PostgresStore" }).optional(),
});

/** The parsed options. */
export interface ParsedInspectorOptions {
  readonly authorize: Authorize;
  readonly write: boolean;
  /** Without a slash at its end, so `""` for the root. */
  readonly basePath: string;
  readonly store: ItemStore | undefined;
}

/** @throws InvalidConfigError for an invalid option. */
export function parseInspectorOptions(options: unknown): ParsedInspectorOptions {
  if (options === undefined || options === null) {
    throw new InvalidConfigError(
      "options.authorize",
      "is missing: the inspector shows everything that threads hold",
    );
  }
  const { authorize, write = false, basePath = "", store } = parse(optionsSchema, options, "options");
  return { authorize, write, basePath, store };
}
