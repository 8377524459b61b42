import { types } from "node:util";

const MASK = "***";
/** A secret of at least this length is masked inside words too. A shorter one would match everywhere. */
const LONG_ENOUGH = 4;

/** The user info of a URL. It is greedy, since an unencoded `@` is never the last one. */
const USER_INFO = /^(?:[^:]*:\/\/)?[^:/?#@]*:(.+)@/s;
const QUERY_PASSWORDS = /[?&](?:ssl)?password=([^&#]*)/gi;
/** Passwords of a key=value string, which ends a value at a space. */
const KEYWORD_PASSWORDS = /(?:^|[\s;])(?:ssl)?password\s*=\s*('(?:[^'\\]|\\.)*'|[^\s;]*)/gi;

/**
 * Creates a function that masks every password which `texts` (arguments, connection strings) contain, in any
 * encoding, and even if the text can't be parsed as a connection string. It also covers messages of the
 * driver and the server, which may quote the texts.
 *
 * @param passwords - Passwords on their own, such as `PGPASSWORD`.
 * @example
 * ```ts
 * const redact = createRedactor(["postgres://app:s3cret@db/agents"]);
 * redact("no route to postgres://app:s3cret@db"); // "no route to postgres://app:***@db"
 * ```
 */
export function createRedactor(
  texts: readonly string[],
  passwords: readonly string[] = [],
): (text: string) => string {
  const secrets = [...texts.flatMap(secretsOf), ...passwords].flatMap(spellingsOf);
  const patterns = [...new Set(secrets)]
    .filter((secret) => secret !== "")
    .sort((a, b) => b.length - a.length)
    .map(patternFor);
  return (text) => patterns.reduce((masked, pattern) => masked.replaceAll(pattern, MASK), text);
}

function secretsOf(text: string): string[] {
  const [, userInfo] = USER_INFO.exec(text) ?? [];
  const passwords = [QUERY_PASSWORDS, KEYWORD_PASSWORDS].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, password = ""]) => password.replaceAll(/^'|'$/g, "")),
  );
  const found = userInfo === undefined ? passwords : [userInfo, ...piecesOf(userInfo), ...passwords];
  const names = publicNames(text);
  return found.filter((secret) => !names.includes(secret));
}

// A URL parser splits a password at a character that should have been encoded.
function piecesOf(userInfo: string): string[] {
  const pieces = userInfo.split(/[:/?#@]/);
  return pieces.length > 1 ? pieces : [];
}

/**
 * A password that equals the name of the user or the database is no secret, and masking it would hide the
 * cause of an error.
 */
function publicNames(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { username, hostname, pathname } = new URL(text);
  return [username, hostname, pathname.slice(1)];
}

function spellingsOf(secret: string): string[] {
  const decoded = decode(secret);
  return [secret, decoded, encodeURIComponent(decoded), encodeURI(decoded)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function patternFor(secret: string): RegExp {
  const literal = secret.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
  if (secret.length >= LONG_ENOUGH) return new RegExp(literal, "gu");
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${literal}(?![\p{L}\p{N}])`, "gu");
}

/**
 * Masks the message and the other text of an error and all of its causes in place. Classes and codes stay.
 * After that it is safe to show the error with `util.inspect`.
 *
 * @param mask - Masks one text.
 */
export function maskError(error: unknown, mask: (text: string) => string, seen = new Set<unknown>()): void {
  if (!isError(error) || seen.has(error)) return;
  seen.add(error);
  for (const name of Object.getOwnPropertyNames(error)) {
    const value: unknown = Reflect.get(error, name);
    if (typeof value === "string") {
      Reflect.set(error, name, name === "stack" ? maskHeader(value, mask) : mask(value));
    } else {
      for (const inner of Array.isArray(value) ? (value as unknown[]) : [value]) maskError(inner, mask, seen);
    }
  }
}

/** Masks only the header. Stack frames quote no values, but their paths may look like anything. */
function maskHeader(stack: string, mask: (text: string) => string): string {
  const [header = "", ...frames] = stack.split(/(?=\n\s+at )/);
  return [mask(header), ...frames].join("");
}

// In a VM context, Node's own errors come from another realm.
function isError(error: unknown): error is Error {
  return types.isNativeError(error) || error instanceof Error;
}
