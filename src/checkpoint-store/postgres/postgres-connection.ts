import { sql } from "kysely";
import { advisoryKey } from "../../db/locks/advisory-key.js";
import type { OpenedCall } from "../../db/open-call.js";
import { runStatement, runTransaction } from "../../db/statements/run-statement.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { checkStoring, openEmbedded } from "../../health/check-health.js";
import { checkpointStoreSet } from "../../migrations/checkpoint-store-set.js";
import { setUpSets } from "../../migrations/set-up-sets.js";
import type { BackendCall } from "../model/backend.js";
import type { RecordScope } from "../model/stored-record.js";
import type { RecordConnection } from "../sql/sql-backend.js";

/** @param base - The context that each call starts from. */
export function postgresConnection(base: OpenedCall, table: string): RecordConnection {
  const within = ({ signal, observer }: BackendCall): OpenedCall => ({ ...base, signal, observer });
  return {
    address: base.database.address,
    setup: ({ lockTimeoutMs, ...call }) =>
      setUpSets({ ...within(call), lockTimeoutMs }, [checkpointStoreSet({ table })]),
    run: (call, statement, params) => runStatement(within(call), statement, params),
    check: async ({ findings, ...call }) => {
      const requirements = {
        stored: "checkpoints",
        sets: [checkpointStoreSet({ table })],
        tables: [table],
        privileges: ["select", "insert", "update"].map((right) => `${right} on ${table}`),
      };
      try {
        await openEmbedded(base, call.signal);
        await checkStoring(within(call), requirements, findings);
      } finally {
        const pool = base.database.poolState?.();
        if (pool !== undefined) findings.pool = pool;
      }
    },
    transact: async (call, scopes, steps) => {
      const { guard = [], statements } = steps(base.schema);
      const locks = scopes.map((scope) => ({ statement: lockScope(base.schema, table, scope) }));
      return runTransaction(within(call), { guard: [...locks, ...guard], statements });
    },
    close: () => base.database.close(),
  };
}

/** Two transactions that did not see each other's records would keep more of them than either wants. */
function lockScope(schema: string, table: string, { by, id }: RecordScope): BoundStatement<unknown> {
  return lock.bind(schema, { key: advisoryKey("checkpoints of a scope", schema, table, by, id).toString() });
}

const lock = /* @__PURE__ */ new Statement<{ readonly key: string }, unknown>((db, parameter) =>
  db.selectNoFrom(sql<null>`pg_advisory_xact_lock(${parameter("key")}::bigint)`.as("taken")),
);
