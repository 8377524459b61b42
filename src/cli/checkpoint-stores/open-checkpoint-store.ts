import { existsSync } from "node:fs";
import type { CheckpointStoreDatabase } from "../../db/checkpoint-database.js";
import type { DatabaseSource } from "../../db/opened-database.js";
import type { BackendCheckpointStore } from "../../checkpoint-store/backend-checkpoint-store.js";
import { ConnectionError, InvalidConfigError } from "../../errors/index.js";
import type { OfflineContext } from "../command-definition.js";
import { explainConnectionError } from "../errors/explain-connection-error.js";
import { openNamed } from "../run/open-url.js";
import { testConnection } from "../run/test-connection.js";
import type { StoreLocation } from "./store-url.js";

/** Both ends of a copy. */
export interface StoreLocations {
  readonly from: StoreLocation;
  readonly to: StoreLocation;
  /** Whether to create the table of the target, and its database where that is a folder or a file. */
  readonly setup: boolean;
}

type Close = () => Promise<void>;
type OpenContext = Pick<OfflineContext, "open" | "logger">;

/** Opens two stores for as long as `use` runs. Only the drivers that they need are loaded. */
export async function withStores<T>(
  { from, to, setup }: StoreLocations,
  context: OpenContext & Pick<OfflineContext, "signal">,
  use: (from: BackendCheckpointStore, to: BackendCheckpointStore) => Promise<T>,
): Promise<T> {
  const closes: Close[] = [];
  const onOpen = (close: Close): void => {
    closes.unshift(close);
  };
  let result: T;
  try {
    const source = await openStore(from, { ...context, creates: false, onOpen });
    const target = await openStore(to, { ...context, creates: setup, onOpen });
    if (setup) {
      await target.setup({ signal: context.signal }).catch((error: unknown) => {
        throw named(error, to);
      });
    }
    result = await use(source, target);
  } catch (error) {
    // Report the first error, even if closing the broken database fails too.
    for (const close of closes) await close().catch(() => undefined);
    throw error;
  }
  for (const close of closes) await close();
  return result;
}

interface OpenStoreOptions extends OpenContext {
  /** Whether to create the database of a folder or a file that has none. */
  readonly creates: boolean;
  /** Receives the function that closes what was opened. */
  readonly onOpen: (close: Close) => void;
}

async function openStore(
  location: StoreLocation,
  options: OpenStoreOptions,
): Promise<BackendCheckpointStore> {
  try {
    return await OPEN[location.kind](location, options);
  } catch (error) {
    throw named(error, location);
  }
}

const OPEN = { postgres: openPostgres, pglite: openPostgres, sqlite: openSqlite, redis: openRedis };

/** Names the option of the command line instead of the parameter of the store. */
function named(error: unknown, { side }: StoreLocation): unknown {
  if (!(error instanceof InvalidConfigError)) return error;
  const { field, message, cause } = error;
  const [, source, option] = /^(?:(source)|(?:options\.)?(table|schema|prefix))$/.exec(field) ?? [];
  if (source === undefined && option === undefined) return error;
  const name = option === undefined ? `--${side}` : `--${side}-${option}`;
  return new InvalidConfigError(name, message.slice(`${field}: `.length), { cause });
}

/** What to do where there is no database. */
function remedyFor({ side }: StoreLocation): string {
  return side === "from" ? "correct --from" : "`--setup` creates one";
}

async function openPostgres(
  location: StoreLocation,
  { open, logger, creates, onOpen }: OpenStoreOptions,
): Promise<BackendCheckpointStore> {
  const { PostgresCheckpointStore } =
    await import("../../checkpoint-store/postgres/postgres-checkpoint-store.js");
  const { side, url, schema, table } = location;
  const database = openNamed(url, open, {
    createsDatabase: creates,
    name: `--${side}`,
    remedy: remedyFor(location),
  });
  onOpen(() => database.close());
  await testConnection(database.kysely);
  const source = database.source as DatabaseSource<CheckpointStoreDatabase>;
  return new PostgresCheckpointStore(source, { schema, table, logger, prepare: false });
}

async function openSqlite(
  location: StoreLocation,
  { logger, creates, onOpen }: OpenStoreOptions,
): Promise<BackendCheckpointStore> {
  const { url, table } = location;
  const path = url.slice("sqlite:".length);
  // SQLite would create an empty database, which would hide a misspelt name.
  if (!creates && !existsSync(path)) {
    throw new ConnectionError(`no database found at "${path}"; ${remedyFor(location)}`);
  }
  const { SqliteCheckpointStore } = await import("../../checkpoint-store/sqlite/index.js");
  const store = new SqliteCheckpointStore(path, { table, logger });
  onOpen(() => store.end());
  return store;
}

async function openRedis(
  { url, prefix }: StoreLocation,
  { logger, onOpen }: OpenStoreOptions,
): Promise<BackendCheckpointStore> {
  const { RedisCheckpointStore } = await import("../../checkpoint-store/redis/index.js");
  // Connects once without retries, so that a mistyped port fails at once.
  const probe = new RedisCheckpointStore(url, { prefix, retry: false });
  try {
    await probe.setup();
  } catch (error) {
    throw explainConnectionError(error);
  } finally {
    await probe.end();
  }
  const store = new RedisCheckpointStore(url, { prefix, logger });
  onOpen(() => store.end());
  return store;
}
