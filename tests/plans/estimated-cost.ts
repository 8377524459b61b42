import pg from "pg";
import { z } from "zod";
import type { SentStatement } from "../../test-support/recorded-statements.js";

/** What a statement would cost, in the planner's units. */
export interface EstimatedCost {
  /** Planned for the values that were sent. */
  readonly custom: number;
  /** Planned for any values, as Postgres does from the sixth run of a prepared statement on, unless that is more expensive. */
  readonly generic: number;
}

const Explained = z.tuple([
  z.object({ "QUERY PLAN": z.tuple([z.object({ Plan: z.object({ "Total Cost": z.number() }) })]) }),
]);

/** Returns the cost of the plan that the server would run: of those it makes for a prepared statement, the more expensive one. */
export function costOf({ custom, generic }: EstimatedCost): number {
  // Postgres takes the generic plan only where it is not more expensive than the others and the planning of them.
  return Math.max(custom, generic <= custom + PLANNING ? generic : 0);
}

/** More than what Postgres charges for planning a statement. */
const PLANNING = 200;

/** Estimates statements without running them. */
export async function estimateEach(
  client: pg.Client,
  statements: readonly SentStatement[],
): Promise<EstimatedCost[]> {
  const costs: EstimatedCost[] = [];
  for (const { text, parameters } of statements) {
    const custom = await client.query(`explain (format json) ${text}`, [...parameters]);
    await client.query(`set plan_cache_mode = force_generic_plan; prepare estimated as ${text}`);
    const nulls = parameters.map(() => "null").join();
    const generic = await client.query(
      `explain (format json) execute estimated ${nulls === "" ? "" : `(${nulls})`}`,
    );
    await client.query("deallocate estimated; reset plan_cache_mode");
    costs.push({ custom: totalOf(custom.rows), generic: totalOf(generic.rows) });
  }
  return costs;
}

function totalOf(rows: unknown): number {
  const [{ "QUERY PLAN": plan }] = Explained.parse(rows);
  return plan[0].Plan["Total Cost"];
}

/** Whether Postgres plans the statement. */
export function isPlanned({ text }: SentStatement): boolean {
  return /^\s*(?:with|select|insert|update|delete|merge)\b/i.test(text);
}
