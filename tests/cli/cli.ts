import { Readable } from "node:stream";
import type { PGlite } from "@electric-sql/pglite";
import { expect } from "@jest/globals";
import { openDatabase } from "../../src/db/index.js";
import { run, type OpenUrl, type OutputStream } from "../../src/cli/index.js";
import type { TestDatabase } from "../support/targets.js";

/** How a command line ended, and all that it printed. */
export interface CliOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command line runs in, besides its arguments. */
export interface CliSurroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly open?: OpenUrl;
  /** Whether the output goes to a terminal. */
  readonly isTTY?: boolean;
  /** How wide that terminal is. */
  readonly columns?: number;
  /** What is typed at that terminal, or comes through a pipe. */
  readonly stdin?: string;
  readonly signal?: AbortSignal;
}

/** Runs a command line in this process. */
export async function cli(argv: readonly string[], surroundings: CliSurroundings = {}): Promise<CliOutcome> {
  const { env = {}, open, isTTY = false, columns, stdin, signal } = surroundings;
  const [stdout, stderr] = [new Collector(isTTY, columns), new Collector(isTTY, columns)];
  const input = stdin === undefined ? undefined : Object.assign(Readable.from([stdin]), { isTTY });
  const code = await run(argv, { stdout, stderr, stdin: input, env, signal }, open);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** Runs a command line on a test's database: by its connection string, or on the PGlite that the test has open. */
export function cliOn({ source }: TestDatabase, surroundings: CliSurroundings = {}) {
  const open = typeof source === "string" ? undefined : lend(source);
  const url = typeof source === "string" ? source : "memory://";
  return (...argv: string[]): Promise<CliOutcome> =>
    cli([...argv, "--url", url], open === undefined ? surroundings : { ...surroundings, open });
}

/** The lines that a command prints, which must succeed and say nothing on standard error. */
export async function linesOf(run: ReturnType<typeof cliOn>, ...argv: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await run(...argv);
  expect({ argv, code, stderr }).toEqual({ argv, code: 0, stderr: "" });
  return stdout.trimEnd().split("\n");
}

/** The JSON that a command prints, likewise. */
export async function jsonOf(
  run: ReturnType<typeof cliOn>,
  ...argv: string[]
): Promise<Record<string, unknown>> {
  return JSON.parse((await linesOf(run, ...argv, "--json")).join("\n")) as Record<string, unknown>;
}

function lend(source: PGlite): OpenUrl {
  return () => openDatabase(source);
}

class Collector implements OutputStream {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  text = "";

  constructor(isTTY: boolean, columns: number | undefined) {
    this.isTTY = isTTY;
    this.columns = columns;
  }

  write(text: string): void {
    this.text += text;
  }
}
