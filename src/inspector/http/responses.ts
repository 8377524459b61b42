import { CheckpointError, InvalidConfigError } from "../../errors/index.js";
import type { CallError } from "../api/inspector-api.js";

/** Nothing that a thread holds may run or load anything, whatever the page does with it. */
const HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
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

export function refusal(status: number, code: string, message: string): Response {
  const body: CallError = { error: { code, message } };
  return Response.json(body, { status });
}

/** Answers a call that failed. Only messages of our own errors go to the page: others may quote what they should not. */
export function errorResponse(error: unknown): Response {
  if (!(error instanceof CheckpointError)) {
    return refusal(500, "INTERNAL_ERROR", "the call failed");
  }
  return refusal(error instanceof InvalidConfigError ? 400 : 500, error.code, error.message);
}
