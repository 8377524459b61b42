import { z } from "zod";
import { listThreadRows } from "../../threads/queries/list-thread-rows.js";
import type { MetadataSuggestion } from "../api/threads.js";
import type { CallRun } from "../calls/call-definition.js";

/** How many threads are looked at. */
const MAX_THREADS = 200;
const MAX_VALUES = 8;
const MAX_NAMES = 20;
const MAX_LENGTH = 100;

const EVERYWHERE = { after: undefined, filter: undefined, unlike: undefined, updatedAfter: undefined };
const scalar = z.union([z.string().max(MAX_LENGTH), z.number(), z.boolean()]);
const metadata = z.record(z.string().max(MAX_LENGTH), z.unknown()).catch({});

/** Suggests what the metadata of threads may contain: the names in that of some threads, with the values that most of them have. */
export async function suggestMetadata({ call }: CallRun): Promise<MetadataSuggestion[]> {
  const rows = await listThreadRows(call, EVERYWHERE, MAX_THREADS);
  const counts = new Map<string, Map<string, number>>();
  for (const { metadata: text } of rows) {
    for (const [name, value] of Object.entries(metadata.parse(JSON.parse(text ?? "null")))) {
      const found = scalar.safeParse(value);
      if (!found.success) continue;
      const ofName = counts.get(name) ?? new Map<string, number>();
      counts.set(name, ofName);
      const json = JSON.stringify(found.data);
      ofName.set(json, (ofName.get(json) ?? 0) + 1);
    }
  }
  return mostCommon(counts, ([, values]) => sum([...values.values()]), MAX_NAMES).map(([name, values]) => ({
    name,
    values: mostCommon(values, ([, count]) => count, MAX_VALUES).map(([json]) =>
      scalar.parse(JSON.parse(json)),
    ),
  }));
}

function mostCommon<Key, Value>(
  map: ReadonlyMap<Key, Value>,
  countOf: (entry: readonly [Key, Value]) => number,
  max: number,
): (readonly [Key, Value])[] {
  return [...map].sort((a, b) => countOf(b) - countOf(a)).slice(0, max);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}
