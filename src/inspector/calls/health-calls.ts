import { z } from "zod";
import { runContextOf } from "../../db/call-context.js";
import { withinTime } from "../../db/async/within-time.js";
import { throwIfAborted } from "../../db/statements/cancellation.js";
import type { FindingState } from "../../doctor/finding.js";
import { CheckpointError } from "../../errors/index.js";
import { boundedKysely } from "../../health/bounded-kysely.js";
import type { Health } from "../../health/health.js";
import { migrationStatus } from "../../migrations/migration-status.js";
import type { SaverCall } from "../../saver/call/saver-call.js";
import type { HealthFinding, HealthView } from "../api/health-view.js";
import { examineDatabase } from "../health/examine-database.js";
import { messageOf } from "../message-of.js";
import type { ReadDefinitions } from "./call-definition.js";

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
