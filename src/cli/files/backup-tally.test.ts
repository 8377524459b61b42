import { expect, it } from "@jest/globals";
import { BackupTally } from "./backup-tally.js";

const BLOB = `{"table":"checkpoint_blobs","thread_id":"42","blob":"${"A".repeat(1_000)}"}`;
const END = '{"end":{"threads":1,"checkpoints":1,"writes":1,"blobs":1,"bytes":750,"sha256":""}}';

it("estimates the counts of an unfinished thread, and takes the exact ones from the last lines", () => {
  const tally = new BackupTally();
  tally.add('{"format":"langgraph-checkpoint-backup","version":1}');
  for (const line of [BLOB, BLOB, '{"table":"checkpoint_writes"}', '{"table":"checkpoints"}'])
    tally.add(line);
  expect(tally.counts).toMatchObject({ threads: 0, checkpoints: 1, writes: 1, blobs: 2 });
  expect(tally.counts.bytes).toBeGreaterThan(1_500);
  // The counts of the thread differ from the estimate by one value.
  tally.add('{"thread":"42","checkpoints":1,"writes":1,"blobs":1}');
  expect(tally.counts).toMatchObject({ threads: 1, checkpoints: 1, writes: 1, blobs: 1 });
  tally.add(END);
  expect(tally.counts).toMatchObject({ threads: 1, checkpoints: 1, writes: 1, blobs: 1, bytes: 750 });
});

it("lists the threads without rows", () => {
  const tally = new BackupTally();
  tally.add('{"thread":"none","checkpoints":0,"writes":0,"blobs":0}');
  expect(tally.missing).toEqual(["none"]);
});
