import { Readable } from "node:stream";
import type { PGlite } from "@electric-sql/pglite";
import { expect } from "@jest/globals";
import { openDatabase } from "../../src/db/index.js";
import { run, type OpenUrl, type OutputStream } from "../../src/cli/index.js";
import type { TestDatabase } from "../../test-support/targets.js";

/** The address that `inspect` prints: it runs until it is interrupted. */
export const SERVED = /http:\/\/127\.0\.0\.1:\d+\S*/;

/** The exit code and the output of a command line. */
export interface CliOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment of a command line. */
export interface CliEnvironment {
  readonly env?: Readonly<Record<string, string>>;
  readonly open?: OpenUrl;
  /** Whether the streams are terminals. */
  readonly isTTY?: boolean;
  /** The width of that terminal. */
  readonly columns?: number;
  /** The content of standard input. */
  readonly stdin?: string;
  readonly signal?: AbortSignal;
  /** Interrupts the command once it has printed this. */
  readonly interruptAt?: RegExp;
}

/** What the program gives to the command line, which can't import by itself in the CommonJS build. */
export const importModule = (url: string): Promise<unknown> => import(url);

/** Runs a command line in this process. */
export async function cli(argv: readonly string[], environment: CliEnvironment = {}): Promise<CliOutcome> {
  const { env = {}, open, isTTY = false, columns, stdin, interruptAt } = environment;
  const interrupt = new AbortController();
  const { signal = interrupt.signal } = environment;
  const onText = (text: string): void => {
    if (interruptAt?.test(text) === true) interrupt.abort();
  };
  const [stdout, stderr] = [new Collector(isTTY, columns, onText), new Collector(isTTY, columns)];
  const input = stdin === undefined ? undefined : Object.assign(Readable.from([stdin]), { isTTY });
  const code = await run(argv, { stdout, stderr, stdin: input, env, signal, importModule }, open);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** Runs a command line on a test's database: by its connection string, or on the open PGlite of the test. */
export function cliOn({ source }: TestDatabase, environment: CliEnvironment = {}) {
  const open = typeof source === "string" ? undefined : openPGlite(source);
  const url = typeof source === "string" ? source : "memory://";
  return (...argv: string[]): Promise<CliOutcome> =>
    cli([...argv, "--url", url], open === undefined ? environment : { ...environment, open });
}

/** Returns the lines on standard output of a command, which must succeed and print nothing on standard error. */
export async function linesOf(run: ReturnType<typeof cliOn>, ...argv: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await run(...argv);
  expect({ argv, code, stderr }).toEqual({ argv, code: 0, stderr: "" });
  return stdout.trimEnd().split("\n");
}

/** Returns the parsed JSON of such a command. */
export async function jsonOf(
  run: ReturnType<typeof cliOn>,
  ...argv: string[]
): Promise<Record<string, unknown>> {
  return JSON.parse((await linesOf(run, ...argv, "--json")).join("\n")) as Record<string, unknown>;
}

function openPGlite(source: PGlite): OpenUrl {
  return () => openDatabase(source);
}

class Collector implements OutputStream {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  readonly #onText: (text: string) => void;
  text = "";

  constructor(isTTY: boolean, columns: number | undefined, onText: (text: string) => void = () => undefined) {
    this.isTTY = isTTY;
    this.columns = columns;
    this.#onText = onText;
  }

  write(text: string): void {
    this.text += text;
    this.#onText(this.text);
  }
}
