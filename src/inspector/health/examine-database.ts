import { inTurn } from "../../db/async/in-turn.js";
import type { OpenedDatabase } from "../../db/opened-database.js";
import { openDatabase } from "../../db/open-database.js";
import { clientClassOf } from "../../db/pool/client-like.js";
import { throwIfAborted } from "../../db/statements/cancellation.js";
import { diagnose } from "../../doctor/diagnose.js";
import { type Finding, findingsOf } from "../../doctor/finding.js";
import { CheckpointError } from "../../errors/index.js";
import type { SaverCall } from "../../saver/call/saver-call.js";
import { messageOf } from "../message-of.js";

const { error, unknown } = findingsOf("connection");

/** The pooler's check compares two connections. */
const CONNECTIONS = 2;

/**
 * Runs the checks of `doctor` on the database of a saver, one run at a time. It never fails, except when the signal aborts: a database
 * that can't be reached is a finding.
 *
 * The checks of a saver on a pool run on two connections of their own, which are opened like those of the pool and closed again. Their age
 * tells whether there is a pooler. The checks also hold two connections at once, for which they would wait for ever on a small pool, or
 * beside others like them on a busy one. Behind a Kysely of the application no other connections can be opened, so that check is left out.
 */
export function examineDatabase(call: SaverCall, signal: AbortSignal): Promise<Finding[]> {
  return inTurn(call.database, async () => {
    throwIfAborted(signal);
    try {
      return await examine(call, signal);
    } catch (reason) {
      throwIfAborted(signal);
      if (!(reason instanceof CheckpointError)) throw reason;
      return [error(messageOf(reason), "check host, port, TLS (sslmode), and firewalls in between")];
    }
  });
}

async function examine({ database, schema }: SaverCall, signal: AbortSignal): Promise<Finding[]> {
  const { kysely, maxConnections } = database;
  if (kysely.isTransaction) {
    return [unknown("not checked: the saver works in a transaction of the application")];
  }
  const own = openLike(database);
  if (own === undefined) {
    return diagnose(kysely, { schema, signal, ownsConnections: maxConnections === "embedded" });
  }
  try {
    return await diagnose(own.kyselyUntil?.(signal) ?? own.kysely, { schema, signal });
  } finally {
    await own.close();
  }
}

/** Opens a database on new connections, where the saver is on a pool. */
function openLike({ source, poolState, closed }: OpenedDatabase): OpenedDatabase | undefined {
  if (poolState === undefined || closed || !("options" in source)) return undefined;
  const { options } = source;
  // The pool makes the password non-enumerable.
  const { password } = options;
  return openDatabase({
    ...options,
    ...(password !== undefined && { password }),
    ...{ Client: clientClassOf(source), min: 0, max: CONNECTIONS },
  });
}
