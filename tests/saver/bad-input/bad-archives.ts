import { ArchiveError } from "../../../src/index.js";
import { memoryArchive } from "../../../test-support/memory-archive.js";
import { type BadInput, invalid, type NamedError, throwing, throwingProxy } from "./bad-input.js";

type Row = readonly [what: string, argument: unknown, error: NamedError];

const to = memoryArchive();
const threads = ["standing"];

const ARCHIVES: readonly Row[] = [
  ["no options", undefined, invalid("options")],
  ["a Proxy that throws as options", throwingProxy(), invalid("options")],
  ["no target", { keepLast: 1 }, invalid("options.to")],
  ["a path as target", { keepLast: 1, to: "archive" }, invalid("options.to")],
  ["a target without read", { keepLast: 1, to: { ...to, read: undefined } }, invalid("options.to")],
  ["a target whose getter throws", { keepLast: 1, to: throwing("write") }, invalid("options")],
  ["no rule", { to }, invalid("options")],
  ["an unknown unit of files", { keepLast: 1, to, filesPer: "day" }, invalid("options.filesPer")],
  ["an unknown compression", { keepLast: 1, to, compression: "lz4" }, invalid("options.compression")],
  ["a misspelt option", { keepLast: 1, to, olderThan: 1 }, invalid("options.olderThan")],
  ["an unknown strategy", { strategy: "keep_latest", threads, to }, invalid("options.strategy")],
  ["whole threads that are not named", { strategy: "delete", to }, invalid("options.threads")],
  [
    "a bound beside a strategy",
    { strategy: "delete", threads, keepLast: 1, to },
    invalid("options.keepLast"),
  ],
  ["text as signal", { keepLast: 1, to, signal: "abort" }, invalid("options.signal")],
];

const RESTORES: readonly Row[] = [
  ["no options", undefined, invalid("options")],
  ["a Proxy that throws as options", throwingProxy(), invalid("options")],
  ["no target", { threads }, invalid("options.from")],
  ["a path as target", { from: "archive" }, invalid("options.from")],
  ["text as threads", { from: to, threads: "standing" }, invalid("options.threads")],
  ["a thread with U+0000", { from: to, threads: ["\0"] }, invalid("options.threads.0")],
  ["text as liftTombstones", { from: to, liftTombstones: "yes" }, invalid("options.liftTombstones")],
  ["text as onProgress", { from: to, onProgress: "log" }, invalid("options.onProgress")],
  ["a misspelt option", { from: to, thread: "standing" }, invalid("options.thread")],
  ["text as signal", { from: to, signal: "abort" }, invalid("options.signal")],
];

const failed: NamedError = { type: ArchiveError, fields: { code: "ARCHIVE_FAILED" } };

const TARGETS: readonly Row[] = [
  ["a target that writes nothing", { ...to, write: () => undefined }, failed],
  ["a target that throws", { ...to, write: throwing("then") }, invalid("options.to")],
  ["a target that reads text", { ...to, read: () => ["text"] }, failed],
  ["a target that reads nothing", { ...to, read: () => undefined }, failed],
];

/** Invalid arguments of `archive` and `restore`. */
export const BAD_ARCHIVES: readonly BadInput[] = [
  ...ARCHIVES.map(([what, options, error]): BadInput => ({
    what: `archive with ${what}`,
    call: ({ saver }) => saver.archive(options as never),
    error,
  })),
  ...TARGETS.map(([what, target, error]): BadInput => ({
    what: `archive with ${what}`,
    call: ({ saver }) => saver.archive({ strategy: "delete", threads, to: target as never }),
    error,
  })),
  ...RESTORES.map(([what, options, error]): BadInput => ({
    what: `restore with ${what}`,
    call: ({ saver }) => saver.restore(options as never),
    error,
  })),
];
