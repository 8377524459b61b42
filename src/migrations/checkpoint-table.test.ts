import { expect, it } from "@jest/globals";
import { isNameOfOtherTable, isNameOfSavers, problemOfCheckpointTable } from "./checkpoint-table.js";

const TOO_LONG = "must not be longer than 46 bytes";

it.each<[name: string, problem: string | undefined]>([
  ["checkpoint_store", undefined],
  ["x", undefined],
  ['go "runs"', undefined],
  ["as", undefined],
  ["x".repeat(46), undefined],
  ["é".repeat(23), undefined],
  // Their records have other names.
  ["checkpoints", undefined],
  ["cache_entries", undefined],
  ["", "must not be empty"],
  ["a\0b", "must not contain U+0000 or a lone surrogate"],
  ["\ud800", "must not contain U+0000 or a lone surrogate"],
  ["x".repeat(47), TOO_LONG],
  ["é".repeat(24), TOO_LONG],
  ["a.b", "must not contain a period: a schema is not part of it"],
  ["a as b", 'must not contain " as "'],
  ...["checkpoint", "store", "cache", "store_vectors"].map((name): [string, string] => [
    name,
    `must not be "${name}": "${name}_kysely_migration" records the steps of other tables of this library`,
  ]),
])("the name %j of a table of checkpoints has the problem %j", (name, problem) => {
  expect(problemOfCheckpointTable(name)).toBe(problem);
});

it.each([
  ["checkpoint_store", false, false],
  ["checkpoints", true, true],
  ["checkpoint_kysely_migration", true, true],
  ["cache_entries", true, false],
  ["checkpoint_store_kysely_migration", true, false],
  ["runs", false, false],
  ["toString", false, false],
])("the name %j belongs to another table: %j, to one of the savers: %j", (name, other, ofSavers) => {
  expect([isNameOfOtherTable(name), isNameOfSavers(name)]).toEqual([other, ofSavers]);
});
