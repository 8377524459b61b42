import { existsSync } from "node:fs";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { CheckpointStoreDatabase } from "../../db/checkpoint-database.js";
import type { DatabaseSource } from "../../db/opened-database.js";
import type { BackendCheckpointStore } from "../../checkpoint-store/backend-checkpoint-store.js";
import { ConnectionError, InvalidConfigError } from "../../errors/index.js";
import type { OfflineContext } from "../command-definition.js";
import { explainConnectionError } from "../errors/explain-connection-error.js";
import { openNamed, testConnection } from "../run/open-url.js";
import type { StoreLocation } from "./store-url.js";

/** Both ends of a copy. */
interface StoreLocations {
  readonly from: StoreLocation;
  readonly to: StoreLocation;
  /** Whether to create the table of the target, and its database where that is a folder or a file. */
  readonly setup: boolean;
}

type Close = () => Promise<void>;
type OpenContext = Pick<OfflineContext, "open" | "logger">;

/** Opens two stores for as long as `use` runs. Only the drivers that they need are loaded. */
export function withStores<T>(
  { from, to, setup }: StoreLocations,
  context: OpenContext & Pick<OfflineContext, "signal">,
  use: (from: BackendCheckpointStore, to: BackendCheckpointStore) => Promise<T>,
): Promise<T> {
  return closing(async (onOpen) => {
    const source = await openStore(from, { ...context, creates: false, onOpen });
    const target = await openStore(to, { ...context, creates: setup, onOpen });
    if (setup) {
      await target.setup({ signal: context.signal }).catch((error: unknown) => {
        throw named(error, to);
      });
    }
    return use(source, target);
  });
}

/** Opens a store for as long as `use` runs. It reads what the serializer of the command line reads. */
export function withStore<T>(
  location: StoreLocation,
  context: OpenContext & Pick<OfflineContext, "serializer">,
  use: (store: BackendCheckpointStore) => Promise<T>,
): Promise<T> {
  const serde = context.serializer();
  return closing(async (onOpen) =>
    use(await openStore(location, { ...context, serde, creates: false, onOpen })),
  );
}

/** Runs `use`, and closes what it has opened. */
async function closing<T>(use: (onOpen: (close: Close) => void) => Promise<T>): Promise<T> {
  const closes: Close[] = [];
  let result: T;
  try {
    result = await use((close) => {
      closes.unshift(close);
    });
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
  /** Default: states are read as JSON. */
  readonly serde?: SerializerProtocol;
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
  return side === "to" ? "`--setup` creates one" : `correct --${side}`;
}

async function openPostgres(
  location: StoreLocation,
  { open, logger, creates, onOpen, serde }: OpenStoreOptions,
): Promise<BackendCheckpointStore> {
  const { PostgresCheckpointStore } = await import("../../checkpoint-store/postgres-checkpoint-store.js");
  const { side, url, schema, table } = location;
  const database = openNamed(url, open, {
    createsDatabase: creates,
    name: `--${side}`,
    remedy: remedyFor(location),
  });
  onOpen(() => database.close());
  await testConnection(database.kysely);
  const source = database.source as DatabaseSource<CheckpointStoreDatabase>;
  return new PostgresCheckpointStore(source, { schema, table, logger, serde, prepare: false });
}

async function openSqlite(
  location: StoreLocation,
  { logger, creates, onOpen, serde }: OpenStoreOptions,
): Promise<BackendCheckpointStore> {
  const { url, table } = location;
  const path = url.slice("sqlite:".length);
  // SQLite would create an empty database, which would hide a misspelt name.
  if (!creates && !existsSync(path)) {
    throw new ConnectionError(`no database found at "${path}"; ${remedyFor(location)}`);
  }
  const { SqliteCheckpointStore } = await import("../../checkpoint-store/sqlite/index.js");
  const store = new SqliteCheckpointStore(path, { table, logger, serde });
  onOpen(() => store.end());
  return store;
}

async function openRedis(
  { url, prefix }: StoreLocation,
  { logger, onOpen, serde }: OpenStoreOptions,
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
  const store = new RedisCheckpointStore(url, { prefix, logger, serde });
  onOpen(() => store.end());
  return store;
}
