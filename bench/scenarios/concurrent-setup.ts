import type { BenchServer } from "../bench-server.js";
import { openPool } from "../open-pool.js";
import type { Subject } from "../subjects.js";
import type { Fact, FactScenario } from "./scenario.js";

/** Replicas of a service that start at the same time, on a database without tables. */
export const concurrentSetup: FactScenario = {
  name: "concurrent setup",
  observe: async (subject, server, { quick }) => {
    const facts = [];
    for (const processes of quick ? [2, 4] : [8, 20]) {
      facts.push(await setups(subject, server, { processes, times: quick ? 1 : 5 }));
    }
    return facts;
  },
};

async function setups(
  subject: Subject,
  server: BenchServer,
  { processes, times }: { processes: number; times: number },
): Promise<Fact> {
  let failed = 0;
  for (let time = 0; time < times; time++) failed += await failedSetups(subject, server, processes);
  return {
    name: `${processes} concurrent setup() on an empty database, ${times} time${times === 1 ? "" : "s"}: failed of ${processes * times}`,
    answer: failed,
  };
}

/** Each setup has a pool of its own, as in a process of its own. */
async function failedSetups(subject: Subject, server: BenchServer, count: number): Promise<number> {
  const database = await server.emptyDatabase();
  const pools = Array.from({ length: count }, () => openPool(database.source));
  try {
    const outcomes = await Promise.allSettled(pools.map((pool) => subject.open(pool).setup()));
    return outcomes.filter(({ status }) => status === "rejected").length;
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
    await database.giveBack();
  }
}
