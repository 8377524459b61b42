import { expect, it } from "@jest/globals";
import { missingOf } from "./missing-tables.js";
import { CHECKPOINT_SET } from "./sets.js";
import { MIGRATION_NAMES } from "./steps/saver-steps.js";

const [first = "", second = "", ...others] = MIGRATION_NAMES;

it.each([
  ["nothing", [], MIGRATION_NAMES, [], []],
  ["nothing that was never created", ["checkpoints"], [], [], []],
  ["nothing that a later step creates", ["checkpoint_tombstones"], [first, second], [], []],
  [
    "what its step has created, and the recorded steps after it",
    ["checkpoint_tombstones"],
    MIGRATION_NAMES,
    ["checkpoint_tombstones"],
    MIGRATION_NAMES.slice(4),
  ],
  [
    "all from the first step on",
    ["checkpoint_tombstones", "checkpoint_blobs"],
    [first, ...others, "9999-future"],
    ["checkpoint_tombstones", "checkpoint_blobs"],
    [first, ...others],
  ],
])("of lost tables is missing: %s", (_, absent, recorded, missing, repeated) => {
  expect(missingOf(CHECKPOINT_SET, absent, recorded)).toEqual({ missing, repeated });
});
