import type { CallError } from "../api/inspector-api.js";
import { withHeaders } from "./responses.js";

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
