import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { type BaseCheckpointSaver, Command, INTERRUPT } from "@langchain/langgraph";
import { z } from "zod";
import { describeServer } from "../../test-support/targets.js";
import { form, interview, nested, panel, workflow } from "./agents.js";
import { type Agent, configOf, type ThreadConfig, TwoLanguages } from "./two-languages.js";

/** A question as both languages store it. Python always has a field for a schema, TypeScript only if there is one. */
const question = z.object({ id: z.string(), value: z.unknown() });
type Question = z.infer<typeof question>;

const snapshotShape = z.object({
  values: z.unknown(),
  tasks: z.array(z.object({ interrupts: z.array(z.unknown()) })),
});

type AskingAgent = (
  checkpointer: BaseCheckpointSaver,
) => ReturnType<Agent<unknown>> & { getState(config: ThreadConfig): Promise<unknown> };

/** An agent that interrupts: its name in Python, its function here, and its input. */
type Asking = readonly [name: string, agent: AskingAgent, input: unknown];

const DIRECTIONS = [
  ["here", "there"],
  ["there", "here"],
] as const;

const LOG = { log: ["in"] };
const FORM: Asking = ["form", form, LOG];
const NESTED: Asking = ["nested", nested, LOG];
const PANEL: Asking = ["panel", panel, LOG];
const WORKFLOW: Asking = ["workflow", workflow, "cats"];
const INTERVIEW: Asking = ["interview", interview, "who?"];

/** Removes duplicates: a task and the task that called it store the same question with the same id. */
function distinct(asked: unknown): Question[] {
  const byId = z
    .array(question)
    .parse(asked)
    .map((one) => [one.id, one] as const);
  return [...new Map(byId).values()];
}

