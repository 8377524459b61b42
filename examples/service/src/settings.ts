import { randomBytes } from "node:crypto";
import { z } from "zod";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const milliseconds = (byDefault: number) => z.coerce.number().int().positive().default(byDefault);

const Environment = z
  .object({
    /** The port to listen on; 0 for a free one. */
    PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
    /** In a container: 0.0.0.0. */
    HOST: z.string().default("127.0.0.1"),
    /** A server, such as `postgres://…`. Without it, everything is in a PGlite in the folder `DATA_FOLDER`. */
    DATABASE_URL: z
      .string()
      .regex(/^postgres(ql)?:/, "must begin with postgres://")
      .optional(),
    DATA_FOLDER: z.string().default(".data"),
    /** The password of the inspector. Without it and without a server, one is made at each start and logged. */
    INSPECTOR_TOKEN: z.string().min(16).optional(),
    /** The connections of this process, beside two that locks of threads and retention hold. */
    POOL_SIZE: z.coerce.number().int().positive().default(10),
    /** Several times the longest statement. A lost connection is noticed after this time. */
    STATEMENT_TIMEOUT_MS: milliseconds(5_000),
    /** How long a turn may take, with what is retried in it. */
    TURN_TIMEOUT_MS: milliseconds(30_000),
    /** How long turns may go on when the process is told to stop. Shorter than what follows: Kubernetes kills after 30 seconds. */
    SHUTDOWN_TIMEOUT_MS: milliseconds(10_000),
    RETENTION_EVERY_MS: milliseconds(60 * MINUTE_MS),
    /** How many checkpoints of a thread stay, to look back at and to fork from. A thread goes on from the newest one. */
    KEEP_LAST: z.coerce.number().int().positive().default(20),
    /** When a thread is deleted in which nothing happens any more. */
    IDLE_DAYS: z.coerce.number().positive().default(90),
  })
  .refine((given) => given.DATABASE_URL === undefined || given.INSPECTOR_TOKEN !== undefined, {
    path: ["INSPECTOR_TOKEN"],
    error: "is required with DATABASE_URL",
  });

/** What the service is told by its environment. */
export interface Settings {
  readonly port: number;
  readonly host: string;
  readonly database:
    | { readonly url: string; readonly poolSize: number; readonly statementTimeoutMs: number }
    | { readonly folder: string };
  readonly inspectorToken: string;
  /** Whether the token was made by this process, so that nobody knows it yet. */
  readonly isTokenNew: boolean;
  readonly turnTimeoutMs: number;
  readonly shutdownTimeoutMs: number;
  readonly retention: { readonly every: number; readonly keepLast: number; readonly idleForMs: number };
}

/** @throws Error that names each variable with a mistake. It does not quote values, since they may be secrets. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  // An empty variable is how many tools say that there is none.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const { data, error } = Environment.safeParse(given);
  if (data === undefined) {
    throw new Error(error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n"));
  }
  return {
    port: data.PORT,
    host: data.HOST,
    database:
      data.DATABASE_URL === undefined
        ? { folder: data.DATA_FOLDER }
        : {
            url: data.DATABASE_URL,
            poolSize: data.POOL_SIZE,
            statementTimeoutMs: data.STATEMENT_TIMEOUT_MS,
          },
    inspectorToken: data.INSPECTOR_TOKEN ?? randomBytes(16).toString("base64url"),
    isTokenNew: data.INSPECTOR_TOKEN === undefined,
    turnTimeoutMs: data.TURN_TIMEOUT_MS,
    shutdownTimeoutMs: data.SHUTDOWN_TIMEOUT_MS,
    retention: {
      every: data.RETENTION_EVERY_MS,
      keepLast: data.KEEP_LAST,
      idleForMs: data.IDLE_DAYS * DAY_MS,
    },
  };
}
