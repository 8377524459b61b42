import { refusal, withHeaders } from "../http/responses.js";
import type { Session } from "./session.js";

const USED =
  "This address has been used: it works once.\n\nUse the tab that is open, or start `inspect` again and open the new address.\n";
const CLOSED =
  "This browser has not been let in.\n\nOpen the address that `inspect` has printed. It works once: after that, start `inspect` again.\n";

/** Goes on to the page from a page of its own. */
const CONTINUE =
  '<!doctype html><meta http-equiv="refresh" content="0; url=/"><title>Inspector</title><a href="/">Continue</a>';

/** Answers the printed address: lets the browser in, and goes on to an address without the token. */
export function signIn(session: Session, request: Request, token: string): Response {
  if (isPrefetch(request)) return text(503, "Open the address.\n");
  if (request.method !== "GET") return text(405, "Open the address in a browser.\n", { allow: "GET" });
  // A person has opened the address a second time, in the same browser.
  if (session.includes(request)) return redirect();
  const cookie = session.open(token);
  if (cookie === undefined) return text(401, USED);
  // After a link on another site, a browser sends no strict cookie with the redirect.
  return request.headers.get("sec-fetch-site") === "cross-site"
    ? page(cookie)
    : redirect({ "set-cookie": cookie });
}

/** Answers a request of a browser that has no session. */
export function signedOut(request: Request): Response {
  if (!new URL(request.url).pathname.startsWith("/api/")) return text(401, CLOSED);
  const message = "the inspector has been started again: open the address that it has printed";
  return withHeaders(refusal(401, "SIGNED_OUT", message));
}

/** A browser, or a program that shows links, may load an address that nobody has opened. */
function isPrefetch({ headers }: Request): boolean {
  return /prefetch|preview/i.test(`${headers.get("sec-purpose") ?? ""} ${headers.get("purpose") ?? ""}`);
}

function redirect(headers: Readonly<Record<string, string>> = {}): Response {
  return withHeaders(new Response(null, { status: 303, headers: { location: "/", ...headers } }));
}

function page(cookie: string): Response {
  const headers = { "content-type": "text/html; charset=utf-8", "set-cookie": cookie };
  return withHeaders(new Response(CONTINUE, { headers }));
}

function text(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Response {
  return withHeaders(
    new Response(body, { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers } }),
  );
}
