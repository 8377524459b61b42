import { setTimeout as sleep } from "node:timers/promises";
import { nowMs, waitFor } from "../clock.js";
import { ROLE } from "./server-faults.js";
import type { Fault, Scene } from "./fault.js";

const LOOK_MS = 5_000;

/** Terminates idle backends, as an administrator would. */
export const terminateIdle: Fault<Pick<Scene, "admin">> = {
  name: "idle backends terminated",
  inject: async ({ admin }) => {
    await waitFor(async () => {
      const terminated = await admin.query(TERMINATE, [ROLE, "idle"]);
      return terminated.length > 0 ? terminated : undefined;
    }, LOOK_MS);
    return undefined;
  },
};

/** Terminates backends during a statement, which waits for a lock until then. */
export const terminateActive: Fault<Pick<Scene, "admin">> = {
  name: "backends terminated in mid-statement",
  inject: async ({ admin }) => {
    await admin.whileLocked(async () => {
      await waitFor(async () => {
        const terminated = await admin.query(TERMINATE, [ROLE, "active"]);
        return terminated.length > 0 ? terminated : undefined;
      }, LOOK_MS);
    });
    return undefined;
  },
};

/** Holds a lock on a table for longer than the statement timeout. */
export const holdLock: Fault = {
  name: "statements time out on a lock",
  inject: async ({ admin, settings }) => {
    await admin.whileLocked(() => sleep(settings.statementTimeoutMs + 700));
    return undefined;
  },
};

/**
 * Terminates connections during the handshake: first by the proxy, so that the end of the handshake and the error arrive in
 * one chunk, then repeatedly by the server, at random moments.
 */
export const terminateConnecting: Fault = {
  name: "backends terminated as they connect",
  inject: async ({ admin, proxy, random }) => {
    proxy.terminateNew(Infinity);
    proxy.resetAll();
    await sleep(random.between(300, 1_000));
    proxy.terminateNew(0);
    await admin.onConnection(async (client) => {
      const until = nowMs() + random.between(500, 1_500);
      while (nowMs() < until) {
        await client.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = $1", [
          ROLE,
        ]);
        await sleep(STORM_PAUSE_MS);
      }
    });
    return undefined;
  },
};

const STORM_PAUSE_MS = 20;

const TERMINATE = "select pg_terminate_backend(pid) from pg_stat_activity where usename = $1 and state = $2";
