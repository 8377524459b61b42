import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BenchServer } from "../bench-server.js";
import type { Route } from "../measure/route.js";
import { summarize } from "../measure/statistics.js";
import type { TimedCase } from "../scenarios/scenario.js";
import { recordCase } from "./record-case.js";
import type { RecordedQuery } from "./recorded-query.js";

/** How long a statement takes where no JavaScript is involved. */
export interface PgbenchResult {
  readonly name: string;
  /** How far client and server are apart, one way; 0 without a proxy. */
  readonly latencyMs: number;
  /** `undefined` where pgbench is not installed. */
  readonly medianMs?: number;
}

/**
 * Has pgbench, where it is installed, send the statement of a case that reads, over one route after the other: prepared,
 * by one client, `transactions` times.
 */
export async function runPgbench(
  timed: TimedCase,
  server: BenchServer,
  routes: readonly Route[],
  transactions: number,
): Promise<PgbenchResult[]> {
  const { name } = timed;
  if (!(await isInstalled())) return routes.map(({ latencyMs }) => ({ name, latencyMs }));
  const { runs, database } = await recordCase(timed, server, 1);
  try {
    const [query, ...others] = runs.flat();
    if (query === undefined || others.length > 0) throw new Error(`${name}: not one statement`);
    const results = [];
    for (const route of routes) {
      const times = await transactionTimes(query, route.via(database.source), transactions);
      results.push({ name, latencyMs: route.latencyMs, medianMs: summarize(times).medianMs });
    }
    return results;
  } finally {
    await database.giveBack();
  }
}

const run = promisify(execFile);

function isInstalled(): Promise<boolean> {
  return run("pgbench", ["--version"]).then(
    () => true,
    () => false,
  );
}

async function transactionTimes(query: RecordedQuery, url: string, transactions: number): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  try {
    const script = join(folder, "statement.sql");
    const values = query.values.map(asText);
    await writeFile(script, `${inItsNotation(query.text, values)};\n`);
    const define = values.flatMap((value, index) =>
      value === "" ? [] : [`--define=p${index + 1}=${value}`],
    );
    const log = ["--log", `--log-prefix=${join(folder, "log")}`];
    // One more, since each is timed from the end of the one before.
    const how = ["--no-vacuum", "--protocol=prepared", "--client=1", `--transactions=${transactions + 1}`];
    await run("pgbench", [...how, ...log, ...define, `--file=${script}`], {
      env: { ...process.env, ...connection(url) },
    });
    return await readLog(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * How long each transaction but the first took, in milliseconds, by when they ended: the last two fields of each line, in
 * seconds and microseconds. The field for the time taken is 0 where pgbench found the answer there when it first looked.
 */
async function readLog(folder: string): Promise<number[]> {
  const file = (await readdir(folder)).find((name) => name.startsWith("log."));
  const lines = (await readFile(join(folder, file ?? "log"), "utf8")).trim().split("\n");
  const ends = lines.map((line) => {
    const [seconds, microseconds] = line.split(" ").slice(-2).map(Number);
    return (seconds ?? Number.NaN) * 1_000_000 + (microseconds ?? Number.NaN);
  });
  return ends.slice(1).map((end, index) => (end - (ends[index] ?? Number.NaN)) / 1_000);
}

// It prepares its parameters as the server's, but knows none that is empty.
function inItsNotation(text: string, values: readonly string[]): string {
  return text.replace(/\$(\d+)/g, (_, index: string) =>
    values[Number(index) - 1] === "" ? "''" : `:p${index}`,
  );
}

function asText(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString("utf8");
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new TypeError("a parameter that pgbench can't be given");
}

// A password among the arguments could be read by everyone on the machine.
function connection(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    PGHOST: hostname,
    PGPORT: port || "5432",
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
  };
}
