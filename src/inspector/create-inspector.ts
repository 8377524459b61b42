import { type CheckpointSaver, openedSaverOf } from "../checkpoint-saver.js";
import { type InspectorOptions, parseInspectorOptions } from "./inspector-options.js";
import { inspectorContext, type InspectorWriters } from "./inspector-context.js";
import { respond } from "./http/respond.js";

/** Answers the requests of the inspector's page. */
export type Inspector = (request: Request) => Promise<Response>;

/**
 * Creates the inspector of the threads that a saver reads: a web page for people who debug agents. Mount it in any server that has
 * `Request` and `Response`; {@link nodeListener} mounts it in `node:http` and Express.
 *
 * It shows what the saver can read, by the saver's own rules: its schema, its tenant, its serializer. It changes nothing without `write`.
 *
 * @param saver - The saver to read with. The inspector never closes it.
 * @returns A handler of all paths below `basePath`. It never throws: a failure is an answer with a status of 400 or more.
 * @throws InvalidConfigError for something else than a saver of this library, and for an invalid option.
 *
 * @example
 * ```ts
 * import { Hono } from "hono";
 * import { PostgresSaver } from "langgraph-checkpoint-kysely";
 * import { createInspector } from "langgraph-checkpoint-kysely/inspector";
 *
 * const saver = new PostgresSaver(process.env.DATABASE_URL ?? "");
 * const inspector = createInspector(saver, {
 *   basePath: "/inspector",
 *   authorize: (request) => request.headers.get("authorization") === `Bearer ${process.env.ADMIN_KEY ?? ""}`,
 * });
 * const app = new Hono();
 * app.all("/inspector/*", (context) => inspector(context.req.raw));
 * ```
 */
export function createInspector(saver: CheckpointSaver, options: InspectorOptions): Inspector {
  return inspectorWith(saver, options);
}

/**
 * Creates an inspector whose changes are written by others than those that read.
 *
 * @param writers - Default: the saver and the store that read.
 */
export function inspectorWith(
  saver: CheckpointSaver,
  options: InspectorOptions,
  writers?: InspectorWriters,
): Inspector {
  const context = inspectorContext(openedSaverOf(saver), saver, parseInspectorOptions(options), writers);
  return (request) => respond(context, request);
}
