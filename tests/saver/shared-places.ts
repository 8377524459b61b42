import { expect } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { type Checkpoint, type CheckpointTuple, TASKS } from "@langchain/langgraph-checkpoint";
import type { PostgresSaver } from "../../src/index.js";
import { allVersions, metadataOf, nextId, threadConfig } from "../../test-support/checkpoints.js";

/** The ids of the checkpoints of every place, oldest first. The last one is not stored at first. */
export const IDS = Array.from({ length: 6 }, nextId);

export interface SharedPlace {
  readonly thread: string;
  readonly ns: string;
  /** How many checkpoints it has. */
  readonly steps: number;
  /** The version of the format. Before version 4 the sends of a checkpoint are writes of its parent. */
  readonly v: number;
}

/** More than have statements of their own at the same time. Neighbours have another number of checkpoints, and another format. */
export const PLACES: readonly SharedPlace[] = ["a", "b", "c"].flatMap((thread, n) =>
  ["", "child", "numbers"].map((ns, m) => ({
    thread,
    ns,
    steps: 2 + ((2 * n + m) % 3),
    v: 3 + ((n + m) % 2),
  })),
);

export const nameOf = ({ thread, ns }: SharedPlace): string => `${thread}/${ns}`;

export function configOf({ thread, ns }: SharedPlace, step?: number): RunnableConfig {
  const id = step === undefined || step === 0 ? {} : { checkpoint_id: IDS[step - 1] };
  return threadConfig(thread, { checkpoint_ns: ns, ...id });
}

/** The checkpoint of a step. Its values name the place. All else is the same in all places, also the versions, as if the graph counted them. */
export function checkpointAt(place: SharedPlace, step: number): Checkpoint {
  const name = nameOf(place);
  return {
    v: place.v,
    id: IDS[step - 1] ?? "",
    ts: "2024-01-01T00:00:00.000Z",
    channel_values: {
      list: [name, step],
      // In the header of each checkpoint, and then nothing needs the parent.
      ...(place.ns === "numbers" ? { count: 7 } : { kept: [name] }),
      // A channel that the later graph doesn't know, and one that later checkpoints have only writes of.
      ...(place.ns !== "numbers" && step === 1 && { unknown: name, delta: [name] }),
    },
    channel_versions:
      place.ns === "numbers" ? { list: step, count: 1 } : { list: step, kept: 1, unknown: 1, delta: step },
    versions_seen: {},
  };
}

function changedAt({ ns }: SharedPlace, step: number): Record<string, number> {
  return ns === "numbers" ? { list: step } : { list: step, delta: step };
}

/** @param parent - The step that it follows. */
export function putStep(
  saver: Pick<PostgresSaver, "put">,
  place: SharedPlace,
  step: number,
  parent = step - 1,
) {
  const checkpoint = checkpointAt(place, step);
  const newVersions = step === 1 ? allVersions(checkpoint) : changedAt(place, step);
  return saver.put(configOf(place, parent), checkpoint, metadataOf(step), newVersions);
}

export async function fill(saver: PostgresSaver, places: readonly SharedPlace[]): Promise<void> {
  for (let step = 1; step <= IDS.length; step++) {
    const having = places.filter(({ steps }) => steps >= step);
    await Promise.all(having.map((place) => putStep(saver, place, step)));
    await Promise.all(
      having.map((place) => {
        const send = { lg_name: "Send", node: nameOf(place), args: step };
        const writes: [string, unknown][] = [
          [place.ns === "numbers" ? "list" : "delta", [nameOf(place), step]],
          [TASKS, send],
        ];
        return saver.putWrites(configOf(place, step), writes, "task");
      }),
    );
  }
}

/** What a tuple holds that no other step of its place has. */
export function partsOf(tuple: CheckpointTuple | undefined): unknown {
  const { list, [TASKS]: sends }: Record<string, unknown> = tuple?.checkpoint.channel_values ?? {};
  return {
    ...{ id: tuple?.checkpoint.id, parent: tuple?.parentConfig?.configurable?.checkpoint_id as unknown },
    ...{ list, sends, writes: tuple?.pendingWrites },
  };
}

export function partsAt(place: SharedPlace, step: number): unknown {
  const name = nameOf(place);
  const send = (by: number): unknown => expect.objectContaining({ node: name, args: by });
  return {
    ...{ id: IDS[step - 1], parent: step === 1 ? undefined : IDS[step - 2], list: [name, step] },
    sends: place.v < 4 && step > 1 ? [send(step - 1)] : undefined,
    writes: [
      ["task", place.ns === "numbers" ? "list" : "delta", [name, step]],
      ["task", TASKS, send(step)],
    ],
  };
}
