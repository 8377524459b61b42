import { Option } from "commander";
import { z } from "zod";
import { MAX_NAME_BYTES } from "../../db/max-name-bytes.js";
import { InvalidConfigError } from "../../errors/index.js";
import { DEFAULT_LOCK_TIMEOUT_MS } from "../../migrations/default-lock-timeout.js";
import type { CommandIO } from "../command-io.js";

/** The option of those that wait for locks. */
export const LOCK_TIMEOUT = "--lock-timeout";

const EXAMPLE_URL = "postgres://user:password@localhost/agents";
const URL_PATTERN = /^(?:postgres(?:ql)?:\/\/|memory:\/\/|file:\/\/.)/s;
// The largest value that the server takes.
const MAX_LOCK_TIMEOUT_MS = 2_147_483_647;

/** What the options that every command has say, besides which database it is. */
export interface CommonOptions {
  /** The schema that holds the tables. */
  readonly schema: string;
  /** How long to wait for other migrations and for tables in use, in milliseconds; 0 waits forever. */
  readonly lockTimeoutMs: number;
}

/** How every command prints. */
export interface PrintOptions {
  /** Whether standard output is one JSON document. */
  readonly json: boolean;
  /** Whether an error is printed with its stack and its causes. */
  readonly verbose: boolean;
}

/** The options that every command has, as the parser knows them. */
export function commonOptions(): Option[] {
  return [
    new Option(
      "--url <url>",
      "postgres://…, file://folder or memory:// (default: the environment variable DATABASE_URL)",
    ),
    new Option("--schema <name>", "the schema that holds the tables (default: public)"),
    new Option(
      `${LOCK_TIMEOUT} <ms>`,
      `how long to wait for other migrations and for tables in use, 0 for ever (default: ${DEFAULT_LOCK_TIMEOUT_MS})`,
    ),
    new Option("--json", "print one JSON document"),
    new Option("--verbose", "print errors with their stack and their causes"),
  ];
}

const printOptions = z.object({ json: z.boolean().default(false), verbose: z.boolean().default(false) });

/** Tells how to print, whatever else may be wrong with `options`. */
export function parsePrintOptions(options: unknown): PrintOptions {
  return printOptions.parse(options);
}

const given = z.object({
  schema: z.string().default("public"),
  lockTimeout: z.string().default(String(DEFAULT_LOCK_TIMEOUT_MS)),
});

/**
 * Makes sense of the options that every command has.
 *
 * @param options - The options as the parser found them.
 * @throws InvalidConfigError naming the option.
 */
export function parseCommonOptions(options: unknown): CommonOptions {
  const { schema, lockTimeout } = given.parse(options);
  return { schema: checkedSchema(schema), lockTimeoutMs: parseLockTimeout(lockTimeout) };
}

const givenUrl = z.object({ url: z.string().optional() });

/**
 * The connection string of the database.
 *
 * @param options - The options as the parser found them.
 * @param env - Has the connection string where the options don't.
 * @throws InvalidConfigError where there is none, or none that fits; never with the connection string, which may hold a
 *   password.
 */
export function parseUrl(options: unknown, env: CommandIO["env"]): string {
  const { url } = givenUrl.parse(options);
  return url === undefined ? urlOfEnvironment(env) : checkedUrl("--url", url);
}

function urlOfEnvironment({ DATABASE_URL: url = "" }: CommandIO["env"]): string {
  if (url !== "") return checkedUrl("DATABASE_URL", url);
  throw new InvalidConfigError(
    "--url",
    `no database is named; use the option, or set DATABASE_URL, as to ${EXAMPLE_URL}`,
  );
}

function checkedUrl(field: string, url: string): string {
  if (URL_PATTERN.test(url)) return url;
  throw new InvalidConfigError(
    field,
    "must begin with postgres://, postgresql://, file:// and a folder, or memory://",
  );
}

function checkedSchema(schema: string): string {
  if (schema === "") throw new InvalidConfigError("--schema", "must not be empty");
  if (Buffer.byteLength(schema) <= MAX_NAME_BYTES) return schema;
  throw new InvalidConfigError("--schema", `must not be longer than ${MAX_NAME_BYTES} bytes`);
}

function parseLockTimeout(text: string): number {
  const milliseconds = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (milliseconds <= MAX_LOCK_TIMEOUT_MS) return milliseconds;
  throw new InvalidConfigError(LOCK_TIMEOUT, `expected whole milliseconds, got "${text}"`);
}
