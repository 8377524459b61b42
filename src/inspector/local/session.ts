import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { refusal, withHeaders } from "../http/responses.js";

/** Who may use a local server: one browser, which has opened the address with the token. */
export class Session {
  /** Cookies have no port, so that each server needs a name of its own. */
  readonly #cookieName: string;
  readonly #secret = createSecret();
  #token: string | undefined = createSecret();

  constructor(port: number) {
    this.#cookieName = `inspector-${port}`;
  }

  /** The token that opens the session, until it has been used. */
  get token(): string | undefined {
    return this.#token;
  }

  /** Uses the token up, and returns the cookie of the session. Returns `undefined` for a wrong or a used token. */
  open(token: string): string | undefined {
    if (this.#token === undefined || !isEqual(token, this.#token)) return undefined;
    this.#token = undefined;
    return `${this.#cookieName}=${this.#secret}; HttpOnly; SameSite=Strict; Path=/`;
  }

  /** Whether a request comes from the browser of the session. */
  includes({ headers }: Request): boolean {
    const prefix = `${this.#cookieName}=`;
    const cookies = (headers.get("cookie") ?? "").split(";").map((cookie) => cookie.trim());
    // Another server of this machine may have set a cookie of the same name for a longer path.
    const values = cookies
      .filter((cookie) => cookie.startsWith(prefix))
      .map((cookie) => cookie.slice(prefix.length));
    return values.some((value) => isEqual(value, this.#secret));
  }
}

function createSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** Compares in a time that tells nothing about the secret, not even its length. */
function isEqual(text: string, secret: string): boolean {
  return timingSafeEqual(digest(text), digest(secret));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

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
