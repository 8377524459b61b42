import { expect } from "@jest/globals";
import type { RedisClientType } from "redis";

/** Returns the members of all indexes below a prefix, with their scores, by the keys of the indexes. */
export async function storedIndexes(client: RedisClientType, prefix: string): Promise<object> {
  const keys = await client.keys(`${prefix}*:checkpoints`);
  const indexes = keys.filter((key) => !key.startsWith(`${prefix}checkpoint:`)).sort();
  const members = await Promise.all(indexes.map((key) => client.zRangeWithScores(key, 0, -1)));
  return Object.fromEntries(
    indexes.map((key, n) => [
      key.slice(prefix.length),
      Object.fromEntries((members[n] ?? []).map(({ value, score }) => [value, score])),
    ]),
  );
}

/** Expects every record to be in its indexes and in no others, and nothing else to be in an index. */
export async function expectSoundIndexes(client: RedisClientType, prefix: string): Promise<void> {
  const expected: Record<string, Record<string, number>> = {};
  for (const key of await client.keys(`${prefix}checkpoint:*`)) {
    const { id, metadata, version } = JSON.parse((await client.get(key)) ?? "{}") as RecordJson;
    for (const [kind, scope] of [
      ["execution", metadata?.execution_id],
      ["thread", metadata?.thread_id],
    ]) {
      if (scope !== undefined) (expected[`${kind}:${scope}:checkpoints`] ??= {})[id] = version;
    }
  }
  expect(await storedIndexes(client, prefix)).toEqual(expected);
}

interface RecordJson {
  readonly id: string;
  readonly metadata: { readonly execution_id?: string; readonly thread_id?: string } | null;
  readonly version: number;
}
