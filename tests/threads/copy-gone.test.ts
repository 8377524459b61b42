import { expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { copyThreads } from "../../src/index.js";
import { collect, newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";

/** A saver in which something happens between the list of a thread and the read of its checkpoints. */
class ChangingSaver extends MemorySaver {
  meanwhile: (() => Promise<void>) | undefined;

  override async getTuple(config: RunnableConfig): ReturnType<MemorySaver["getTuple"]> {
    const { meanwhile } = this;
    this.meanwhile = undefined;
    await meanwhile?.();
    return super.getTuple(config);
  }
}

/** Stores two checkpoints. The second one carries a value of the first. */
async function putTwo(saver: MemorySaver, thread: string): Promise<readonly [string, string]> {
  const first = await putValues(saver, threadConfig(thread), { carried: ["a"], changed: 1 });
  const second = await putValues(saver, first.config, { changed: 2 }, first.checkpoint);
  // LangGraph gives the saver all values, and the versions of the new ones.
  return [first.checkpoint.id, second.checkpoint.id];
}

it("copyThreads skips a thread that the source deletes meanwhile", async () => {
  const [source, target] = [new ChangingSaver(), new MemorySaver()];
  const [gone, stays] = [newThread(), newThread()];
  await putTwo(source, gone);
  await putTwo(source, stays);
  source.meanwhile = () => source.deleteThread(gone);
  expect(await copyThreads(source, target)).toEqual({
    ...{ total: 2, threads: 1, checkpoints: 2, skipped: 0 },
    ...{ missing: [gone], damaged: [] },
  });
  expect(await collect(target.list(threadConfig(gone)))).toEqual([]);
});

it("copyThreads skips a checkpoint that the source deletes meanwhile, and its child is complete", async () => {
  const [source, target] = [new ChangingSaver(), new MemorySaver()];
  const thread = newThread();
  const [first, second] = await putTwo(source, thread);
  const before = await source.getTuple(threadConfig(thread));
  source.meanwhile = () => {
    delete source.storage[thread]?.[""]?.[first];
    return Promise.resolve();
  };
  expect(await copyThreads(source, target)).toMatchObject({ threads: 1, checkpoints: 1, missing: [] });
  const copied = await collect(target.list(threadConfig(thread)));
  expect(copied.map(({ checkpoint, parentConfig }) => [checkpoint.id, parentConfig])).toEqual([
    [second, undefined],
  ]);
  expect(copied[0]?.checkpoint.channel_values).toEqual(before?.checkpoint.channel_values);
});
