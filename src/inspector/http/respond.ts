import { onAbort } from "../../db/async/on-abort.js";
import { AbortError, DatabaseError } from "../../errors/index.js";
import { type SaverCall, onReplica } from "../../saver/call/saver-call.js";
import type { CallDefinition, CallRun, WriteDefinition } from "../calls/call-definition.js";
import { readCalls, staleCalls, writeCalls } from "../calls/index.js";
import { threadArgs, runArgs } from "../calls/args.js";
import type { InspectorContext } from "../inspector-context.js";
import type { InspectorAction } from "../api/actions.js";
import type { RunRequest } from "../api/runs.js";
import { audited, type AdmittedUser, decide, isFromPage, type Target } from "./admission.js";
import { download, exportFile } from "./downloads.js";
import { threadEvents } from "../live/thread-events.js";
import { eventStream } from "./event-stream.js";
import { pageFile } from "./page-files.js";
import { startRun } from "../runs/start-run.js";
import { parseArgs, readBody } from "./read-args.js";
import { finishAnswer, errorResponse, jsonResponse, methodRefusal, refusal } from "./responses.js";

const READS: Readonly<Record<string, CallDefinition<unknown, object> | undefined>> = readCalls;
const WRITES: Readonly<Record<string, WriteDefinition<object, object> | undefined>> = writeCalls;

const API = "/api/";
const EVENTS = "/events";
const DOWNLOAD = "/download";
const EXPORT = "/export";
const RUN = "/run";

/** Answers a request of the page. It never throws. */
export async function respond(context: InspectorContext, request: Request): Promise<Response> {
  const response = await answerChecked(context, request);
  return request.method === "HEAD" ? new Response(null, response) : response;
}

async function answerChecked(context: InspectorContext, request: Request): Promise<Response> {
  try {
    const path = withoutBase(new URL(request.url).pathname, context.basePath);
    if (!isFromPage(request, targetOf(request, path))) {
      return await finishAnswer(
        request,
        refusal(403, "FOREIGN_ORIGIN", "the request comes from another site"),
      );
    }
    const admission = await decide(context, request, { action: actionOf(path) });
    if (admission instanceof Response) return admission;
    if (path === RUN) return await answerRun(context, request);
    return await finishAnswer(request, await answer(context, request, path, admission));
  } catch (error) {
    const response = errorResponse(error);
    // Also where the role or its row security is refused: the operator has to know.
    if (response.status >= 500 || error instanceof DatabaseError) reportFailure(context, error);
    return finishAnswer(request, response);
  }
}

/** Reports what an answer may not say. What a method of the saver has reported is not reported again. */
function reportFailure({ call }: InspectorContext, error: unknown): void {
  // The page has gone.
  if (error instanceof AbortError) return;
  call.telemetry?.failedBeside("the inspector failed", error);
}

function targetOf({ method }: Request, path: string): Target {
  const isGet = method === "GET" || method === "HEAD";
  if ([EVENTS, DOWNLOAD, EXPORT].includes(path)) return isGet ? "read" : "write";
  if (!path.startsWith(API)) return isGet ? "page" : "write";
  const name = path.slice(API.length);
  if (Object.hasOwn(readCalls, name)) return "read";
  return isGet && !Object.hasOwn(writeCalls, name) ? "read" : "write";
}

/** What a path alone says. A run says in its body what it is, and is asked about again. */
function actionOf(path: string): InspectorAction {
  return definitionOf(WRITES, nameOf(path))?.action ?? "read";
}

/** The name of the call; empty where the path is of no call. */
function nameOf(path: string): string {
  return path.startsWith(API) ? path.slice(API.length) : "";
}

async function answer(
  context: InspectorContext,
  request: Request,
  path: string,
  admission: AdmittedUser,
): Promise<Response> {
  if (path.startsWith(API)) return answerCall(context, request, nameOf(path), admission);
  if (path === EVENTS)
    return request.method === "GET" ? answerEvents(context, request) : methodRefusal("GET");
  // Nothing is begun that nobody reads.
  if (path === EXPORT && request.method !== "GET") return methodRefusal("GET");
  if (request.method !== "GET" && request.method !== "HEAD") return methodRefusal("GET, HEAD");
  if (path === DOWNLOAD) return download(runOf(context, request), argsOf(request));
  if (path === EXPORT) return exportFile(runOf(context, request), argsOf(request));
  const file = await pageFile(context.basePath, path);
  return file ?? refusal(404, "NOT_FOUND", "there is no such page");
}

