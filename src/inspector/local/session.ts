import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

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
