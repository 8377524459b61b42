import { randomUUID } from "node:crypto";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Annotation, END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import {
  completeInput,
  type EstimateInput,
  type EstimateOptions,
} from "../../src/estimate/estimate-input.js";
import type { PostgresSaverOptions } from "../../src/index.js";
import type { BenchDatabase } from "../bench-server.js";
import { record, variedText } from "../scenarios/sample-data.js";
import type { Saver } from "../subjects.js";
import { inRandomOrder } from "./in-random-order.js";
import { SyntheticThread } from "./synthetic-thread.js";
import { valueOf } from "./values.js";

/** A fleet that is stored, so that what an estimate says can be compared with what is there. */
export interface KnownFleet {
  readonly name: string;
  /** The options of its saver. */
  readonly options: Pick<PostgresSaverOptions, "splices" | "keepLast">;
  /** Stores the fleet, and returns the inputs of its estimate. */
  store(saver: Saver, database: Pick<BenchDatabase, "query" | "exec">): Promise<EstimateInput>;
}

/** The fleets of a comparison. None of their sizes is one of the measured points. */
export function knownFleets(quick: boolean): KnownFleet[] {
  const of = (full: number) => (quick ? 5 : full);
  const state = { channels: 8, changed: 1, valueBytes: 2_500, messageBytes: 0, content: "text" } as const;
  const wide = { channels: 20, changed: 4, valueBytes: 700, messageBytes: 0, content: "random" } as const;
  const chat = { channels: 8, changed: 1, valueBytes: 300, messageBytes: 900, content: "text" } as const;
  return [
    synthetic("a state of 2.5 kB", { ...state, threads: of(100), checkpointsPerThread: of(40) }),
    synthetic("four values of 700 random bytes", { ...wide, threads: of(100), checkpointsPerThread: of(40) }),
    synthetic("a list of messages, whole", { ...chat, threads: of(40), checkpointsPerThread: of(100) }),
    synthetic("a list of messages, with splices", {
      ...{ ...chat, threads: of(40), checkpointsPerThread: of(100), splices: true },
    }),
    synthetic("the newest 20 states of 2.5 kB", {
      ...{ ...state, threads: of(100), checkpointsPerThread: of(60), keepLast: 20 },
    }),
    synthetic("the newest 10 lists of messages, with splices", {
      ...{ ...chat, threads: of(60), checkpointsPerThread: of(80), splices: true, keepLast: 10 },
    }),
    graph("a graph of LangGraph with messages, whole", of(20), of(25), false),
    graph("a graph of LangGraph with messages, with splices", of(20), of(25), true),
  ];
}

/**
 * Threads of the shape that an estimate assumes.
 *
 * @param atOnce - The number of threads that store something at the same time. Where several sessions wait for a new page, Postgres adds
 *   up to 64 and spreads the next rows over them, half a megabyte that counts in a small table.
 */
export function synthetic(name: string, options: EstimateOptions, atOnce?: number): KnownFleet {
  const input = completeInput(options);
  const { threads, checkpoints, channels, changed, valueBytes, messageBytes, content } = input;
  const { splices, keepLast } = input;
  return {
    ...{ name, options: { splices, keepLast } },
    store: async (saver, database) => {
      const all = Array.from({ length: threads }, () => ({
        thread: new SyntheticThread(saver, channels),
        messages: [] as unknown[],
      }));
      // As autovacuum does, when a fifth of the rows is dead.
      const vacuumEvery = keepLast === undefined ? Infinity : Math.max(1, Math.floor(keepLast / 5)) * threads;
      const step = async ({ thread, messages }: (typeof all)[number], call: number): Promise<void> => {
        if ((call + 1) % vacuumEvery === 0) await database.exec("vacuum");
        const message = valueOf(content, messageBytes, call)[0];
        if (messageBytes > 0) messages.push(message);
        const values = Object.fromEntries(
          Array.from({ length: changed }, (_, index) => [
            `channel_${index}`,
            valueOf(content, valueBytes, call * changed + index),
          ]),
        );
        const growing = messageBytes > 0 ? { messages: [message] } : {};
        await thread.putWrites([...Object.entries({ ...growing, ...values }), [thread.nextTrigger, null]]);
        await thread.put({
          values: { ...(messageBytes > 0 ? { messages: [...messages] } : {}), ...values },
          triggers: true,
        });
      };
      await inRandomOrder(all, checkpoints / threads, step, atOnce);
      return input;
    },
  };
}

const stored = z.object({
  ...{ checkpoints: z.coerce.number(), channels: z.coerce.number() },
  ...{ plan: z.coerce.number(), message: z.coerce.number() },
});

/** A graph of two nodes, each of which appends a message and replaces a value. The inputs are what it has stored. */
function graph(name: string, threads: number, loops: number, splices: boolean): KnownFleet {
  return {
    ...{ name, options: { splices } },
    store: async (saver, database) => {
      const agent = compiledGraph(saver, loops);
      const ids = Array.from({ length: threads }, () => randomUUID());
      await inRandomOrder(ids, 1, async (thread_id) => {
        await agent.invoke(
          { messages: [new HumanMessage({ id: randomUUID(), content: variedText(900) })] },
          { configurable: { thread_id }, recursionLimit: loops * 2 + 5 },
        );
      });
      const [found] = await database.query(`
        select count(*) as checkpoints,
          max((select count(*) from jsonb_object_keys(checkpoint -> 'channel_versions'))) as channels,
          (select avg(length(blob)) from checkpoint_blobs where channel = 'plan' and blob is not null) as plan,
          (select avg(length(blob)) from checkpoint_writes where channel = 'messages') as message
        from checkpoints`);
      const { checkpoints, channels, plan, message } = stored.parse(found);
      return completeInput({
        ...{ threads, checkpoints, channels, changed: 1, valueBytes: plan, messageBytes: message, splices },
      });
    },
  };
}

function compiledGraph(checkpointer: Saver, loops: number) {
  const State = Annotation.Root({
    ...MessagesAnnotation.spec,
    plan: Annotation<Record<string, unknown>>(),
  });
  const node = ({ messages }: typeof State.State) => ({
    messages: [new AIMessage({ id: randomUUID(), content: variedText(900, messages.length) })],
    plan: record(1_200, messages.length, variedText),
  });
  return new StateGraph(State)
    .addNode("agent", node)
    .addNode("tools", node)
    .addEdge(START, "agent")
    .addEdge("agent", "tools")
    .addConditionalEdges("tools", ({ messages }) => (messages.length > loops * 2 ? END : "agent"))
    .compile({ checkpointer });
}
