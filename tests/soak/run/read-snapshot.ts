import { archiveFolder, PostgresSaver } from "../../../src/index.js";
import { PostgresStore } from "../../../src/store/index.js";
import type { SoakSnapshot } from "../laws/check-soak.js";
import type { SoakHistory } from "../laws/soak-history.js";

/** Restores what was archived, and reads what the laws are about. */
export async function readSnapshot(
  { threads, items: acknowledged }: SoakHistory,
  { url, archive }: { readonly url: string; readonly archive: string },
): Promise<SoakSnapshot> {
  await using saver = new PostgresSaver(url);
  await using store = new PostgresStore(url);
  const kept = [...threads].filter(([, { place }]) => place !== "deleted");
  const moved = kept.filter(([, { place }]) => place !== "stored").map(([id]) => id);
  if (moved.length > 0) await saver.restore({ from: archiveFolder(archive), threads: moved });
  const turns = new Map<string, readonly string[]>();
  for (const [id] of kept) {
    const tuple = await saver.getTuple({ configurable: { thread_id: id } });
    turns.set(id, (tuple?.checkpoint.channel_values.turns as string[] | undefined) ?? []);
  }
  const items = new Map<number, ReadonlySet<number>>();
  for (const [user, numbers] of acknowledged) {
    const found = await Promise.all(
      numbers.map((number) => store.get(["soak", String(user)], String(number))),
    );
    items.set(user, new Set(found.flatMap((item) => (item === null ? [] : [item.value.number as number]))));
  }
  const { problems } = await saver.verify();
  return {
    turns,
    items,
    problems: problems
      .filter(({ severity }) => severity === "error")
      .map(({ threadId, message }) => `verify, thread ${threadId}: ${message}`),
  };
}
