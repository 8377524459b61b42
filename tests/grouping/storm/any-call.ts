import type { RunnableConfig } from "@langchain/core/runnables";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import type { PostgresSaver } from "../../../src/index.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  nextId,
  threadConfig,
} from "../../../test-support/checkpoints.js";
import { incompressibleText } from "../../../test-support/spliced-values.js";
import type { Random } from "../../chaos/random.js";

/** The most that a call of a group may store is 64 KiB. */
const SIZES = [20, 200, 2_000, 30_000, 65_000, 66_000, 100_000, 250_000];

/** A call of a service, which may be aborted soon. */
export interface AnyCall {
  readonly name: string;
  readonly threadId: string;
  readonly run: () => Promise<unknown>;
  /** Aborts its signal, where it has one that counts for it. */
  readonly abort: (() => void) | undefined;
}

interface Signals {
  readonly options: { signal?: AbortSignal };
  readonly config: { signal?: AbortSignal };
}

/** Draws a call on one of the threads: of any kind, size and signal. */
export function anyCall(random: Random, saver: PostgresSaver, threads: readonly string[]): AnyCall {
  const threadId = random.pick(threads);
  const { signals, abort } = anySignal(random);
  const config = { ...threadConfig(threadId), ...signals.config };
  const calls = {
    put: () => put(random, saver, config, signals),
    putWrites: () =>
      saver.putWrites(
        { ...config, configurable: { ...config.configurable, checkpoint_ns: "", checkpoint_id: nextId() } },
        [["a", anyText(random)]],
        uuid6(0),
        undefined,
        signals.options,
      ),
    getTuple: () => saver.getTuple(config, signals.options),
    list: () => firstOf(saver.list(config, signals.options)),
    deleteThread: () => saver.deleteThread(threadId, signals.options),
    prune: () => saver.prune([threadId], signals.options),
  };
  const names = [
    "put",
    "put",
    "put",
    "putWrites",
    "putWrites",
    "putWrites",
    "getTuple",
    "getTuple",
    "list",
  ] as const;
  const name = random.chance(0.1) ? random.pick(["deleteThread", "prune"] as const) : random.pick(names);
  return { name, threadId, run: calls[name], abort };
}

function put(
  random: Random,
  saver: PostgresSaver,
  config: RunnableConfig,
  { options }: Signals,
): Promise<RunnableConfig> {
  const checkpoint = checkpointOf(saver, { a: anyText(random), n: random.between(0, 9) });
  return saver.put(config, checkpoint, metadataOf(), allVersions(checkpoint), options);
}

/** Some callers stop after the first one. */
async function firstOf(tuples: AsyncIterable<unknown>): Promise<void> {
  for await (const _tuple of tuples) break;
}

function anyText(random: Random): string {
  return incompressibleText(random.pick(SIZES));
}

/** A signal of the call, of its run, or none. */
function anySignal(random: Random): { signals: Signals; abort: (() => void) | undefined } {
  const none: Signals = { options: {}, config: {} };
  if (random.chance(0.6)) return { signals: none, abort: undefined };
  const controller = new AbortController();
  const { signal } = controller;
  const signals = random.chance(0.5) ? { ...none, options: { signal } } : { ...none, config: { signal } };
  return {
    signals,
    abort: () => {
      controller.abort();
    },
  };
}
