import { refusal } from "./responses.js";

/** The most bytes that the arguments of a call may have. */
const MAX_BYTES = 1_000_000;

/** Returns the JSON text that a request has sent, or the answer to a request that has sent something else. */
export async function readBody(request: Request): Promise<string | Response> {
  // A page of another site may send a form with its visitor's cookies, but no JSON.
  const [type = ""] = (request.headers.get("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json") {
    return refusal(415, "UNSUPPORTED_MEDIA_TYPE", "send application/json");
  }
  if (request.bodyUsed) {
    return refusal(
      500,
      "BODY_USED",
      "the application has read the body: mount the inspector before what reads bodies",
    );
  }
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
