import { fork } from "node:child_process";
import { once } from "node:events";
import { z } from "zod";
import type { BenchDatabase, BenchServer } from "../bench-server.js";
import { DIRECT } from "../measure/route.js";
import { type CaseResult, compared } from "../measure/run-case.js";
import { summarize } from "../measure/statistics.js";
import { takeTurns } from "../measure/take-turns.js";
import { programBeside } from "../program-beside.js";
import { ofEach, type PerSubject, type Subject } from "../subjects.js";
import type { ColdCase } from "./cold-cases.js";
import { WORKS } from "./cold-works.js";

const Sent = z.tuple([z.array(z.number())]).rest(z.unknown());

/** Starts processes of both sides in turns, on databases that have their tables, and compares the times of their calls. */
export async function measureCold(coldCase: ColdCase, server: BenchServer): Promise<CaseResult[]> {
  const { work, calls, processes } = coldCase;
  const databases = await ofEach(() => server.emptyDatabase());
  try {
    await ofEach(({ id }) => WORKS[work].setUp(id, databases[id].source));
    for (let nth = 0; nth < processes; nth++)
      await ofEach(async ({ id }) => WORKS[work].provide?.(id, databases[id], nth, calls));
    // Otherwise autovacuum would run in the middle of the timing.
    await ofEach(({ id }) => databases[id].exec("vacuum analyze"));
    const times: PerSubject<number[]> = { ours: [], official: [] };
    const turn = (id: Subject["id"]) => {
      let nth = 0;
      return async () => times[id].push(...(await timesOfProcess(coldCase, id, databases[id], nth++)));
    };
    await takeTurns([turn("ours"), turn("official")], processes);
    return [compared(coldCase, DIRECT, { ours: summarize(times.ours), official: summarize(times.official) })];
  } finally {
    await ofEach(({ id }) => databases[id].giveBack());
  }
}

async function timesOfProcess(
  { work, calls, skipped, pauseMs }: ColdCase,
  id: Subject["id"],
  { source }: BenchDatabase,
  nth: number,
): Promise<number[]> {
  const { path, execArgv } = programBeside(import.meta.url, "cold-process");
  const args = [id, work, `${nth}`, `${calls}`, `${pauseMs}`, source];
  const child = fork(path, args, { execArgv: [...execArgv] });
  const closed = once(child, "close");
  const sent = await Promise.race([once(child, "message"), closed.then(() => undefined)]);
  await closed;
  if (sent === undefined || child.exitCode !== 0) throw new Error(`the process ended with ${child.exitCode}`);
  const [times] = Sent.parse(sent);
  return times.slice(skipped);
}
