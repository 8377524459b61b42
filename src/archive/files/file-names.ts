import { createHash, randomBytes } from "node:crypto";

/** The most characters of a name that a thread's id takes. Folders allow names of 255 bytes, and a draft has a longer name. */
const MAX_ID_LENGTH = 140;

/** Precedes the names of files that hold rows of many threads. An encoded id never contains it. */
const RUN = "~run";

/** Separates the parts of a name. An encoded id contains it nowhere. */
const SEPARATOR = "~";

/** What the names of all files that hold rows of a thread begin with. Without a thread, those of files for many threads. */
export function prefixOf(threadId: string | undefined): string {
  return `${threadId === undefined ? RUN : encodeId(threadId)}${SEPARATOR}`;
}

/**
 * Returns a name for a new file. Names of one thread sort by time. No two files get the same name, so that a file is never
 * overwritten.
 */
export function newFileName(threadId: string | undefined, extension: string): string {
  const time = new Date().toISOString().replaceAll(/[-:.]/g, "");
  return `${prefixOf(threadId)}${time}-${randomBytes(6).toString("hex")}.ndjson.${extension}`;
}

/** Whether a file is one of an archive. */
export function isFileName(name: string): boolean {
  return /~\d{8}T\d{9}Z-[\da-f]{12}\.ndjson\.(?:zst|gz)$/.test(name);
}

/** When a file was written, as a text that sorts by time. */
export function timeInName(name: string): string {
  return name.slice(name.lastIndexOf(SEPARATOR) + 1);
}

/** Letters, digits, `-` and `_` stay as they are, and all other bytes become `%` and two digits. A long id becomes its hash. */
function encodeId(threadId: string): string {
  const encoded = [...Buffer.from(threadId)].map(encodeByte).join("");
  if (encoded.length <= MAX_ID_LENGTH) return encoded;
  return `%sha256-${createHash("sha256").update(threadId).digest("hex")}`;
}

function encodeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[\w-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}
