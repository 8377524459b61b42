import { connectionStringFault, hasUserWithoutPassword } from "../../db/pool/connection-string.js";
import { isPGliteUrl, pgliteUrlFault } from "../../db/pglite/pglite-url.js";

/** What may have been meant for the address of a server: by its scheme, by a password, by user and host. */
const MEANT_FOR_ADDRESS = /\/\/|postgres\w*[^\w.-]|^(?:jdbc|socket):|password\s*=|@.*\/|^\/\S* [^/]*$/is;
const OPTION_NAME = /^--[\w-]+=/;

/**
 * Of arguments and connection strings what must not be printed beside their passwords: all of one that can't be parsed,
 * since any part may be the password, and of one that has a user without a password, who may have it in the name.
 */
export function hiddenTexts(texts: readonly string[]): string[] {
  return texts
    .map((text) => text.replace(OPTION_NAME, ""))
    .filter((text) => MEANT_FOR_ADDRESS.test(text))
    .filter((text) => isUnreadable(text) || hasUserWithoutPassword(text));
}

function isUnreadable(text: string): boolean {
  return isPGliteUrl(text) ? pgliteUrlFault(text) !== undefined : connectionStringFault(text) !== undefined;
}
