import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../../test-support/runs.js";
import type { BlobRow, CheckpointRows, WriteRow } from "../queries/checkpoint-rows.js";
import { splitRows } from "./split-rows.js";

const place = { threadId: "t", checkpointNs: "" };
const rows: fc.Arbitrary<CheckpointRows> = fc.record({
  checkpoints: fc.array(
    fc.nat({ max: 30 }).map((length) => ({
      ...place,
      checkpointId: "1",
      parentCheckpointId: null,
      checkpoint: "x".repeat(length),
      metadata: "{}",
      inlineSources: "{}",
    })),
  ),
  writes: fc.array(
    fc.nat({ max: 60 }).map((length): WriteRow => {
      const owner = { ...place, checkpointId: "1", taskId: "task", taskPath: "" };
      return { ...owner, idx: 0, channel: "a", type: "bytes", blob: new Uint8Array(length) };
    }),
  ),
  blobs: fc.array(
    fc.nat({ max: 60 }).map((length): BlobRow => ({
      ...place,
      channel: "a",
      version: "1",
      type: "",
      blob: new Uint8Array(length),
    })),
  ),
});

const bytesIn = ({ writes, blobs }: CheckpointRows): number =>
  [...writes, ...blobs].reduce((sum, { blob }) => sum + (blob?.byteLength ?? 0), 0);

test("every row is in one portion, in order and table by table", () => {
  fc.assert(
    fc.property(rows, fc.nat({ max: 200 }), (all, maxBytes) => {
      const portions = splitRows(all, maxBytes);
      expect(portions.flatMap(({ checkpoints }) => checkpoints)).toEqual(all.checkpoints);
      expect(portions.flatMap(({ writes }) => writes)).toEqual(all.writes);
      expect(portions.flatMap(({ blobs }) => blobs)).toEqual(all.blobs);
      const tables = portions.flatMap(({ checkpoints, writes, blobs }) => [
        ...checkpoints.map(() => 1),
        ...writes.map(() => 2),
        ...blobs.map(() => 3),
      ]);
      expect(tables).toEqual(tables.toSorted());
    }),
    runs(100),
  );
});

test("no portion exceeds the limit, except one with a single row", () => {
  fc.assert(
    fc.property(rows, fc.nat({ max: 200 }), (all, maxBytes) => {
      for (const portion of splitRows(all, maxBytes)) {
        const { checkpoints, writes, blobs } = portion;
        const isSingle = checkpoints.length + writes.length + blobs.length === 1;
        if (!isSingle) expect(bytesIn(portion)).toBeLessThanOrEqual(maxBytes);
      }
    }),
    runs(100),
  );
});

test("rows that fit share one portion", () => {
  fc.assert(
    fc.property(rows, (all) => splitRows(all, 1e6).length <= 1),
    runs(100),
  );
});
