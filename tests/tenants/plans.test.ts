import { expect, it } from "@jest/globals";
import pg from "pg";
import { z } from "zod";
import { collect, metadataOf, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeServer, onOneServer } from "../../test-support/targets.js";
import { NO_ROW_SECURITY, openTenancy, type Tenancy } from "./tenancy.js";

const TENANTS = 100;
const THREADS = 200;

const planNode = z.object({
  "Node Type": z.string(),
  "Relation Name": z.string().optional(),
  "Rows Removed by Filter": z.number().optional(),
  "Index Cond": z.string().optional(),
  Filter: z.string().optional(),
  get Plans() {
    return z.array(planNode).optional();
  },
});

type PlanNode = z.output<typeof planNode>;

onOneServer(NO_ROW_SECURITY, describeServer)("the plans of a tenant's statements", (target) => {
  it.each(["force_custom_plan", "force_generic_plan"])(
    "find its rows by the primary keys, and read no other tenant's rows: %s",
    async (mode) => {
      const tenancy = await openTenancy(target, { clients: 1 });
      await tenancy.operate(`alter role ${tenancy.role} set plan_cache_mode = ${mode}`);
      const plans = await plansOfConnections(tenancy);
      const saver = tenancy.saver("t7");
      const { config, checkpoint } = await putValues(saver, threadConfig("t7:1"), { log: ["a"], title: "b" });
      await saver.putWrites(config, [["log", 1]], "task");
      await tenancy.operate(OTHERS);

      plans.length = 0;
      await saver.getTuple(threadConfig("t7:1"));
      await saver.getTuple(config);
      await saver.getChannelValues({ threadIds: ["t7:1", "t7:thread 7"], channel: "title" });
      await saver.getDeltaChannelHistory({ config, channels: ["log"] });
      await collect(saver.list(threadConfig("t7:1")));
      await collect(saver.list({}, { limit: 2 }));
      await saver.put(config, checkpoint, metadataOf(1), {});
      await saver.deleteThread("t7:1");

      const scans = plans.flatMap(nodesOf).filter((node) => node["Relation Name"]?.startsWith("checkpoint"));
      expect(new Set(scans.map((node) => node["Relation Name"]))).toEqual(
        new Set(["checkpoints", "checkpoint_blobs", "checkpoint_writes"]),
      );
      for (const scan of scans) {
        expect(scan["Node Type"]).not.toBe("Seq Scan");
        // A deletion looks for splices among the rows that the index has found, which are those of the thread.
        const isFound =
          scan["Index Cond"]?.includes("thread_id") === true &&
          scan.Filter?.includes("base IS NOT NULL") === true;
        expect(isFound ? 0 : (scan["Rows Removed by Filter"] ?? 0)).toBe(0);
      }
      await tenancy.close();
    },
  );
});

/** Copies the thread of the test many times, for many tenants. */
const OTHERS = `
  insert into checkpoints (thread_id, checkpoint_id, checkpoint, metadata)
    select 't' || n % ${TENANTS} || ':thread ' || n, '0', checkpoint, metadata
    from checkpoints, generate_series(1, ${TENANTS * THREADS}) as n;
  insert into checkpoint_blobs (thread_id, channel, version, type, blob)
    select thread.thread_id, channel, version, blob.type, blob
    from checkpoint_blobs as blob, checkpoints as thread where thread.checkpoint_id = '0';
  insert into checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, type, blob)
    select thread.thread_id, thread.checkpoint_id, task_id, idx, channel, write.type, blob
    from checkpoint_writes as write, checkpoints as thread where thread.checkpoint_id = '0';
  analyze`;

/**
 * Makes the server report the plan of each statement of the service. It appends the plans to the returned
 * list.
 */
async function plansOfConnections(tenancy: Tenancy): Promise<PlanNode[]> {
  const { role, source } = tenancy;
  if (!(source instanceof pg.Pool)) throw new Error("only a server has auto_explain");
  const settings = {
    session_preload_libraries: "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_format": "json",
    "auto_explain.log_level": "notice",
  };
  await tenancy.operate(
    Object.entries(settings)
      .map(([name, value]) => `alter role ${role} set ${name} = '${value}'`)
      .join(";"),
  );
  const plans: PlanNode[] = [];
  source.on("connect", (client) => {
    client.on("notice", ({ message = "" }) => {
      const [, json] = message.split("plan:\n");
      if (json !== undefined) plans.push(z.object({ Plan: planNode }).parse(JSON.parse(json)).Plan);
    });
  });
  return plans;
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