/** Questions that one language asks and the other answers. */
export function describeQuestions(interpreter: string): void {
  describeServer("a question of one language in the other language", (target) => {
    let both: TwoLanguages;
    let threads = 0;
    beforeAll(async () => {
      both = await TwoLanguages.start(target, interpreter);
    });
    afterAll(() => both.end());

    const newThread = () => `question ${(threads += 1)}`;

    /** All questions of both languages since the newest checkpoint, as docs/interop.md describes. */
    async function askedSoFar(thread: string): Promise<Question[]> {
      const tuple = await both.saver.getTuple(configOf(thread));
      const writes = (tuple?.pendingWrites ?? []).filter(([, channel]) => channel === INTERRUPT);
      return distinct(writes.flatMap(([, , value]) => value));
    }

    async function askedSoFarInPython(thread: string): Promise<Question[]> {
      return distinct((await both.python.do("questions", { thread })).questions);
    }

    /** The state as one language reads it. */
    const state = {
      here: async ([, agent]: Asking, thread: string) => {
        const snapshot = snapshotShape.parse(await agent(both.saver).getState(configOf(thread)));
        // The engine before 1.7 reads the list that Python wrote as one question.
        const questions = snapshot.tasks.flatMap(({ interrupts }) => interrupts.flat());
        return { values: snapshot.values, questions: distinct(questions) };
      },
      there: async ([name]: Asking, thread: string, keys: readonly string[] = []) => {
        const { values, questions } = await both.stateInPython(name, thread, keys);
        return { values, questions: distinct(questions) };
      },
    };

    async function expectValues(
      asking: Asking,
      thread: string,
      values: Record<string, unknown>,
    ): Promise<void> {
      const ended = { values, questions: [] };
      expect(await state.here(asking, thread)).toEqual(ended);
      expect(await state.there(asking, thread, Object.keys(values))).toEqual(ended);
    }

    const start = {
      here: ([, agent, input]: Asking, thread: string) => both.runHere(agent, thread, input),
      there: ([name, , input]: Asking, thread: string) => both.runInPython(name, thread, { input }),
    };
    const answer = {
      here: ([, agent]: Asking, thread: string, resume: unknown) =>
        both.runHere(agent, thread, new Command({ resume })),
      there: ([name]: Asking, thread: string, resume: unknown) => both.runInPython(name, thread, { resume }),
    };

    it.each([
      ["a node", FORM],
      ["a subgraph", NESTED],
      ["two nodes of a subgraph", PANEL],
      ["a workflow", WORKFLOW],
      ["a task of a workflow", INTERVIEW],
    ])(
      "from %s is among the writes in both languages, and in the state of the language that asked",
      async (_who, asking) => {
        for (const side of ["here", "there"] as const) {
          const thread = newThread();
          await start[side](asking, thread);
          const asked = await askedSoFar(thread);
          expect(asked).not.toEqual([]);
          expect(await askedSoFarInPython(thread)).toEqual(asked);
          expect((await state.here(asking, thread)).questions).toEqual(side === "here" ? asked : []);
          expect((await state.there(asking, thread)).questions).toEqual(side === "there" ? asked : []);
        }
      },
    );

    it.each([
      ["a workflow", WORKFLOW, ["search", "workflow"], { found: "about cats", answer: "yes" }],
      ["a task of a workflow", INTERVIEW, ["ask", "interview"], { answer: "yes" }],
    ] as const)(
      "from %s can be answered, and finished tasks run again",
      async (_who, asking, ran, values) => {
        for (const [asker, answerer] of DIRECTIONS) {
          const thread = newThread();
          await start[asker](asking, thread);
          expect(await answer[answerer](asking, thread, "yes")).toEqual({ ran, failed: null });
          await expectValues(asking, thread, values);
        }
      },
    );

    const afterNested = (taken: string) => ({ log: ["in", "in", "prepare", `ask: ${taken} at 1`, "after"] });

    it("from a subgraph in TypeScript can be answered in Python, where the subgraph starts again", async () => {
      const thread = newThread();
      await start.here(NESTED, thread);
      expect((await answer.there(NESTED, thread, "yes")).ran).toEqual(["after", "ask", "prepare"]);
      await expectValues(NESTED, thread, afterNested("yes"));
    });

    it("from a subgraph in Python is asked again in TypeScript, which keeps the answer", async () => {
      for (const [again, taken] of [
        [null, "first"],
        [new Command({ resume: "second" }), "second"],
      ] as const) {
        const thread = newThread();
        await start.there(NESTED, thread);
        expect((await answer.here(NESTED, thread, "first")).ran).toEqual(["prepare"]);
        expect((await state.here(NESTED, thread)).questions).toMatchObject([{ value: "ask?" }]);
        expect((await both.runHere(nested, thread, again)).ran).toEqual(["after", "ask"]);
        await expectValues(NESTED, thread, afterNested(taken));
      }
    });

    it("that is one of several is asked again, and can be answered by its new id", async () => {
      for (const [asker, answerer] of DIRECTIONS) {
        const thread = newThread();
        await start[asker](PANEL, thread);
        await start[answerer](["panel", panel, null], thread);
        // The engine before 1.7 keeps only the last of several parallel questions of a task, and asks the other one next.
        for (let round = 0; round < 2; round += 1) {
          const { questions } = await state[answerer](PANEL, thread);
          const answers = questions.map(({ id, value }) => [id, `to ${String(value)}`] as const);
          if (answers.length > 0) await answer[answerer](PANEL, thread, Object.fromEntries(answers));
        }
        await expectValues(PANEL, thread, {
          log: ["in", "in", "left: to left?", "right: to right?", "after"],
        });
      }
    });

    it("is asked again after an answer by its id, which the other language does not know", async () => {
      for (const [asker, answerer] of DIRECTIONS) {
        const thread = newThread();
        await start[asker](FORM, thread);
        const [asked] = await askedSoFar(thread);
        await answer[answerer](FORM, thread, { [asked?.id ?? ""]: "lost" });
        const { questions } = await state[answerer](FORM, thread);
        expect(questions).toMatchObject([{ value: "1?" }]);
        expect(questions).not.toEqual([asked]);
      }
    });

    it("that is the second in a node is answered as the first, since the node starts again", async () => {
      const thread = newThread();
      await start.here(FORM, thread);
      await answer.here(FORM, thread, "one");
      await answer.there(FORM, thread, "two");
      // Both languages have an open question now, and Python requires the id of the question.
      expect((await answer.there(FORM, thread, "three")).failed).toMatch(/you must specify the interrupt id/);
      const [asked] = (await state.there(FORM, thread)).questions;
      expect(asked).toMatchObject({ value: "2?" });
      await answer.there(FORM, thread, { [asked?.id ?? ""]: "three" });
      await expectValues(FORM, thread, { log: ["in", "two, three"] });
    });
  });
}
