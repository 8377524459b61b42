const MASK = "***";
/** From this length on a secret is looked for inside of words as well; a shorter one would be found everywhere. */
const LONG_ENOUGH = 4;

/** What may stand between the user's name and the host; greedy, since nobody forgets to encode only the last `@`. */
const USER_INFO = /^(?:[^:]*:\/\/)?[^:/?#@]*:(.+)@/s;
const QUERY_PASSWORDS = /[?&](?:ssl)?password=([^&#]*)/gi;
/** Those of a key=value string, which ends a value at a space. */
const KEYWORD_PASSWORDS = /(?:^|[\s;])(?:ssl)?password\s*=\s*('(?:[^'\\]|\\.)*'|[^\s;]*)/gi;

/**
 * Makes a function that masks every password which `texts` (arguments, connection strings) contain, however it is
 * encoded, and whether or not the text is a connection string that anyone can parse. It does so for what the driver and
 * the server say too: what they quote is not ours to know.
 *
 * @param passwords - Passwords that stand alone, such as that of `PGPASSWORD`.
 *
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

// A password with a character that should have been encoded is torn apart by whoever parses the URL.
function piecesOf(userInfo: string): string[] {
  const pieces = userInfo.split(/[:/?#@]/);
  return pieces.length > 1 ? pieces : [];
}

/** A password that is also the user's or the database's name is no secret, and masking it would hide what is wrong. */
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
