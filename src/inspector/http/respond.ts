import { callWithSignal } from "../../saver/call/run-call.js";
import type { CallDefinition, CallRun } from "../calls/call-definition.js";
import { readCalls, writeCalls } from "../calls/index.js";
import type { InspectorContext } from "../inspector-context.js";
import type { InspectorAccess } from "../inspector-options.js";
import { isFromPage } from "./is-from-page.js";
import { errorResponse, jsonResponse, refusal, withHeaders } from "./responses.js";
import { pageFile } from "./page-files.js";
import { parseArgs } from "./parse-args.js";

const API = "/api/";

/** Answers a request of the page. It never throws. */
export async function respond(context: InspectorContext, request: Request): Promise<Response> {
  try {
    return withHeaders(await route(context, request));
  } catch (error) {
    return withHeaders(errorResponse(error));
  }
}

async function route(context: InspectorContext, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const path = withoutBase(pathname, context.basePath);
  const name = path.startsWith(API) ? path.slice(API.length) : undefined;
  const action = name !== undefined && Object.hasOwn(writeCalls, name) ? "write" : "read";
  const refused = await refuse(context, request, { action });
  if (refused !== undefined) return refused;
  if (name !== undefined) return answerCall(context, request, name);
  if (request.method !== "GET" && request.method !== "HEAD")
    return refusal(405, "METHOD_NOT_ALLOWED", "use GET");
  return (
    (await pageFile(context.basePath, path, request)) ?? refusal(404, "NOT_FOUND", "there is no such page")
  );
}

/** Returns the answer to a request that is not let in. */
async function refuse(
  context: InspectorContext,
  request: Request,
  access: InspectorAccess,
): Promise<Response | undefined> {
  if (!isFromPage(request, access)) {
    return refusal(403, "FOREIGN_ORIGIN", "the request comes from another site");
  }
  const decision = await context.authorize(request, access);
  if (decision instanceof Response) return decision;
  // An untyped caller may forget to return something.
  if (!decision) return refusal(403, "FORBIDDEN", "you may not do this");
  return undefined;
}

async function answerCall(context: InspectorContext, request: Request, name: string): Promise<Response> {
  const run: CallRun = {
    context,
    call: callWithSignal(context.call, { options: { signal: request.signal } }),
    signal: request.signal,
    canWrite: async () => context.write && (await context.authorize(request, { action: "write" })) === true,
  };
  const read = definitionOf(readCalls, name);
  if (read !== undefined) {
    if (request.method !== "GET") return refusal(405, "METHOD_NOT_ALLOWED", "use GET");
    const text = new URL(request.url).searchParams.get("args") ?? "{}";
    return jsonResponse(await read.run(run, parseArgs(read.args, text)));
  }
  const write = definitionOf(writeCalls, name);
  if (write === undefined) return refusal(404, "NOT_FOUND", "there is no such call");
  if (request.method !== "POST") return refusal(405, "METHOD_NOT_ALLOWED", "use POST");
  if (!context.write)
    return refusal(403, "READ_ONLY", "the inspector is read-only; start it with write access");
  return jsonResponse(await write.run(run, parseArgs(write.args, await request.text())));
}

function withoutBase(path: string, basePath: string): string {
  return path === basePath || path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}

function definitionOf(
  definitions: Readonly<Record<string, CallDefinition<unknown, object> | undefined>>,
  name: string,
): CallDefinition<unknown, object> | undefined {
  return Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}
