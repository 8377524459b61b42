import type { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { parse } from "../../parsing/parse.js";
import { isNestedDeeper } from "../../serde/json/json-text.js";
import { MAX_JSON_DEPTH } from "../../serde/json/json-value.js";
import { bodyUsed, refusal } from "./responses.js";

/** Parses the arguments of a call. */
export function parseArgs<Args>(schema: z.ZodType<Args>, text: string): Args {
  refuseDeep(text);
  return parse(schema, parseJson(text), "args");
}

/**
 * Refuses what no saver could store: whatever walks through it, here and in Postgres, would overflow its stack. Counts in the text, so that
 * nothing walks through it first.
 */
function refuseDeep(text: string): void {
  if (isNestedDeeper(text, MAX_JSON_DEPTH))
    throw new InvalidConfigError("args", `must not be nested deeper than ${MAX_JSON_DEPTH} levels`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InvalidConfigError("args", "must be JSON", { cause });
  }
}

/** The most bytes that the arguments of a call may have. */
const MAX_BYTES = 1_000_000;

/**
 * Reads the arguments that a request has sent as JSON. Returns a refusal where it has sent something else, or too much of it.
 *
 * @throws InvalidConfigError if they are not those of the schema.
 */
export async function readBody<Args>(request: Request, schema: z.ZodType<Args>): Promise<Args | Response> {
  const text = await readJson(request);
  return text instanceof Response ? text : parseArgs(schema, text);
}

async function readJson(request: Request): Promise<string | Response> {
  // A page of another site may send a form with its visitor's cookies, but no JSON.
  const [type = ""] = (request.headers.get("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json") {
    return refusal(415, "UNSUPPORTED_MEDIA_TYPE", "send application/json");
  }
  if (request.bodyUsed) return bodyUsed();
  if (Number(request.headers.get("content-length")) > MAX_BYTES) return tooLarge();
  return request.body === null ? "" : readText(request.body);
}

async function readText(body: ReadableStream<Uint8Array>): Promise<string | Response> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    // The loop cancels the stream when it ends early.
    if (bytes > MAX_BYTES) return tooLarge();
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    return refusal(400, "INVALID_CONFIG", "the body must be UTF-8");
  }
}

function tooLarge(): Response {
  return refusal(413, "TOO_LARGE", `the body must have at most ${MAX_BYTES} bytes`);
}
