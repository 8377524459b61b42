import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../clock.js";
import type { Fault, Scene } from "./fault.js";

const UP_MS = 20_000;

/** `pg_ctl stop -m immediate`: all processes end at once, and the next start runs crash recovery. */
export const stopImmediately: Fault<Pick<Scene, "server" | "random">> = {
  name: "server stopped with -m immediate",
  inject: async ({ server, random }) => {
    await server.crash();
    await sleep(random.between(0, 1_500));
    await server.start();
    return undefined;
  },
};

/** Kills every process of the server with SIGKILL. */
export const killServer: Fault = {
  name: "server killed with SIGKILL",
  inject: async ({ server, admin, random }) => {
    const others = await admin.query<{ pid: number }>("select pid from pg_stat_activity");
    await server.kill(others.map(({ pid }) => pid));
    await sleep(random.between(0, 1_500));
    await server.start();
    return undefined;
  },
};

/** Kills one backend with SIGKILL: the server then terminates all others, and recovers by itself. */
export const killBackend: Fault = {
  name: "one backend killed with SIGKILL",
  inject: async ({ admin, random }) => {
    const { pid } = random.pick(await backends({ admin }));
    process.kill(pid, "SIGKILL");
    await admin.untilUp(UP_MS);
    return undefined;
  },
};

/** Makes the server read-only, like a primary that has become a standby in a failover. */
export const turnReadOnly: Fault = {
  name: "server read-only, as in a failover",
  inject: async ({ admin, random }) => {
    await setReadOnly({ admin }, "on");
    await sleep(random.between(1_000, 2_500));
    await setReadOnly({ admin }, "off");
    return undefined;
  },
};

/** Terminates the connections of the role, and refuses new ones. */
export const refuseConnections: Fault = {
  name: "no connections left on the server",
  inject: async ({ admin, random }) => {
    await admin.query(`alter role ${ROLE} connection limit 0`);
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = $1", [ROLE]);
    await sleep(random.between(500, 1_500));
    await admin.query(`alter role ${ROLE} connection limit -1`);
    return undefined;
  },
};

/** The role that the load connects as. */
export const ROLE = "chaos";

/** The backends that serve the load. After an earlier fault it may have to open some first. */
export async function backends({ admin }: Pick<Scene, "admin">): Promise<{ pid: number }[]> {
  const found = await waitFor(async () => {
    const pids = await admin.query<{ pid: number }>("select pid from pg_stat_activity where usename = $1", [
      ROLE,
    ]);
    return pids.length > 0 ? pids : undefined;
  }, UP_MS);
  if (found === undefined) throw new Error("the load has no connection to kill");
  return found;
}

async function setReadOnly({ admin }: Pick<Scene, "admin">, value: "on" | "off"): Promise<void> {
  await admin.query(`alter system set default_transaction_read_only = ${value}`);
  await admin.query("select pg_reload_conf()");
}
