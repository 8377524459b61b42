import { CheckpointError, type CheckpointErrorCode } from "../../errors/index.js";
import { RefusedError } from "../refused-error.js";
import type { CallError } from "../api/inspector-api.js";
import { messageOf } from "../message-of.js";
import { types } from "node:util";

/** Nothing that a thread holds may run or load anything, whatever the page does with it. */
const HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // `blob:` for images of messages: only the page's own script can make one, so no address in a text loads anything.
    "img-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Adds the headers that every answer has. */
export function withHeaders(response: Response): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  const { status, statusText, body } = response;
  return new Response(body, { status, statusText, headers });
}

export function jsonResponse(result: object): Response {
  return Response.json(result);
}

export function refusal(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body: CallError = { error: { code, message } };
  return Response.json(body, { status, headers });
}

/** Refuses a method. */
export function methodRefusal(allowed: "GET" | "GET, HEAD" | "POST"): Response {
  return refusal(405, "METHOD_NOT_ALLOWED", `use ${allowed}`, { allow: allowed });
}

/** Refuses a call whose arguments are gone. */
export function bodyUsed(): Response {
  return refusal(
    500,
    "BODY_USED",
    "the application has read the body of the request: mount the inspector before what reads bodies, such as express.json()",
  );
}

/** Answers a call that failed. */
export function errorResponse(error: unknown): Response {
  const { code, message } = errorOf(error);
  return refusal(statusOf(error), code, message);
}

/** What the page learns about an error. Errors that are not ours may say anything, so it learns nothing of them. */
export function errorOf(error: unknown): CallError["error"] {
  if (error instanceof RefusedError) return { code: error.code, message: error.message };
  if (isInvalidNamespace(error)) return { code: "INVALID_CONFIG", message: error.message };
  if (!(error instanceof CheckpointError)) return { code: "INTERNAL_ERROR", message: "the call failed" };
  return { code: error.code, message: messageOf(error) };
}

/** The status of each of our errors. 500 is for what the application or its operator has to mend. */
const STATUSES: Readonly<Record<CheckpointErrorCode, number>> = {
  ABORTED: 503,
  ARCHIVE_FAILED: 500,
  BACKUP_REFUSED: 400,
  BATCH_ENDED: 500,
  BROKEN_CHAIN: 422,
  CHECKPOINT_NOT_FOUND: 404,
  CHECKPOINT_SCHEMA: 422,
  CHECKPOINT_TOO_LARGE: 413,
  CHECKPOINT_VERSION: 409,
  CLOCK_BEHIND: 503,
  CLOSED_PIPE: 500,
  CONCURRENT_MODIFICATION: 409,
  CONNECTION_FAILED: 503,
  CONVERSATION_NOT_FOUND: 404,
  COPY_FAILED: 500,
  CORRUPT_CHECKPOINT: 422,
  DATABASE_ERROR: 500,
  DESERIALIZATION_FAILED: 422,
  DISK_FULL: 503,
  EMBEDDING_MISMATCH: 500,
  INCOMPATIBLE_TABLES: 500,
  INVALID_CONFIG: 400,
  INVALID_EMBEDDING: 500,
  ITEM_NOT_FOUND: 404,
  ITEM_SCHEMA: 400,
  MIGRATION_FAILED: 500,
  MIGRATION_REQUIRED: 500,
  MISSING_PARENTS: 500,
  MODEL_TOO_SLOW: 504,
  NOT_REPLICATED: 504,
  OUTPUT_FAILED: 500,
  PERMISSION_DENIED: 403,
  READ_ONLY: 503,
  ROWS_HIDDEN: 403,
  ROW_SECURITY_INACTIVE: 403,
  SERIALIZATION_FAILED: 400,
  STATEMENT_CANCELLED: 504,
  STATEMENT_TIMEOUT: 504,
  THREAD_COPY_FAILED: 500,
  THREAD_DELETED: 410,
  THREAD_EXISTS: 409,
  THREAD_LOCKED: 409,
  THREAD_LOCK_LOST: 503,
  VECTORS_CHANGED: 409,
  VECTOR_EXTENSION_MISSING: 500,
  VERSION_CONFLICT: 409,
  WRITES_MISSING: 422,
};

/** The status of an answer to a call that failed with this error. */
function statusOf(error: unknown): number {
  if (error instanceof RefusedError) return error.status;
  // An application may throw a code that only its own classes have.
  if (error instanceof CheckpointError)
    return Object.hasOwn(STATUSES, error.code) ? STATUSES[error.code] : 500;
  return isInvalidNamespace(error) ? 400 : 500;
}

/** Whether a store of LangGraph does not take a namespace. Its class may be there in several copies. */
function isInvalidNamespace(error: unknown): error is Error {
  return types.isNativeError(error) && error.name === "InvalidNamespaceError";
}

/**
 * Adds the headers that every answer has. Where a person has opened an address that is refused, the answer becomes a page that says why;
 * programs keep the JSON.
 */
export async function finishAnswer(request: Request, response: Response): Promise<Response> {
  return withHeaders(response.status >= 400 && asksForPage(request) ? await pageOf(response) : response);
}

function asksForPage({ method, headers }: Request): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const mode = headers.get("sec-fetch-mode");
  // A browser sends no mode to an address that it does not trust.
  return mode === null ? (headers.get("accept") ?? "").includes("text/html") : mode === "navigate";
}

async function pageOf(response: Response): Promise<Response> {
  const { error } = (await response.json()) as CallError;
  const headers = new Headers(response.headers);
  headers.set("content-type", "text/html; charset=utf-8");
  return new Response(htmlOf(error), { status: response.status, headers });
}

function htmlOf({ code, message }: CallError["error"]): string {
  const sentence = `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Inspector</title>
  </head>
  <body>
    <main>
      <h1>The inspector does not show this</h1>
      <p>${escaped(sentence)}</p>
      <p>${escaped(code)}</p>
    </main>
  </body>
</html>
`;
}

/** The message may quote what the address has. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
