import { createHash, randomBytes } from "node:crypto";

/** The most characters of a name that a thread's id takes. Folders allow names of 255 bytes, and a draft has a longer name. */
const MAX_ID_LENGTH = 140;

/** Precedes the names of files that hold rows of many threads. An encoded id never contains it. */
const RUN = "~run";

/** Separates the parts of a name. An encoded id contains it nowhere. */
const SEPARATOR = "~";

/** Marks a file of older checkpoints: when it was written, newer ones of its threads stayed in the database. */
const OLDER = ".old";

/** What follows the prefix: a time, the file's own random part, that of the file before it if there is one, and {@link OLDER}. */
const AFTER_PREFIX =
  /~\d{8}T\d{9}Z-(?<own>[\da-f]{10})(?:[\da-f]{2})?(?:-(?<before>[\da-f]{10}))?(?<older>\.old)?\.ndjson\.(?:zst|gz)$/;

/** What the names of all files that hold rows of a thread begin with. Without a thread, those of files for many threads. */
export function prefixOf(threadId: string | undefined): string {
  return `${threadId === undefined ? RUN : encodeId(threadId)}${SEPARATOR}`;
}

/** What the name of a new file says. */
interface NewFile {
  /** Undefined for a file of many threads. */
  readonly threadId: string | undefined;
  readonly extension: string;
  /** The newest file with the same prefix, so that its loss is noticed. */
  readonly previous: string | undefined;
  /** Whether newer checkpoints of its threads stay in the database. */
  readonly isOfOlder: boolean;
}

/**
 * Returns a name for a new file. Names of one thread sort by time. No two files get the same name, so that a file is never
 * overwritten.
 */
export function newFileName({ threadId, extension, previous, isOfOlder }: NewFile): string {
  const time = new Date().toISOString().replaceAll(/[-:.]/g, "");
  const before = previous === undefined ? "" : `-${partsOf(previous).own ?? ""}`;
  const random = randomBytes(5).toString("hex");
  return `${prefixOf(threadId)}${time}-${random}${before}${isOfOlder ? OLDER : ""}.ndjson.${extension}`;
}

/** Whether a file is one of an archive. */
export function isFileName(name: string): boolean {
  return AFTER_PREFIX.test(name);
}

/** When a file was written, as a text that sorts by time. */
export function timeInName(name: string): string {
  return name.slice(name.lastIndexOf(SEPARATOR) + 1);
}

/** Whether newer checkpoints of the file's threads stayed in the database when it was written. */
export function isOfOlder(name: string): boolean {
  return partsOf(name).older !== undefined;
}

/** The names of files that others name as the one before them, and that are not there: as patterns, since a part is unknown. */
export function lostFiles(names: readonly string[]): string[] {
  const own = new Set(names.map((name) => partsOf(name).own));
  const lost = names.flatMap((name) => {
    const { before } = partsOf(name);
    const prefix = name.slice(0, name.lastIndexOf(SEPARATOR) + 1);
    return before === undefined || own.has(before) ? [] : [`${prefix}*-${before}*`];
  });
  return [...new Set(lost)];
}

function partsOf(name: string): Readonly<Record<string, string | undefined>> {
  return AFTER_PREFIX.exec(name)?.groups ?? {};
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
