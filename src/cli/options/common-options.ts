import { Option } from "commander";
import { z } from "zod";
import { MAX_NAME_BYTES } from "../../db/migrate-command.js";
import { InvalidConfigError } from "../../errors/index.js";
import { DEFAULT_LOCK_TIMEOUT_MS } from "../../migrations/in-locked-transaction.js";
import type { CommandIO } from "../command-io.js";

/** The option of commands that wait for locks. */
export const LOCK_TIMEOUT = "--lock-timeout";
/** The options of commands that run on one database. */
export const DATABASE_OPTIONS = ["--url", "--schema"] as const;

const EXAMPLE_URL = "postgres://user:password@localhost/agents";
const URL_PATTERN = /^(?:postgres(?:ql)?:\/\/|memory:\/\/|file:\/\/.)/s;
// The largest value of lock_timeout that PostgreSQL accepts.
const MAX_LOCK_TIMEOUT_MS = 2_147_483_647;

/** The parsed values of the options of every command, besides the database. */
interface CommonOptions {
  /** The schema that holds the tables. */
  readonly schema: string;
  /** How long to wait for other migrations and for table locks, in milliseconds; 0 waits forever. */
  readonly lockTimeoutMs: number;
}

/** The options about printing. */
export interface PrintOptions {
  /** Whether standard output is one JSON document. */
  readonly json: boolean;
  /** Whether an error is printed with its stack and its causes. */
  readonly verbose: boolean;
}

/** The options of every command, for the parser. */
export function optionsOfAllCommands(): Option[] {
  return [
    new Option(
      "--url <url>",
      "the database: postgres://…, file://folder or memory:// (default: the environment variable DATABASE_URL)",
    ),
    new Option("--schema <name>", "the schema that holds the tables (default: public)"),
    new Option(
      `${LOCK_TIMEOUT} <ms>`,
      `how long to wait for other migrations and for table locks, 0 for no limit (default: ${DEFAULT_LOCK_TIMEOUT_MS})`,
    ),
    new Option("--json", "print one JSON document"),
    new Option("--verbose", "print errors with their stacks and causes"),
  ];
}

const printFlags = z.object({ json: z.boolean().default(false), verbose: z.boolean().default(false) });

/** Parses the options about printing. Works even if other flags are invalid. */
export function parsePrintOptions(flags: unknown): PrintOptions {
  return printFlags.parse(flags);
}

const commonFlags = z.object({
  schema: z.string().default("public"),
  lockTimeout: z.string().default(String(DEFAULT_LOCK_TIMEOUT_MS)),
});

/**
 * Parses the options of every command.
 *
 * @param flags - The flags as the parser returned them.
 * @throws InvalidConfigError naming the option.
 */
export function parseCommonOptions(flags: unknown): CommonOptions {
  const { schema, lockTimeout } = commonFlags.parse(flags);
  return { schema: checkedName("--schema", schema), lockTimeoutMs: parseLockTimeout(lockTimeout) };
}

const urlFlags = z.object({ url: z.string().optional() });

/**
 * Returns the connection string: of `--url`, or else of `DATABASE_URL`.
 *
 * @param flags - The flags as the parser returned them.
 * @throws InvalidConfigError if there is none, or if it has another scheme. The message never quotes the connection string,
 *   which may hold a password.
 */
export function parseUrl(flags: unknown, env: CommandIO["env"]): string {
  const { url } = urlFlags.parse(flags);
  return url === undefined ? urlOfEnvironment(env) : checkedUrl("--url", url);
}

function urlOfEnvironment({ DATABASE_URL: url = "" }: CommandIO["env"]): string {
  if (url !== "") return checkedUrl("DATABASE_URL", url);
  throw new InvalidConfigError(
    "--url",
    `no database given; pass --url or set DATABASE_URL, for example to ${EXAMPLE_URL}`,
  );
}

function checkedUrl(field: string, url: string): string {
  if (URL_PATTERN.test(url)) return url;
  throw new InvalidConfigError(
    field,
    "must start with postgres://, postgresql://, file://<folder> or memory://",
  );
}

/** @throws InvalidConfigError for what can't be the name of a schema or a role. */
export function checkedName(option: string, name: string): string {
  if (name === "") throw new InvalidConfigError(option, "must not be empty");
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  throw new InvalidConfigError(option, `must not be longer than ${MAX_NAME_BYTES} bytes`);
}

function parseLockTimeout(text: string): number {
  const milliseconds = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (milliseconds <= MAX_LOCK_TIMEOUT_MS) return milliseconds;
  throw new InvalidConfigError(LOCK_TIMEOUT, `expected whole milliseconds, got "${text}"`);
}
