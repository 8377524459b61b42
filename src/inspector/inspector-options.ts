import { z } from "zod";
import { InvalidConfigError } from "../errors/index.js";
import { functionSchema, parse } from "../parsing/parse.js";
import { type GraphOf, type GraphOrFactory, graphsSchema } from "./runs/inspected-graph.js";
import type { InspectorAction } from "./api/actions.js";
import type { ItemStore } from "../store/item-store.js";
import { PostgresStore } from "../store/postgres-store.js";

/** What a request wants to do. */
export interface InspectorAccess {
  readonly action: InspectorAction;
}

/** Whose request it is, as {@link InspectorOptions.audit} is told. */
export interface InspectorUser {
  /** A name or an id, such as `ada@example.com`. */
  readonly user: string;
}

/** The answer of {@link Authorize}. */
export type InspectorDecision = boolean | InspectorUser | Response;

/**
 * Decides about a request. The inspector calls it for each one, before it reads anything. `true`, or whose request it is, lets the request
 * in, and `false` answers it with status 403. A `Response` is sent instead, for example a redirect to a login page.
 *
 * The page asks about the other actions to find out what it may offer, so the function must not count on an action to follow.
 */
export type Authorize = (
  request: Request,
  access: InspectorAccess,
) => InspectorDecision | Promise<InspectorDecision>;

/**
 * Something that a person does in the inspector, which is not only reading.
 *
 * @experimental
 */
export interface InspectorAudit {
  /** The same when the action begins and when it has ended. */
  readonly id: string;
  /** `begins`: nothing has been done yet. */
  readonly phase: "begins" | "done" | "failed";
  readonly at: Date;
  /** What {@link Authorize} has said. The run of an answer has it as `config.metadata.answered_by`. */
  readonly user?: string;
  readonly action: Exclude<InspectorAction, "read">;
  /** What is done, such as `deleteThread`. */
  readonly operation: string;
  /** With what: ids, and the values that the person gave. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Why it failed. */
  readonly error?: unknown;
}

/** The options of `createInspector`. */
export interface InspectorOptions {
  /** Decides about each request. */
  readonly authorize: Authorize;
  /** Whether threads and items can be edited and deleted, as far as {@link authorize} lets them. Default: `false`. */
  readonly write?: boolean | undefined;
  /**
   * Is told of each action before it begins, and when it has ended. The inspector waits for it: an action whose beginning it rejects is not
   * done.
   *
   * @experimental
   */
  readonly audit?: ((event: InspectorAudit) => void | Promise<void>) | undefined;
  /**
   * Graphs of the service by name, with which a person can answer what a thread asks, repeat what failed, and go on from any checkpoint, as
   * far as {@link authorize} lets them: what `compile`, `createAgent` and `createDeepAgent` return. Each graph must store its checkpoints where
   * the inspector reads them. A function returns the graph for a thread, for example with the config of its owner, or `undefined` if the graph
   * is not for this thread. Default: none, so that nothing can be answered.
   *
   * @experimental
   */
  readonly graphs?: Readonly<Record<string, GraphOrFactory>> | undefined;
  /**
   * Returns the name in {@link graphs} of the graph that a thread belongs to, or `undefined` if the application does not know. Default: the
   * inspector finds it by `graph_id` in the metadata, then by the names of nodes and channels in the thread; where these fit several graphs,
   * a person has to choose one.
   *
   * @experimental
   */
  readonly graphOf?: GraphOf | undefined;
  /** The path that the inspector is mounted at, such as `/inspector`. Default: `/`. */
  readonly basePath?: string | undefined;
  /**
   * The store whose items the inspector shows and writes. Pass yours for searches by meaning, for items that only its serializer reads, and
   * for edits of items with embeddings. Default: a store on the database of the saver, where its tables exist, that writes plain JSON.
   */
  readonly store?: ItemStore | undefined;
}

const optionsSchema = z.strictObject({
  authorize: functionSchema<Authorize>(),
  write: z.boolean().optional(),
  audit: functionSchema<NonNullable<InspectorOptions["audit"]>>().optional(),
  graphs: graphsSchema.optional(),
  graphOf: functionSchema<GraphOf>().optional(),
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
  readonly audit: InspectorOptions["audit"];
  readonly graphs: InspectorOptions["graphs"];
  readonly graphOf: InspectorOptions["graphOf"];
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
  const {
    authorize,
    write = false,
    audit,
    graphs,
    graphOf,
    basePath = "",
    store,
  } = parse(optionsSchema, options, "options");
  return { authorize, write, audit, graphs, graphOf, basePath, store };
}
