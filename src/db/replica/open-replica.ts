import { InvalidConfigError } from "../../errors/index.js";
import type { Telemetry } from "../../telemetry/telemetry.js";
import { openDatabase } from "../open-database.js";
import type { AnyDatabaseSource, OpenedDatabase } from "../opened-database.js";
import type { Replica } from "./replica.js";
import { loadOnce } from "../async/load-once.js";
import { reportLostConnection } from "../lost-connection.js";

/** A replica, and how far it may be behind. */
export interface ReplicaOptions {
  readonly source: AnyDatabaseSource;
  /** In milliseconds. */
  readonly maxLagMs: number;
}

/** A replica of a saver's database, before it is used. */
export interface OpenedReplica {
  readonly database: OpenedDatabase;
  /** Returns what checks the replica, which is loaded when the first read may use it. */
  readonly checked: () => Promise<Replica>;
}

/**
 * Opens a replica of a database. Nothing is sent before the first read that may be stale.
 *
 * @returns `undefined` beside a passed-in transaction, whose reads must see what it has written.
 * @throws InvalidConfigError for an invalid source.
 */
export function openReplica(
  { source, maxLagMs }: ReplicaOptions,
  primary: OpenedDatabase,
  { prepare, telemetry }: { readonly prepare: boolean; readonly telemetry: Telemetry },
): OpenedReplica | undefined {
  if (primary.kysely.isTransaction) return undefined;
  try {
    const onConnectionLost = (error: unknown): void => {
      reportLostConnection(telemetry, error);
    };
    const database = openDatabase(source, { prepare, onConnectionLost });
    if (!database.kysely.isTransaction) {
      const checked = loadOnce(async () => {
        const { Replica: CheckedReplica } = await import("./replica.js");
        return new CheckedReplica({ database, primary, maxLagMs, telemetry });
      });
      return { database, checked };
    }
  } catch (error) {
    if (!(error instanceof InvalidConfigError)) throw error;
    throw new InvalidConfigError("options.replica", error.message.replace("source: ", ""), { cause: error });
  }
  throw new InvalidConfigError("options.replica", "must not be a transaction");
}
