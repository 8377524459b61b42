import { setTimeout as sleep } from "node:timers/promises";
import type { Fault, Scene } from "./fault.js";

const UP_MS = 20_000;

/** `pg_ctl stop -m immediate`: every process ends at once, and the next start has to recover. */
export const stopImmediately: Fault = {
  name: "server stopped with -m immediate",
  inject: async ({ server, random }) => {
    await server.crash();
    await sleep(random.between(0, 1_500));
    await server.start();
    return undefined;
  },
};

/** Every process of the server gets a SIGKILL. */
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

/** One backend gets a SIGKILL: the server then throws out all others, and recovers by itself. */
export const killBackend: Fault = {
  name: "one backend killed with SIGKILL",
  inject: async ({ admin, random }) => {
    const { pid } = random.pick(await backends({ admin }));
    process.kill(pid, "SIGKILL");
    await admin.untilUp(UP_MS);
    return undefined;
  },
};

/** As in a failover, when the server that is written to has become one that is only read from. */
export const turnReadOnly: Fault = {
  name: "server read-only, as in a failover",
  inject: async ({ admin, random }) => {
    await setReadOnly({ admin }, "on");
    await sleep(random.between(1_000, 2_500));
    await setReadOnly({ admin }, "off");
    return undefined;
  },
};

/** The role has no connection left on the server, and those that it had are gone. */
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

/** Whom the load connects as. */
export const ROLE = "chaos";

/** The backends that serve the load. */
export async function backends({ admin }: Pick<Scene, "admin">): Promise<{ pid: number }[]> {
  const found = await admin.query<{ pid: number }>("select pid from pg_stat_activity where usename = $1", [
    ROLE,
  ]);
  if (found.length === 0) throw new Error("The load has no connection that could be killed");
  return found;
}

async function setReadOnly({ admin }: Pick<Scene, "admin">, value: "on" | "off"): Promise<void> {
  await admin.query(`alter system set default_transaction_read_only = ${value}`);
  await admin.query("select pg_reload_conf()");
}
