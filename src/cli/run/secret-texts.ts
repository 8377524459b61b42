import { connectionStringFault, hasUserWithoutPassword } from "../../db/pool/connection-string.js";
import { isPGliteUrl, pgliteUrlFault } from "../../db/pglite/pglite-url.js";

/** Matches texts that may be meant as a connection string: by a scheme, a password, or a user and a host. */
const LIKE_CONNECTION_STRING = /\/\/|postgres\w*[^\w.-]|^(?:jdbc|socket):|password\s*=|@.*\/|^\/\S* [^/]*$/is;
const OPTION_NAME = /^--[\w-]+=/;

/**
 * Finds the arguments and connection strings that must be masked as a whole, because the password in them can't be located:
 * those that can't be parsed, and those with a user but no password, where the password may be part of the user.
 */
export function secretTexts(texts: readonly string[]): string[] {
  return texts
    .map((text) => text.replace(OPTION_NAME, ""))
    .filter((text) => LIKE_CONNECTION_STRING.test(text))
    .filter((text) => isUnreadable(text) || hasUserWithoutPassword(text));
}

function isUnreadable(text: string): boolean {
  return isPGliteUrl(text) ? pgliteUrlFault(text) !== undefined : connectionStringFault(text) !== undefined;
}
