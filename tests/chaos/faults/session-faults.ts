import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../clock.js";
import { ROLE } from "./server-faults.js";
import type { Fault } from "./fault.js";

const LOOK_MS = 5_000;

/** Backends that wait for a statement are terminated, as an administrator does it. */
export const terminateIdle: Fault = {
  name: "idle backends terminated",
  inject: async ({ admin }) => {
    await waitFor(async () => {
      const gone = await admin.query(TERMINATE, [ROLE, "idle"]);
      return gone.length > 0 ? gone : undefined;
    }, LOOK_MS);
    return undefined;
  },
};

/** Backends are terminated while they work on a statement: it is made to wait for a lock until then. */
export const terminateActive: Fault = {
  name: "backends terminated in mid-statement",
  inject: async ({ admin }) => {
    await admin.whileLocked(async () => {
      await waitFor(async () => {
        const gone = await admin.query(TERMINATE, [ROLE, "active"]);
        return gone.length > 0 ? gone : undefined;
      }, LOOK_MS);
    });
    return undefined;
  },
};

/** Somebody holds a lock on a table for longer than a statement may take. */
export const holdLock: Fault = {
  name: "statements time out on a lock",
  inject: async ({ admin, settings }) => {
    await admin.whileLocked(() => sleep(settings.statementTimeoutMs + 700));
    return undefined;
  },
};

const TERMINATE = "select pg_terminate_backend(pid) from pg_stat_activity where usename = $1 and state = $2";
