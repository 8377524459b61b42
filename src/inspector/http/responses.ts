import { CheckpointError } from "../../errors/index.js";
import { RefusedError } from "../refused-error.js";
import type { CallError } from "../api/inspector-api.js";
import { messageOf } from "../message-of.js";
import { isInvalidNamespace, statusOf } from "./status-of.js";

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
