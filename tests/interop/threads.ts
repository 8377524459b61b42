import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { type BaseCheckpointSaver, Command } from "@langchain/langgraph";
import { isDeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { describeAsJson } from "../../src/serde/test-support/describe.js";
import { nextId, putValues } from "../../test-support/checkpoints.js";
import { describeServer } from "../../test-support/targets.js";
import { deferred, deltas, fanOut, parallel, sideBySide, talk } from "./agents.js";
import { messageFields } from "./message-fields.js";
import { configOf, type ThreadConfig, TwoLanguages } from "./two-languages.js";

const messagesShape = z.object({
  values: z.object({ messages: z.array(z.record(z.string(), z.unknown())) }).loose(),
  next: z.array(z.string()),
});

type ReadableAgent = (checkpointer: BaseCheckpointSaver) => {
  getState(config: ThreadConfig): Promise<{ readonly values: unknown }>;
};

/** Threads that both languages continue alternately. */
export function describeThreads(interpreter: string): void {
  describeServer("a thread of both languages", (target) => {
    let both: TwoLanguages;
    beforeAll(async () => {
      both = await TwoLanguages.start(target, interpreter);
    });
    afterAll(() => both.end());

    async function expectAlike(thread: string, texts: readonly string[]): Promise<void> {
      expect(await both.python.do("compare", { thread })).toEqual({ differences: [] });
      const there = messagesShape.parse(await both.stateInPython("talk", thread, ["messages"]));
      const here = await talk(both.saver).getState(configOf(thread));
      const { messages } = z.object({ messages: z.array(z.custom<BaseMessage>()) }).parse(here.values);
      expect(messages.map(messageFields)).toEqual(there.values.messages.map(messageFields));
      expect(messages.filter((message) => message.type === "human").map(({ content }) => content)).toEqual(
        texts,
      );
      expect(here.next).toEqual(there.next);
    }

    async function valuesOf(agent: ReadableAgent, thread: string): Promise<Record<string, unknown>> {
      const { values } = await agent(both.saver).getState(configOf(thread));
      return z.record(z.string(), z.unknown()).parse(values);
    }

    async function baggageOf(thread: string): Promise<unknown> {
      return describeAsJson((await valuesOf(talk, thread)).baggage);
    }

    const says = (text: string) => ({ messages: [new HumanMessage({ content: text, id: text })] });

    it("that begins in Python continues in either language, with interrupts that the other language answers", async () => {
      const thread = "talk";
      await both.runInPython("talk", thread, { say: "one" });
      await expectAlike(thread, ["one"]);
      const baggage = await baggageOf(thread);

      expect(await both.runHere(talk, thread, new Command({ resume: "two" }))).toEqual({
        ran: ["ask"],
        failed: null,
      });
      await expectAlike(thread, ["one", "two"]);
      expect((await both.runHere(talk, thread, says("three"))).ran).toEqual(["carry", "look_up"]);
      await expectAlike(thread, ["one", "two", "three"]);
      expect(await baggageOf(thread)).toEqual(baggage);

      expect((await both.runInPython("talk", thread, { resume: "four" })).ran).toEqual(["ask"]);
      expect((await both.runInPython("talk", thread, { say: "five" })).ran).toEqual(["carry", "look_up"]);
      await expectAlike(thread, ["one", "two", "three", "four", "five"]);
      expect(await baggageOf(thread)).toEqual(baggage);

      expect((await both.runHere(talk, thread, new Command({ resume: "six" }))).ran).toEqual(["ask"]);
      await both.runHere(talk, thread, says("seven"));
      await both.runHere(talk, thread, new Command({ resume: "eight" }));
      await expectAlike(thread, ["one", "two", "three", "four", "five", "six", "seven", "eight"]);
      expect(await baggageOf(thread)).toEqual(baggage);
    });

    it("that begins in TypeScript continues in Python, and back", async () => {
      const thread = "talk-from-here";
      await both.runHere(talk, thread, says("one"));
      await both.runInPython("talk", thread, { resume: "two" });
      await both.runInPython("talk", thread, { say: "three" });
      await both.runHere(talk, thread, new Command({ resume: "four" }));
      await both.runInPython("talk", thread, { say: "five" });
      await expectAlike(thread, ["one", "two", "three", "four", "five"]);
    });

    it("runs the Sends of one language in the other", async () => {
      const log = ["in", "split", "work 0 at 0", "work 1 at 1", "work 2 at 2"];
      await both.runInPython("fan_out", "sent-there", { input: { log: ["in"] } });
      expect((await both.runHere(fanOut, "sent-there", null)).ran).toEqual(["work", "work", "work"]);
      await both.runHere(fanOut, "sent-here", { log: ["in"] });
      expect((await both.runInPython("fan_out", "sent-here")).ran).toEqual(["work", "work", "work"]);
      for (const thread of ["sent-here", "sent-there"]) {
        expect(await both.stateInPython("fan_out", thread, ["log"])).toMatchObject({
          values: { log },
          next: [],
        });
        expect((await fanOut(both.saver).getState(configOf(thread))).values).toEqual({ log });
      }
    });

    it("continues in either language after a step that failed in the other, and has every result once", async () => {
      // Each engine derives the ids of tasks in its own way, so a task that finished in the other engine runs again.
      const again = { ran: ["join", "left", "right"], failed: null };
      const failure = { ran: ["left", "right"], failed: "right is broken" };
      const input = { log: ["in"] };

      expect(await both.runInPython("parallel", "failed-there", { input, broken: ["right"] })).toEqual(
        failure,
      );
      expect(await both.runHere(parallel, "failed-there", null)).toEqual(again);
      expect(await both.runHere(parallel, "failed-here", input, ["right"])).toEqual(failure);
      expect(await both.runInPython("parallel", "failed-here")).toEqual(again);
      for (const thread of ["failed-here", "failed-there"]) {
        const values = await valuesOf(parallel, thread);
        expect(values).toEqual({ log: ["in", "left", "right", "join"] });
        expect(await both.stateInPython("parallel", thread, ["log"])).toMatchObject({ values, next: [] });
      }
    });

    it("continues in the language of the failed step without running finished nodes again", async () => {
      const input = { log: ["in"] };
      await both.runInPython("parallel", "failed-before", { input, broken: ["right"] });
      await parallel(both.saver).getState(configOf("failed-before"));
      expect((await both.runInPython("parallel", "failed-before")).ran).toEqual(["join", "right"]);
    });

    it("with deferred nodes continues in either language, before and after they ran", async () => {
      const thread = "deferred";
      const round = ["in", "first", "second", "joined", "last"];
      const begins = ["first"];
      const ends = ["joined", "last", "second"];
      const input = { log: ["in"] };
      expect((await both.runHere(deferred, thread, input)).ran).toEqual(begins);
      expect((await both.runInPython("deferred", thread)).ran).toEqual(ends);
      expect((await both.runInPython("deferred", thread, { input })).ran).toEqual(begins);
      expect((await both.runHere(deferred, thread, null)).ran).toEqual(ends);
      const values = { log: [...round, ...round] };
      expect(await valuesOf(deferred, thread)).toEqual(values);
      expect(await both.stateInPython("deferred", thread, ["log"])).toMatchObject({ values, next: [] });
      expect((await both.runInPython("deferred", thread, { input })).ran).toEqual(begins);
    });

    it("with a subgraph in Python can be read in TypeScript, in the namespace of the subgraph", async () => {
      await both.runInPython("nested", "nested-read", { input: { log: ["in"] } });
      const states: unknown[] = [];
      for await (const { config, checkpoint } of both.saver.list(configOf("nested-read"))) {
        if (config.configurable?.checkpoint_ns === "") continue;
        states.push(describeAsJson(checkpoint.channel_values.own));
      }
      expect(states[0]).toEqual({ python: "2 application.Point", value: { x: 1, y: 2 } });
    });

    it("reads a delta channel like a plain channel, whichever language wrote the writes and snapshots", async () => {
      for (const round of ["1", "2", "3"]) {
        const [there, here] = [`there ${round}`, `here ${round}`];
        await both.runInPython("deltas", "deltas", { input: { delta: [there], plain: [there] } });
        await both.runHere(deltas, "deltas", { delta: [here], plain: [here] });
      }
      const values = await valuesOf(deltas, "deltas");
      const { delta, plain } = z
        .object({ delta: z.array(z.string()), plain: z.array(z.string()) })
        .parse(values);
      expect(delta).toHaveLength(18);
      expect(delta).toEqual(plain);
      expect(await both.stateInPython("deltas", "deltas", ["delta", "plain"])).toMatchObject({ values });
      const there = await both.python.do("history", { agent: "deltas", thread: "deltas", key: "delta" });
      expect(there).toEqual(
        await both.python.do("history", { agent: "deltas", thread: "deltas", key: "plain" }),
      );

      const snapshots: unknown[] = [];
      for await (const { checkpoint } of both.saver.list(configOf("deltas")))
        if (isDeltaSnapshot(checkpoint.channel_values.delta))
          snapshots.push(checkpoint.channel_values.delta.value);
      expect(snapshots.length).toBeGreaterThan(2);
    });

    it("keeps the order of parallel writes to a delta channel in either language", async () => {
      const input = { delta: ["in"], plain: ["in"] };
      const expected = { delta: ["in", "left", "middle", "right"], plain: ["in", "left", "middle", "right"] };
      // In the order of the task ids, one run in six would be right by chance.
      for (const round of ["1", "2", "3", "4"]) {
        const [there, here] = [`beside-there-${round}`, `beside-here-${round}`];
        await both.runInPython("side_by_side", there, { input });
        expect(await valuesOf(sideBySide, there)).toEqual(expected);
        await both.runHere(sideBySide, here, input);
        const values = await valuesOf(sideBySide, here);
        expect(await both.stateInPython("side_by_side", here, ["delta", "plain"])).toMatchObject({ values });
      }
    });

    it("stores numbers and strings that JSONB lacks in blobs, which Python reads but can't store at the top level", async () => {
      const values: readonly (readonly [value: unknown, inPython: string, refused: string | null])[] = [
        [Number.NaN, "nan", "22P02"],
        [Infinity, "inf", "22P02"],
        [-Infinity, "-inf", "22P02"],
        ["a\0b", String.raw`'a\x00b'`, "22P05"],
        [[Number.NaN, -Infinity, "a\0b"], String.raw`[nan, -inf, 'a\x00b']`, null],
      ];
      for (const [index, [value, inPython, refused]] of values.entries()) {
        const thread = `not-in-jsonb-${index}`;
        const { config } = await putValues(both.saver, configOf(thread), { value });
        expect((await both.saver.getTuple(config))?.checkpoint.channel_values).toEqual({ value });
        expect(await both.python.do("follow", { thread, checkpoint: nextId() })).toEqual({
          values: { value: inPython },
          refused,
        });
      }
      const headers = `select checkpoint from checkpoints where thread_id like 'not-in-jsonb-%'
        and checkpoint ? 'channel_values' and checkpoint -> 'channel_values' <> '{}'`;
      expect(await both.database.query(headers)).toEqual([]);
    });

    it("can be forked in both languages, and every branch has its own values in both", async () => {
      const thread = "forked";
      await both.runInPython("parallel", thread, { input: { log: ["in"] } });
      await both.python.do("fork", {
        agent: "parallel",
        thread,
        before: "join",
        update: { log: ["forked there"] },
        as: "right",
      });
      const agent = parallel(both.saver);
      for await (const state of agent.getStateHistory(configOf(thread))) {
        if (!state.next.includes("join")) continue;
        await agent.invoke(null, await agent.updateState(state.config, { log: ["forked here"] }, "right"));
        break;
      }

      const here: unknown[] = [];
      for await (const { values } of agent.getStateHistory(configOf(thread)))
        here.push(z.object({ log: z.unknown() }).parse(values).log ?? null);
      const there = await both.python.do("history", { agent: "parallel", thread, key: "log" });
      expect(there).toEqual({ history: here });
      const ended = ["in", "left", "right", "join"];
      const inPython = [...ended.slice(0, 3), "forked there"];
      expect(here).toEqual(expect.arrayContaining([ended, [...inPython, "join"]]));
      expect(here[0]).toEqual([...inPython, "forked here", "join"]);
    });
  });
}
