import type { ReadCalls, ReadName, WriteCalls, WriteName, CallError } from "../../api/inspector-api.js";
import { ForeignAnswerError, ServerError, SignedOutError } from "./errors.js";
import { noteSession } from "./session.js";

/** Reads from the server. */
export async function read<Name extends ReadName>(
  name: Name,
  args: ReadCalls[Name]["args"],
  signal?: AbortSignal,
): Promise<ReadCalls[Name]["result"]> {
  return call(name, args, signal);
}

/** Changes something on the server. */
export async function write<Name extends WriteName>(
  name: Name,
  args: WriteCalls[Name]["args"],
): Promise<WriteCalls[Name]["result"]> {
  return call(name, args);
}

/** Finds out whether the inspector answers. Throws why not, such as that the person is signed out. */
export async function checkSession(): Promise<void> {
  await read("overview", {});
}

async function call<Result extends object>(
  name: string,
  args: object,
  signal?: AbortSignal,
): Promise<Result> {
  return send(`api/${name}`, postOf(args, signal), async (response) => {
    const answer = await objectOf(response);
    // No result has an error. An application may say so with the status of a success.
    return answer === undefined || "error" in answer ? undefined : (answer as Result);
  });
}

/**
 * Sends a request to the inspector. The application may answer instead of it, with anything.
 *
 * @param take - Takes what the answer has; `undefined` where it isn't what the inspector answers with.
 * @throws ServerError, SignedOutError or ForeignAnswerError for any other answer. What the network throws is passed on.
 */
export async function send<Taken>(
  address: string,
  init: RequestInit,
  take: (response: Response) => Promise<Taken | undefined> | Taken | undefined,
): Promise<Taken> {
  // A page for signing in may be at another origin, and to follow there would only fail.
  const response = await fetch(address, { ...init, redirect: "manual" });
  const taken = response.ok ? await take(response) : undefined;
  if (taken !== undefined) {
    noteSession(undefined);
    return taken;
  }
  const error = await errorOf(response);
  if (!(error instanceof ForeignAnswerError))
    noteSession(error instanceof SignedOutError ? error : undefined);
  throw error;
}

/** The init of a request that has JSON. */
export function postOf(args: object, signal?: AbortSignal): RequestInit {
  const headers = { "content-type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(args), ...(signal !== undefined && { signal }) };
}

/** Whether an answer has a media type. */
export function hasType({ headers }: Response, type: string): boolean {
  return headers.get("content-type")?.startsWith(type) === true;
}

/** Returns the object that an answer is; `undefined` where it is none. */
async function objectOf(response: Response): Promise<object | undefined> {
  if (!hasType(response, "application/json")) return undefined;
  try {
    const answer: unknown = await response.json();
    return typeof answer === "object" && answer !== null ? answer : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether an object is what the inspector answers with where a call failed. */
function isError(answer: object): answer is CallError {
  const error: unknown = "error" in answer ? answer.error : undefined;
  if (typeof error !== "object" || error === null || !("code" in error && "message" in error)) return false;
  return typeof error.code === "string" && typeof error.message === "string";
}

async function errorOf(response: Response): Promise<Error> {
  const { ok, status, type } = response;
  const answer = ok ? undefined : await objectOf(response);
  const own = answer !== undefined && isError(answer) ? answer.error : undefined;
  if (status === 401) return new SignedOutError(own?.code === "SIGNED_OUT" ? own.message : undefined);
  if (own !== undefined) return new ServerError(own.code, own.message);
  if (ok || status === 403 || type === "opaqueredirect") return new SignedOutError();
  return new ForeignAnswerError(status);
}

/** Returns the address of a file, or of a stream of events. */
export function fileAddress(name: "download" | "export" | "events", args: object): string {
  return `${name}?${new URLSearchParams({ args: JSON.stringify(args) }).toString()}`;
}