async function answerCall(
  context: InspectorContext,
  request: Request,
  name: string,
  admission: AdmittedUser,
): Promise<Response> {
  // Reads as well: what people type and agents write stays out of addresses, which proxies and servers log.
  if (request.method !== "POST") return methodRefusal("POST");
  // Who changes threads looks at the result.
  const isStale = !context.write && staleCalls.has(name);
  const run = runOf(context, request, isStale ? onReplica : undefined);
  const read = definitionOf(READS, name);
  if (read !== undefined) {
    const args = await readBody(request, read.args);
    return args instanceof Response ? args : jsonResponse(await read.run(run, args));
  }
  const write = definitionOf(WRITES, name);
  if (write === undefined) return refusal(404, "NOT_FOUND", "there is no such call");
  if (!context.write) {
    return refusal(403, "READ_ONLY", "the inspector is read-only; start it with write access");
  }
  if (!isPossible(context, write.action)) return refusal(403, "NO_GRAPHS", "the inspector has no graphs");
  const args = await readBody(request, write.args);
  if (args instanceof Response) return args;
  const audit = { ...admission, action: write.action, operation: name, details: { ...args } };
  return jsonResponse(await audited(context, audit, () => write.run(run, args)));
}

/**
 * Starts a run, which goes on when the page goes away. What a run is, such as a replay, stands in the body, which nobody reads for those
 * who may not even read.
 */
async function answerRun(context: InspectorContext, request: Request): Promise<Response> {
  const args = await argsOfRun(context, request);
  if (args instanceof Response) return finishAnswer(request, args);
  const { kind: action } = args;
  const admission = await decide(context, request, { action });
  if (admission instanceof Response) return admission;
  const audit = { ...admission, action, operation: "run", details: { ...args } };
  const events = await startRun(runOf(context, request), args, {
    user: admission.user,
    around: (work) => audited(context, audit, work),
  });
  const open = (signal: AbortSignal): AsyncIterable<object> => {
    onAbort(signal, () => {
      events.end();
    });
    return events;
  };
  const stream = eventStream(open, {
    ending: [request.signal, context.ended],
    isStillAllowed: async () => !((await decide(context, request, { action })) instanceof Response),
    onFailure: (error) => {
      reportFailure(context, error);
    },
  });
  return finishAnswer(request, stream);
}

async function argsOfRun({ graphs }: InspectorContext, request: Request): Promise<Response | RunRequest> {
  if (request.method !== "POST") return methodRefusal("POST");
  if (graphs === undefined) return refusal(403, "NO_GRAPHS", "the inspector has no graphs to answer with");
  return readBody(request, runArgs);
}

function answerEvents(context: InspectorContext, request: Request): Response {
  const args = parseArgs(threadArgs, argsOf(request));
  return eventStream((signal) => threadEvents(context, args.threadId, signal), {
    ending: [request.signal, context.ended],
    onFailure: (error) => {
      reportFailure(context, error);
    },
  });
}

function argsOf({ url }: Request): string {
  return new URL(url).searchParams.get("args") ?? "{}";
}

function runOf(
  context: InspectorContext,
  request: Request,
  onDatabase = (call: SaverCall): SaverCall => call,
): CallRun {
  return {
    context,
    call: onDatabase({ ...context.call, signal: request.signal }),
    signal: request.signal,
    may: async (action) =>
      isPossible(context, action) && !((await decide(context, request, { action })) instanceof Response),
  };
}

function withoutBase(path: string, basePath: string): string {
  return path === basePath || path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}

/** Whether the options of the inspector allow an action at all. */
function isPossible({ write, graphs }: InspectorContext, action: InspectorAction): boolean {
  switch (action) {
    case "read":
      return true;
    case "answer":
    case "continue":
    case "replay":
      return graphs !== undefined;
    case "update":
      return write && graphs !== undefined;
    case "fork":
    case "edit":
    case "delete":
      return write;
  }
}

function definitionOf<Definition>(
  definitions: Readonly<Record<string, Definition | undefined>>,
  name: string,
): Definition | undefined {
  return Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}
