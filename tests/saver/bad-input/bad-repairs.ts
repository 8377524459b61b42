import { BackupError } from "../../../src/index.js";
import { memoryArchive } from "../../../test-support/memory-archive.js";
import { type BadInput, invalid, type NamedError, throwing, throwingProxy } from "./bad-input.js";

type Row = readonly [what: string, options: unknown, error: NamedError];

const to = memoryArchive();
const refused: NamedError = { type: BackupError, fields: { code: "BACKUP_REFUSED" } };

const REPAIRS: readonly Row[] = [
  ["no options", undefined, invalid("options")],
  ["a Proxy that throws as options", throwingProxy(), invalid("options")],
  ["a getter of the archive that throws", throwing("to"), invalid("options")],
  ["no archive", {}, invalid("options.to")],
  ["a path as archive", { to: "repaired" }, invalid("options.to")],
  ["text as dryRun", { dryRun: "yes" }, invalid("options.dryRun")],
  ["text as threads", { to, threads: "standing" }, invalid("options.threads")],
  ["a thread with U+0000", { to, threads: ["\0"] }, invalid("options.threads.0")],
  ["text as reducers", { to, reducers: "list" }, invalid("options.reducers")],
  ["a reducer that is no function", { to, reducers: { list: 1 } }, invalid("options.reducers.list")],
  ["text as rollBack", { to, rollBack: "yes" }, invalid("options.rollBack")],
  ["text as quarantine", { to, quarantine: "yes" }, invalid("options.quarantine")],
  ["text as onProgress", { to, onProgress: "log" }, invalid("options.onProgress")],
  ["a misspelt option", { to, rollback: true }, invalid("options.rollback")],
  ["text as signal", { to, signal: "abort" }, invalid("options.signal")],
  ["text as backup", { to, from: "backup.ndjson" }, invalid("lines")],
  ["what is no backup", { to, from: ["{}"] }, refused],
];

/** Invalid options of `repair`. */
export const BAD_REPAIRS: readonly BadInput[] = REPAIRS.map(([what, options, error]): BadInput => ({
  what: `repair with ${what}`,
  call: ({ saver }) => saver.repair(options as never),
  error,
}));
