import { createHash } from "node:crypto";
import { expect, it } from "@jest/globals";
import type { RowLine } from "./backup-line.js";
import { RowDigests, type StoredDigest } from "./row-digests.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const base64 = (text: string) => Buffer.from(text).toString("base64");

const header = { checkpoint_ns: "", checkpoint_id: "1", parent_checkpoint_id: null, type: null };
const blob = { checkpoint_ns: "", channel: "a", type: "json" };
const write = { checkpoint_ns: "", checkpoint_id: "1", task_id: "x", idx: 0, task_path: "", channel: "a" };
const of = { thread_id: "t" };

/** Rows, as they are stored and as lines of a backup. */
const ROWS: readonly { readonly stored: StoredDigest; readonly lines: readonly RowLine[] }[] = [
  {
    stored: { table: "checkpoints", ...header, checkpoint: sha256("{}"), metadata: sha256("[]") },
    lines: [{ table: "checkpoints", ...of, ...header, checkpoint: "{}", metadata: "[]" }],
  },
  {
    stored: { table: "checkpoints", ...header, checkpoint_id: "2", checkpoint: null, metadata: null },
    lines: [{ table: "checkpoints", ...of, ...header, checkpoint_id: "2", checkpoint: null, metadata: null }],
  },
  {
    stored: { table: "checkpoint_blobs", ...blob, version: "1", base: null, whole_bytes: null, blob: null },
    lines: [{ table: "checkpoint_blobs", ...of, ...blob, version: "1", blob: null }],
  },
  {
    stored: {
      table: "checkpoint_blobs",
      ...blob,
      version: "2",
      base: "1",
      whole_bytes: 9,
      blob: sha256("12"),
    },
    lines: [
      {
        table: "checkpoint_blobs",
        ...of,
        ...blob,
        version: "2",
        base: "1",
        whole_bytes: 9,
        blob: base64("12"),
      },
    ],
  },
  {
    stored: {
      table: "checkpoint_blobs",
      ...blob,
      version: "3",
      base: null,
      whole_bytes: null,
      blob: sha256("123"),
    },
    lines: [
      { table: "checkpoint_blobs", ...of, ...blob, version: "9", bytes: 3 },
      ...[{ piece: base64("12") }, { cancelled: true } as const, { piece: base64("3") }],
      { table: "checkpoint_blobs", ...of, ...blob, version: "3", bytes: 3 },
      ...[{ piece: base64("12") }, { piece: base64("3") }, { piece: base64("4") }],
    ],
  },
  {
    stored: { table: "checkpoint_writes", ...write, type: "json", blob: sha256("1") },
    lines: [{ table: "checkpoint_writes", ...of, ...write, type: "json", blob: base64("1") }],
  },
];

function digestsOf(rows: readonly (typeof ROWS)[number][]): RowDigests {
  const digests = new RowDigests();
  for (const line of rows.flatMap(({ lines }) => lines)) digests.add(line);
  digests.add({ thread: "t", checkpoints: 0, writes: 0, blobs: 0 });
  return digests;
}

it("the rows of a backup are those that are stored, in any order", () => {
  const stored = new RowDigests();
  expect(stored.fingerprint()).toBeUndefined();
  for (const row of ROWS.toReversed()) stored.addStored(row.stored);
  expect(stored.fingerprint()).toBe(digestsOf(ROWS).fingerprint());
  for (const left of ROWS)
    expect(digestsOf(ROWS.filter((row) => row !== left)).fingerprint()).not.toBe(stored.fingerprint());
  const [first, second] = [digestsOf(ROWS.slice(0, 3)), digestsOf(ROWS.slice(2))];
  expect(first.and(second).fingerprint()).toBe(stored.fingerprint());
});

it("a row with another column is another row", () => {
  const digests = digestsOf(ROWS);
  for (const { stored } of ROWS) {
    expect(digests.holds(stored)).toBe(true);
    for (const column of Object.keys(stored).filter((name) => name !== "table")) {
      const other = column === "idx" || column === "whole_bytes" ? 7 : "other";
      expect([column, digests.holds({ ...stored, [column]: other })]).toEqual([column, false]);
    }
  }
});
