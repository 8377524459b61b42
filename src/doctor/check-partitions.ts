import { migrateCommand, quoted } from "../db/migrate-command.js";
import { type PartitionState, partitionState } from "../migrations/partitions/conversion-state.js";
import type { Check } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";

const { ok, warning, error } = findingsOf("partitions");

/** Checks that partitioned tables take every thread, and that no conversion was left half done. Says nothing about plain tables. */
export const checkPartitions: Check = {
  name: "partitions",
  run: async ({ db, schema }) => {
    const states = await partitionState(db, schema.name);
    const problems = states.flatMap((state) => gapOf(state, schema.name));
    const parted = states.filter(({ layout }) => layout !== "none");
    return [
      ...(problems.length > 0
        ? problems
        : parted.flatMap(({ table, layout }) => ok(`${table} is partitioned: ${layout}`))),
      ...unfinishedOf(states, schema.name),
    ];
  },
};

function gapOf({ table, gap }: PartitionState, schema: string): Finding[] {
  if (gap === undefined) return [];
  const fix = `create table ${quoted(schema, `${table}_default`)} partition of ${quoted(schema, table)} default`;
  return gap === "hash"
    ? error(
        `partitions of table "${table}" are missing, so threads of some hashes can't be stored`,
        `attach a partition for each remainder: alter table ${quoted(schema, table)} attach partition …`,
      )
    : warning(
        `table "${table}" has no default partition, so a thread outside of the others can't be stored`,
        fix,
      );
}

function unfinishedOf(states: readonly PartitionState[], schema: string): Finding[] {
  const half = states.find(({ next }) => next !== undefined);
  if (half?.next === undefined) return [];
  const optionOf = (layout: string) => (layout === "none" ? "--unpartition" : `--partition ${layout}`);
  const back = /^(?:none|hash:\d+)$/.test(half.layout)
    ? `; or give it up: ${migrateCommand(schema)} ${optionOf(half.layout)}`
    : "";
  return warning(
    `a conversion of the tables to ${half.next} has not ended, so every change is made twice`,
    `if it is not running, continue: ${migrateCommand(schema)} ${optionOf(half.next)}${back}`,
  );
}
