import { fork } from "node:child_process";
import { once } from "node:events";
import type { BenchDatabase } from "../bench-server.js";
import { programBeside } from "../program-beside.js";
import type { Subject } from "../subjects.js";
import type { FactScenario } from "./scenario.js";

const PROGRAM = programBeside(import.meta.url, "killed-backend-process");
const PATIENCE_MS = 60_000;
const KILL =
  "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";

/** A server that drops an idle connection, as at a restart, a failover, or by an administrator's command. */
export const killedBackend: FactScenario = {
  name: "killed backend",
  observe: async (subject, server) => {
    const database = await server.emptyDatabase();
    try {
      return [
        { name: "process outlives a killed idle connection", answer: await outlives(subject, database) },
      ];
    } finally {
      await database.giveBack();
    }
  },
};

async function outlives(subject: Subject, database: BenchDatabase): Promise<boolean> {
  const child = fork(PROGRAM.path, [subject.id, database.source], {
    execArgv: [...PROGRAM.execArgv],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    timeout: PATIENCE_MS,
  });
  const exit = once(child, "exit");
  const ready = await Promise.race([once(child, "message").then(() => true), exit.then(() => false)]);
  if (!ready) throw new Error("the process with the saver ended before its connection was killed");
  await database.query(KILL);
  await exit;
  if (child.signalCode !== null)
    throw new Error(`the process with the saver was ended by ${child.signalCode}`);
  return child.exitCode === 0;
}
