import { setTimeout as sleep } from "node:timers/promises";
import type { EmbeddedServer } from "../../../test-support/embedded-server.js";
import type { Fault } from "../../chaos/faults/fault.js";
import { stopImmediately } from "../../chaos/faults/server-faults.js";
import { terminateActive, terminateIdle } from "../../chaos/faults/session-faults.js";
import type { Random } from "../../chaos/random.js";
import type { Admin } from "../../chaos/run/admin.js";
import type { SoakHistory } from "../laws/soak-history.js";
import type { SoakProcess } from "./soak-process.js";

/** What the faults of a soak disturb. */
export interface SoakScene {
  readonly server: EmbeddedServer;
  readonly admin: Admin;
  readonly random: Random;
  readonly processes: readonly SoakProcess[];
  readonly history: SoakHistory;
}

/** How long a process stands still, in milliseconds. */
export const FROZEN_MS = 20_000;

/** How long a lock is held at most, in milliseconds. */
export const LOCKED_MS = 8_000;

const holdTable: Fault<SoakScene> = {
  name: "a table locked",
  inject: async ({ admin, random }) => {
    await admin.whileLocked(() => sleep(random.between(500, LOCKED_MS)));
    return undefined;
  },
};

const holdThreads: Fault<SoakScene> = {
  name: "threads locked",
  inject: async ({ admin, random, history }) => {
    const used = [...history.pending.values()].map(({ thread }) => thread);
    await admin.onConnection(async (client) => {
      await client.query("begin");
      // Those that a statement of a user has locked stay its own: each could wait for the other.
      await client.query("select from checkpoints where thread_id = any($1) for update skip locked", [used]);
      await sleep(random.between(500, LOCKED_MS));
      await client.query("rollback");
    });
    return undefined;
  },
};

const killProcess: Fault<SoakScene> = {
  name: "a process killed with SIGKILL",
  inject: async ({ processes, random, history }) => {
    const [, ...others] = processes;
    if (others.length === 0) return undefined;
    const killed = random.pick(others);
    const name = await killed.kill();
    for (const entry of killed.journal.read()) history.apply(entry);
    history.killed(name);
    await killed.start();
    return undefined;
  },
};

/** The users of the other processes go on meanwhile. */
const freezeProcess: Fault<SoakScene> = {
  name: "a process stopped by SIGSTOP",
  inject: async ({ processes, random }) => {
    const frozen = random.pick(processes);
    frozen.freeze();
    await sleep(FROZEN_MS);
    frozen.thaw();
    return undefined;
  },
};

/** All faults of a soak. */
export const SOAK_FAULTS: readonly Fault<SoakScene>[] = [
  ...[terminateIdle, terminateActive, stopImmediately],
  ...[holdTable, holdThreads, killProcess, freezeProcess],
];
