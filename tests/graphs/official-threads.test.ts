import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import {
  Annotation,
  type BaseCheckpointSaver,
  Command,
  interrupt,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { PostgresSaver as OfficialSaver } from "@langchain/langgraph-checkpoint-postgres";
import pg from "pg";
import { PostgresSaver } from "../../src/index.js";
import { JsonSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import { describeServer, onOneServer } from "../../test-support/targets.js";
import { historyOf, stateBefore } from "./support/history.js";
import type { Thread } from "./support/describe-graphs.js";

const TalkState = Annotation.Root({
  ...MessagesAnnotation.spec,
  facts: Annotation<Record<string, unknown>>,
});

const facts = { seen: new Set(["a"]), sizes: new Map([["b", 1]]), nothing: undefined, text: "é" };

/** A conversation that interrupts at the end of each run. */
function talk(checkpointer: BaseCheckpointSaver) {
  return new StateGraph(TalkState)
    .addNode("reply", ({ messages }) => ({
      messages: [new AIMessage({ id: randomUUID(), content: `reply ${messages.length}` })],
      facts: { ...facts, length: messages.length },
    }))
    .addNode("ask", () => ({ messages: [new HumanMessage({ id: randomUUID(), content: answered() })] }))
    .addEdge(START, "reply")
    .addEdge("reply", "ask")
    .compile({ checkpointer });
}

function answered(): string {
  return String(interrupt("more?"));
}

function says(content: string): { messages: BaseMessage[] } {
  return { messages: [new HumanMessage({ id: randomUUID(), content })] };
}

const LAYOUTS: readonly (readonly [string, () => SerializerProtocol])[] = [
  ["MessagePack", () => new MsgpackSerializer()],
  ["JSON", () => new JsonSerializer()],
];

const FIRST_RUN = ["hello", "reply 1", "no"].map((content) => ({ content }));

onOneServer("it refuses the official saver's statements", describeServer)(
  "a thread that the official saver began",
  (server) => {
    let official: OfficialSaver;
    let pool: pg.Pool;
    let url: string;
    let thread: Thread;
    beforeAll(async () => {
      url = (await server.createDatabase()).source;
      // Without a listener for errors the pool would end the process when the database is dropped.
      pool = new pg.Pool({ connectionString: url });
      pool.on("error", () => undefined);
      official = new OfficialSaver(pool);
      await official.setup();
    });
    afterAll(() => pool.end());
    beforeEach(async () => {
      thread = { configurable: { thread_id: randomUUID() } };
      await talk(official).invoke(says("hello"), thread);
    });

    describe.each(LAYOUTS)("with this saver writing %s", (_layout, createSerializer) => {
      let ours: PostgresSaver;
      beforeAll(async () => {
        ours = new PostgresSaver(url, createSerializer());
        await ours.setup();
      });
      afterAll(() => ours.end());

      it("is read with equal values by both savers", async () => {
        await talk(official).invoke(new Command({ resume: "no" }), thread);

        const theirs = await historyOf(talk(official), thread);

        expect(theirs).toHaveLength(4);
        expect(await historyOf(talk(ours), thread)).toEqual(theirs);
      });

      it("is resumed from its interrupt, and continues with increasing versions", async () => {
        await talk(ours).invoke(new Command({ resume: "no" }), thread);
        expect((await talk(ours).getState(thread)).values).toMatchObject({ messages: FIRST_RUN, facts });
        await talk(ours).invoke(says("again"), thread);

        expect((await talk(ours).getState(thread)).values).toMatchObject({
          messages: [...FIRST_RUN, { content: "again" }, { content: "reply 4" }],
          facts: { ...facts, length: 4 },
        });
        const versions: number[] = [];
        for await (const { checkpoint } of ours.list(thread)) {
          versions.push(Number(checkpoint.channel_versions.messages ?? 0));
        }
        expect(versions).toEqual([...versions].sort((a, b) => b - a));
        expect(versions.every((version) => version < 100)).toBe(true);
      });

      it("can be forked into branches with their own values", async () => {
        const base = await stateBefore(talk(ours), thread, "reply");
        const heads: { branch: string; config: Thread }[] = [];
        for (const branch of ["left", "right"]) {
          const forked = await talk(ours).updateState(base.config, says(branch));
          await talk(ours).invoke(null, forked);
          await talk(ours).invoke(new Command({ resume: `${branch} answer` }), thread);
          const { config } = await talk(ours).getState(thread);
          heads.push({ branch, config: { configurable: { thread_id: "", ...config.configurable } } });
        }

        for (const { branch, config } of heads) {
          expect((await talk(ours).getState(config)).values).toMatchObject({
            messages: ["hello", branch, "reply 2", `${branch} answer`].map((content) => ({ content })),
          });
        }
        const original = await talk(ours).getState((await stateBefore(talk(ours), thread, "reply")).config);
        expect(original.values).toMatchObject({ messages: [{ content: "hello" }, { content: "right" }] });
      });
    });

    it("can be continued by the official saver after this saver wrote JSON to it", async () => {
      const ours = new PostgresSaver(url, new JsonSerializer());
      await talk(ours).invoke(new Command({ resume: "no" }), thread);
      await talk(ours).invoke(says("again"), thread);
      const written = await historyOf(talk(ours), thread);
      await ours.end();

      expect(await historyOf(talk(official), thread)).toEqual(written);
      await talk(official).invoke(new Command({ resume: "bye" }), thread);
      expect((await talk(official).getState(thread)).values).toMatchObject({
        messages: [...FIRST_RUN, ...["again", "reply 4", "bye"].map((content) => ({ content }))],
        facts: { ...facts, length: 4 },
      });
    });

    it("of this saver with JSON is continued by the official saver too", async () => {
      const ours = new PostgresSaver(url, new JsonSerializer());
      const own = { configurable: { thread_id: randomUUID() } };
      await talk(ours).invoke(says("hello"), own);
      await ours.end();

      expect((await talk(official).getState(own)).tasks).toMatchObject([
        { interrupts: [{ value: "more?" }] },
      ]);
      await talk(official).invoke(new Command({ resume: "no" }), own);

      expect((await talk(official).getState(own)).values).toMatchObject({ messages: FIRST_RUN, facts });
    });

    it("fails in the official saver while it has splices, and is continued by it after they are expanded", async () => {
      const ours = new PostgresSaver(url, new JsonSerializer(), { splices: true });
      await ours.setup();
      const long = "long ".repeat(1_000);
      await talk(ours).invoke(new Command({ resume: long }), thread);
      await talk(ours).invoke(says("again"), thread);
      const written = await historyOf(talk(ours), thread);

      const unknown = "Unknown serialization type: json-splice";
      await expect(talk(official).getState(thread)).rejects.toThrow(unknown);
      await expect(historyOf(talk(official), thread)).rejects.toThrow(unknown);
      await expect(talk(official).invoke(new Command({ resume: "bye" }), thread)).rejects.toThrow(unknown);
      expect(await historyOf(talk(ours), thread)).toEqual(written);

      await ours.expand({ threads: [thread.configurable.thread_id] });
      await ours.end();
      expect(await historyOf(talk(official), thread)).toEqual(written);
      await talk(official).invoke(new Command({ resume: "bye" }), thread);
      expect((await talk(official).getState(thread)).values).toMatchObject({
        messages: ["hello", "reply 1", long, "again", "reply 4", "bye"].map((content) => ({ content })),
      });
    });
  },
);
