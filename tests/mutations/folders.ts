import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Sources, and the tests that should notice a mistake in them. */
export interface Folder {
  /** A folder or a file. */
  readonly sources: string;
  /** How the paths of the tests begin. */
  readonly tests: readonly string[];
  /** How much of its mutations a test has to notice. It is 1 where rows are deleted, locked or guarded. */
  readonly least: number;
}

const GUARDED = 1;
const OTHER = 0.95;

/** Each folder whose mutations are run, in the order in which they are run. */
const FOLDERS: readonly Folder[] = [
  folder("retention", GUARDED, [
    "retention",
    "scheduled-retention",
    "cli/change",
    "cli/tombstones",
    "cli/splices",
  ]),
  folder("archive", GUARDED, [
    "archive",
    "cli/archive",
    "retention/hidden-rows",
    "retention/lock-order",
    "retention/retention-on-server",
    "retention/shared-ids",
    "saver/bad-input.test",
  ]),
  folder("compaction", GUARDED, ["splices", "cli/splices", "sanitize", "saver/bad-input.test"]),
  folder("sanitize", GUARDED, ["sanitize", "splices/rewriting", "saver/bad-input.test"]),
  folder("threads", GUARDED, ["threads", "cli/copy", "cli/fork"]),
  folder("backup", GUARDED, [
    "backup",
    "cli/backup",
    "cli/check",
    "archive/changed-meanwhile",
    "archive/lost-files",
    "archive/random-histories",
    "archive/reports",
    "retention/hidden-rows",
    "retention/shared-ids",
    "saver/bad-input.test",
  ]),
  folder("splices", GUARDED, ["splices", "retention/chains"]),
  folder("saver/queries", GUARDED, [
    "saver",
    "splices",
    "graphs/keep-last",
    "retention/shared-ids",
    "conversations",
  ]),
  folder("saver/codec", OTHER, ["saver", "serde"]),
  folder("saver/clock", OTHER, ["saver/clock", "graphs/clock"]),
  folder("db/grouping", OTHER, ["grouping", "saver/late", "db"]),
  folder("db/pool", OTHER, [
    "db",
    "drivers",
    "passwords",
    "poolers",
    "saver/statement-timeout",
    "saver/lifecycle",
  ]),
  folder("db/statements", GUARDED, ["db", "saver", "replicas"]),
  folder("db/hidden-rows.ts", GUARDED, ["tenants", "db", "threads", "retention"]),
  folder("db/row-security.ts", GUARDED, ["tenants", "db", "threads", "retention"]),
  folder("store/queries", OTHER, ["store"]),
  folder("cache/queries", OTHER, ["cache"]),
  folder("conversations", GUARDED, ["conversations"]),
  folder("serde", OTHER, ["serde"]),
  folder("migrations", GUARDED, [
    "migrations",
    "cli/migrate",
    "cli/partitions",
    "cli/print-grants",
    "tenants/migrations",
    "scale/citus.test.ts",
    "scale/partitions",
    "saver/first-statement",
  ]),
  folder("inspector/http", OTHER, [
    "inspector/access",
    "inspector/audit",
    "inspector/checkpoint-calls",
    "inspector/event",
    "inspector/export",
    "inspector/held-runs",
    "inspector/mounts",
    "inspector/rights",
    "inspector/statuses",
    "inspector/whole",
  ]),
  folder("inspector/runs", OTHER, [
    "inspector/actions",
    "inspector/answers.test.ts",
    "inspector/held-runs",
    "inspector/thread-graphs",
  ]),
];

/** Tests in a browser take seconds each, and are about what the page shows. */
const IN_BROWSER = "-page.test.ts";

function folder(name: string, least: number, tests: readonly string[]): Folder {
  return { sources: `src/${name}`, tests: [`src/${name}`, ...tests.map((test) => `tests/${test}`)], least };
}

/**
 * Returns the folders that a path is in or that are in it, each with only the sources at the path. Without a path it returns all.
 *
 * @throws {Error} The mutations of the path are not run.
 */
export function foldersAt(path: string | undefined): Folder[] {
  if (path === undefined) return [...FOLDERS];
  const found = FOLDERS.filter(({ sources }) => isAt(sources, path) || isAt(path, sources));
  if (found.length === 0)
    throw new Error(`no folder with mutations is at ${path}: see tests/mutations/folders.ts`);
  return found.map((each) => (isAt(path, each.sources) ? { ...each, sources: path } : each));
}

/** Returns the sources that the last commits have changed, and whose mutations are run. */
export function changedSources(commits: number): string[] {
  const { stdout } = spawnSync("git", ["log", `--max-count=${commits}`, "--format=", "--name-only"], {
    encoding: "utf8",
  });
  return [...new Set(stdout.split("\n"))]
    .filter((file) => isSource(file) && existsSync(file))
    .filter((file) => FOLDERS.some(({ sources }) => isAt(file, sources)));
}

/** Returns the files with sources of a folder. */
export function sourcesOf({ sources }: Folder): string[] {
  return filesIn(sources).filter(isSource);
}

/** Returns the files with tests of a folder. Those whose names share most words with its path come first. */
export function testsOf({ sources, tests }: Folder): string[] {
  const words = wordsOf(sources);
  const shared = (file: string) => wordsOf(file).filter((word) => words.includes(word)).length;
  return ["src", "tests"]
    .flatMap(filesIn)
    .filter((file) => file.endsWith(".test.ts") && !file.endsWith(IN_BROWSER))
    .filter((file) => tests.some((start) => file.startsWith(start)))
    .toSorted((a, b) => shared(b) - shared(a));
}

function wordsOf(path: string): string[] {
  return path.split(/[/.-]/);
}

function filesIn(path: string): string[] {
  if (path.endsWith(".ts")) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name));
}

function isSource(file: string): boolean {
  const isOfTests = file.endsWith(".test.ts") || file.includes("/test-support/");
  return file.startsWith("src/") && file.endsWith(".ts") && !isOfTests;
}

function isAt(path: string, folderPath: string): boolean {
  return path === folderPath || path.startsWith(`${folderPath}/`);
}
