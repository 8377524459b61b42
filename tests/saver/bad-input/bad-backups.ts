import { collect } from "../../../test-support/checkpoints.js";
import { BackupError, mergeBackups } from "../../../src/index.js";
import { type BadInput, invalid, type NamedError, throwing, throwingProxy } from "./bad-input.js";

type Row = readonly [what: string, argument: unknown, error: NamedError];

const refused: NamedError = { type: BackupError, fields: { code: "BACKUP_REFUSED" } };

const EXPORTS: readonly Row[] = [
  ["text as options", "all", invalid("options")],
  ["a Proxy that throws as options", throwingProxy(), invalid("options")],
  ["a misspelt option", { thread: ["t"] }, invalid("options.thread")],
  ["text as threads", { threads: "t" }, invalid("options.threads")],
  ["null as threads", { threads: null }, invalid("options.threads")],
  ["a thread with U+0000", { threads: ["\0"] }, invalid("options.threads.0")],
  ["lines as since", { since: ["{}"] }, invalid("options.since.0")],
  ["a generator as since", { since: [].values() }, invalid("options.since")],
  ["no backup as since", { since: [] }, invalid("options.since")],
  ["a Proxy that throws in since", { since: [throwingProxy()] }, invalid("options")],
  ["what is no backup in since", { since: [["{}"]] }, refused],
  ["text as signal", { signal: "abort" }, invalid("options.signal")],
  ["a getter of the threads that throws", throwing("threads"), invalid("options")],
];

const IMPORTS: readonly Row[] = [
  ["text as options", "all", invalid("options")],
  ["a misspelt option", { progress: () => undefined }, invalid("options.progress")],
  ["text as onProgress", { onProgress: "log" }, invalid("options.onProgress")],
  ["text as signal", { signal: "abort" }, invalid("options.signal")],
];

const LINES: readonly Row[] = [
  ["nothing as lines", undefined, invalid("lines")],
  ["null as lines", null, invalid("lines")],
  ["text as lines", '{"format":"langgraph-checkpoint-backup","version":1}', invalid("lines")],
  ["a number as lines", 1, invalid("lines")],
  ["a Proxy that throws as lines", throwingProxy(), invalid("lines")],
  ["no lines", [], refused],
  ["a line that is no text", [1], refused],
  ["what is no backup", ["{}"], refused],
];

const CHAINS: readonly Row[] = [
  ["nothing", undefined, invalid("backups")],
  ["no backups", [], invalid("backups")],
  ["the lines of one", ["{}"], invalid("backups.0")],
  ["a Proxy that throws", throwingProxy(), invalid("backups")],
  ["what is no backup", [["{}"]], refused],
];

/** Invalid arguments of `exportThreads`, `importThreads` and `mergeBackups`. */
export const BAD_BACKUPS: readonly BadInput[] = [
  ...EXPORTS.map(([what, options, error]): BadInput => ({
    what: `exportThreads with ${what}`,
    call: ({ saver }) => saver.exportThreads(options as object).next(),
    error,
  })),
  ...IMPORTS.map(([what, options, error]): BadInput => ({
    what: `importThreads with ${what}`,
    call: ({ saver }) => saver.importThreads([], options as object),
    error,
  })),
  ...LINES.map(([what, lines, error]): BadInput => ({
    what: `importThreads with ${what}`,
    call: ({ saver }) => saver.importThreads(lines as string[]),
    error,
  })),
  ...CHAINS.map(([what, backups, error]): BadInput => ({
    what: `mergeBackups with ${what}`,
    call: () => collect(mergeBackups(backups as string[][])),
    error,
  })),
];
