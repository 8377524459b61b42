import { createHash } from "node:crypto";
import { z } from "zod";
import { printableJson } from "./escape-controls.js";
import { LongLineError } from "./split-lines.js";

/** A kind of backup: lines of JSON between a first line with its format and a last one with the checksum of all others. */
export interface BackupKind {
  /** The `format` of the first line. */
  readonly format: string;
  /** The version of the format. An import refuses a backup with a newer one. */
  readonly version: number;
  /** What it holds, for messages: `LangGraph checkpoints`. */
  readonly content: string;
  /** The error for lines that can't be imported. */
  refuse(problem: string, options?: RefusalOptions): Error;
}

/** The options of an error about a backup. */
interface RefusalOptions {
  /** The number of the line, from 1. */
  readonly line?: number;
  readonly cause?: unknown;
}

/** A last line. */
export interface ChecksumLine {
  readonly end: {
    /** The checksum of all preceding lines, each followed by a line feed, in hexadecimal. */
    readonly sha256: string;
  };
}

/** The checksum of lines. */
export class LinesChecksum {
  readonly #hash = createHash("sha256");

  add(line: string): void {
    this.#hash.update(line).update("\n");
  }

  /** Call it once, after all lines. */
  digest(): string {
    return this.#hash.digest("hex");
  }
}

/** Formats a line as JSON that a terminal prints as it is, and in which every reader finds the same line ends. */
export function formatLine(line: object): string {
  return printableJson(line);
}

/** The version of increments. A library that knows none refuses them, because it would restore only a part. */
const INCREMENT_VERSION = 2;

/** The first line of a backup. */
export interface FirstLine {
  readonly format: string;
  readonly version: number;
  /** The checksum of the backup that an increment continues. Absent: the backup is a full one. */
  readonly since?: string | undefined;
}

/**
 * Returns the first line of a backup.
 *
 * @param since - The checksum of the backup that it continues, for an increment.
 */
export function firstLineOf({ format, version }: BackupKind, since?: string): FirstLine {
  return since === undefined ? { format, version } : { format, version: INCREMENT_VERSION, since };
}

/** What is told about the lines of a backup while they are read. */
interface LineListeners {
  /** Receives the first line, before any row. Only with it increments are read: alone, one is refused. */
  readonly onFirst?: (line: FirstLine) => void;
  /** Receives the error of a line that is damaged, and the lines after it are read. Default: the error is thrown. */
  readonly onDamaged?: (error: unknown) => void;
}

/**
 * Yields the rows of a backup. It ends without an error only when the backup is complete and its checksum matches.
 *
 * @param parseRow - Parses a line between the first and the last one, and the last one. It gets what JSON holds.
 * @throws The error of `kind` when the input is not such a backup, or when it is truncated or damaged.
 */
export async function* readBackupLines<Row extends object>(
  kind: BackupKind,
  lines: AsyncIterable<unknown> | Iterable<unknown>,
  parseRow: (value: unknown, number: number) => Row | ChecksumLine,
  { onFirst, onDamaged }: LineListeners = {},
): AsyncGenerator<Row> {
  const checksum = new LinesChecksum();
  let number = 0;
  let last: ChecksumLine | undefined;
  const parseLine = (line: unknown): Row | ChecksumLine | undefined => {
    try {
      return parseRow(fromJson(kind, line, number), number);
    } catch (error) {
      if (onDamaged === undefined) throw error;
      onDamaged(error);
      return undefined;
    }
  };
  try {
    for await (const line of lines) {
      number += 1;
      if (last !== undefined) throw kind.refuse("the backup continues after its last line", { line: number });
      if (number === 1) readFirstLine(kind, fromJson(kind, line, number), onFirst);
      const parsed = number === 1 ? undefined : parseLine(line);
      if (parsed !== undefined && isLast(parsed)) {
        last = parsed;
        continue;
      }
      checksum.add(String(line));
      if (parsed !== undefined) yield parsed;
    }
  } catch (error) {
    if (!(error instanceof LongLineError)) throw error;
    throw kind.refuse(error.message, { line: number + 1, cause: error });
  }
  if (number === 0) throw kind.refuse("the backup is empty");
  if (last === undefined)
    throw kind.refuse("the backup is truncated: its last line is missing", { line: number });
  if (checksum.digest() !== last.end.sha256)
    throw kind.refuse("the backup is damaged: its checksum does not match");
}

/**
 * Parses the fields of a line.
 *
 * @throws The error of `kind`, which names the field.
 */
export function parseFields<T>(kind: BackupKind, schema: z.ZodType<T>, value: unknown, number: number): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = (issue?.path ?? []).map(String).join(".");
  throw kind.refuse(`the backup is damaged: ${place}${place === "" ? "" : " "}${issue?.message ?? ""}`, {
    line: number,
  });
}

const firstLine = z.object({ format: z.string(), version: z.int(), since: z.string().optional() });

function readFirstLine(kind: BackupKind, value: unknown, onFirst?: (line: FirstLine) => void): void {
  const { success, data } = firstLine.safeParse(value);
  if (!success || data.format !== kind.format) throw kind.refuse(notABackup(kind), { line: 1 });
  const { version, since } = data;
  if (version === INCREMENT_VERSION && since !== undefined) {
    if (onFirst === undefined) throw kind.refuse(incompleteIncrement(since), { line: 1 });
  } else if (version > kind.version) {
    throw kind.refuse(
      `the backup has format version ${version}, and this library reads version ${kind.version}: update the library`,
      { line: 1 },
    );
  }
  onFirst?.({ ...data, since: version === INCREMENT_VERSION ? since : undefined });
}

/** What is missing where an increment is read without the backups before it. */
export function incompleteIncrement(since: string): string {
  return `the backup is an increment, and the backup that it continues is missing: the one with the checksum ${since}`;
}

function fromJson(kind: BackupKind, line: unknown, number: number): unknown {
  try {
    if (typeof line === "string") return JSON.parse(line) as unknown;
  } catch (cause) {
    const problem =
      number === 1 ? notABackup(kind) : "the backup is truncated or damaged: the line is not JSON";
    throw kind.refuse(problem, { line: number, cause });
  }
  throw kind.refuse("the line is not a string", { line: number });
}

function notABackup({ content }: BackupKind): string {
  return `the input is not a backup of ${content}: unpack it first if it is compressed`;
}

function isLast(line: object): line is ChecksumLine {
  return "end" in line;
}
