import { z } from "zod";
import { runContextOf } from "../../db/call-context.js";
import { withinTime } from "../../db/async/within-time.js";
import { throwIfAborted } from "../../db/statements/cancellation.js";
import { type FindingState, type Finding, findingsOf } from "../../doctor/finding.js";
import { CheckpointError } from "../../errors/index.js";
import { boundedKysely } from "../../health/check-health.js";
import type { Health } from "../../health/health.js";
import { migrationStatus } from "../../migrations/migration-status.js";
import type { SaverCall } from "../../saver/call/saver-call.js";
import type { HealthFinding, HealthView } from "../api/health-view.js";
import { messageOf } from "../message-of.js";
import type { ReadDefinitions } from "./call-definition.js";
import { inTurn } from "../../db/async/in-turn.js";
import type { OpenedDatabase } from "../../db/opened-database.js";
import { openDatabase } from "../../db/open-database.js";
import { clientClassOf } from "../../db/pool/client-like.js";
import { diagnose } from "../../doctor/diagnose.js";

/** How long the database may take to answer, in milliseconds. */
const ANSWER_MS = 5_000;

/** The worst first. */
const ORDER: readonly FindingState[] = ["error", "warning", "unknown", "ok"];

export const healthCalls: ReadDefinitions<"health"> = {
  health: {
    args: z.strictObject({}),
    run: async ({ context, call, signal }) => {
      // Before the checks keep the server busy.
      const health = await withinTime({ signal, limitMs: ANSWER_MS }, (inTime) =>
        context.saver.health({ signal: inTime }),
      );
      const examined: readonly HealthFinding[] = await examineDatabase(call, signal);
      const isReached = !examined.some(({ check, state }) => check === "connection" && state === "error");
      const findings = [...examined, ...(isReached ? [findingOf(health)] : []), ...replicaFindings(health)];
      return {
        findings: findings.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state)),
        ...(health.pool !== undefined && { pool: health.pool }),
        migrations: await migrationsOf(call),
        latencyMs: health.latencyMs,
        ...(health.serverVersion !== undefined && { serverVersion: health.serverVersion }),
      };
    },
  },
};

/** What the saver itself says about the database. */
function findingOf({ ok, error }: Health): HealthFinding {
  if (ok || error === undefined) return { check: "saver", state: "ok", message: "checkpoints can be stored" };
  return { check: "saver", state: "error", message: `checkpoints can't be stored: ${messageOf(error)}` };
}

function replicaFindings({ replica }: Health): HealthFinding[] {
  if (replica === undefined) return [];
  const { fault, lagMs, error } = replica;
  const lag = lagMs === undefined ? "" : `, at most ${Math.round(lagMs)} ms behind`;
  if (fault === undefined) return [{ check: "replica", state: "ok", message: `answers reads${lag}` }];
  const reason = error === undefined ? "" : `: ${messageOf(error)}`;
  const message = `left aside (${fault})${lag}, so that the primary answers its reads${reason}`;
  return [{ check: "replica", state: "warning", message, remedy: "see docs/scale.md" }];
}

/** What can't be read is a finding of the checks. */
async function migrationsOf(call: SaverCall): Promise<HealthView["migrations"]> {
  try {
    const db = boundedKysely(call.database, runContextOf(call));
    const { applied, pending, unknown } = await migrationStatus(db, { schema: call.schema });
    return { applied, pending, unknown };
  } catch (error) {
    throwIfAborted(call.signal);
    if (!(error instanceof CheckpointError)) throw error;
    return { applied: [], pending: [], unknown: [] };
  }
}

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
function examineDatabase(call: SaverCall, signal: AbortSignal): Promise<Finding[]> {
  return inTurn(call.database, async () => {
    throwIfAborted(signal);
    try {
      return await examine(call, signal);
    } catch (reason) {
      throwIfAborted(signal);
      if (!(reason instanceof CheckpointError)) throw reason;
      return error(messageOf(reason), "check host, port, TLS (sslmode), and firewalls in between");
    }
  });
}

async function examine({ database, schema }: SaverCall, signal: AbortSignal): Promise<Finding[]> {
  const { kysely, maxConnections } = database;
  if (kysely.isTransaction) {
    return unknown("not checked: the saver works in a transaction of the application");
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
