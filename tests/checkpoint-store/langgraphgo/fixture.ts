import { readFileSync } from "node:fs";
import { z } from "zod";
import type { ExecutionCheckpoint } from "../../../src/checkpoint-store/index.js";

/** The versions of langgraphgo whose stores wrote the fixtures. */
export const GO_VERSIONS = ["v0.5.0", "v0.8.5"] as const;

export type GoVersion = (typeof GO_VERSIONS)[number];

const records = z.array(
  z.object({
    id: z.string(),
    node_name: z.string(),
    state: z.unknown(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    timestamp: z.string(),
    version: z.number(),
  }),
);

/** Integers of Go beyond those of a double, which `JSON.parse` would round. */
const INTEGERS = {
  max: 2n ** 63n - 1n,
  min: -(2n ** 63n),
  unsigned: 2n ** 64n - 1n,
  odd: 2n ** 53n + 1n,
  even: 2 ** 53 + 2,
  safe: 2 ** 53 - 1,
};

/** Returns the text of a fixture. */
export function readFixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/langgraphgo/${name}`, import.meta.url), "utf8");
}

/** Returns the checkpoints that Go saved, as a store should return them. Of two with the same id Go saved the second one later. */
export function goCheckpoints(version: GoVersion): ExecutionCheckpoint[] {
  const saved = records.parse(JSON.parse(readFixture(`records-${version}.json`)));
  const byId = new Map(
    saved.map(({ id, node_name: nodeName, state, metadata, timestamp, version: number }) => [
      id,
      {
        id,
        nodeName,
        state: id === "value_integers" ? INTEGERS : state,
        metadata,
        timestamp: new Date(timestamp),
        version: number,
      },
    ]),
  );
  return [...byId.values()];
}
