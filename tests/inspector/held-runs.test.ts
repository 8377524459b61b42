import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { AbortError, PostgresSaver } from "../../src/index.js";
import type { RunRequest } from "../../src/inspector/api/runs.js";
import type { InspectedGraph, InspectorOptions } from "../../src/inspector/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { Gate } from "../../test-support/gate.js";
import { endHolders } from "../../test-support/held-locks.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeAnyTarget, describeServer, type Target } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { RecordingLogger } from "../telemetry/recording-logger.js";

/** What a graph was run with. */
interface Ran {
  readonly input: unknown;
  readonly signal: AbortSignal;
  readonly options: object;
}

/** A graph with one node, which does what a test says. */
function graphOf(saver: PostgresSaver, work: (ran: Ran) => Promise<void>): InspectedGraph {
  return {
    nodes: { ask: {} },
    checkpointer: saver,
    stream: async (input, options) => {
      const { signal } = options as { readonly signal: AbortSignal };
      await work({ input, signal, options });
      return (async function* () {
        yield* await Promise.resolve([]);
      })();
    },
    updateState: (config) => Promise.resolve(config),
  };
}

/** Stores a thread whose node `ask` is next, and which asks these questions. */
async function waiting(
  saver: PostgresSaver,
  questions: Readonly<Record<string, readonly object[]>> = {},
): Promise<Pick<RunRequest, "threadId" | "checkpointId" | "graph">> {
  const threadId = newThread();
  const { config, checkpoint } = await putValues(saver, threadConfig(threadId), { "branch:to:ask": null });
  for (const [task, asked] of Object.entries(questions))
    await saver.putWrites(config, [["__interrupt__", asked]], task);
  return { threadId, checkpointId: checkpoint.id, graph: "agent" };
}

function useSaver(target: Target): { readonly saver: PostgresSaver } {
  let saver: PostgresSaver | undefined;
  beforeAll(async () => {
    saver = new PostgresSaver((await target.sharedDatabase()).source);
  });
  afterAll(() => saver?.end());
  return {
    get saver() {
      if (saver === undefined) throw new Error("before the suite has begun");
      return saver;
    },
  };
}

describeAnyTarget("a run of the inspector", (target) => {
  const suite = useSaver(target);
  const callsWith = (
    work: (ran: Ran) => Promise<void>,
    options: Partial<InspectorOptions> = {},
  ): InspectorCalls =>
    new InspectorCalls(suite.saver, {
      graphs: { agent: graphOf(suite.saver, work) },
      write: true,
      ...options,
    });

  it("keeps away at once whoever else would continue or change its thread, until it ends", async () => {
    const place = await waiting(suite.saver);
    const gate = new Gate();
    const calls = callsWith(() => gate.opened);
    const first = await calls.postTo("/run", { ...place, kind: "continue" });
    for (const kind of ["continue", "replay"] as const) {
      const other = await calls.postTo("/run", { ...place, kind });
      expect([other.status, await other.text()]).toEqual([
        409,
        expect.stringContaining("somebody else has just started it"),
      ]);
    }
    const update = { ...place, values: {} };
    expect(await calls.refusal("updateState", update)).toEqual([409, "ALREADY_ANSWERED"]);
    gate.open();
    expect(await first.text()).toContain('{"kind":"ended"}');
    expect(await calls.write("updateState", update)).toEqual({ checkpointId: place.checkpointId });
  });

  it("is of the thread, or of the checkpoint that it goes on from again, and tells what it does", async () => {
    const { threadId, ...place } = await waiting(suite.saver);
    const given: object[] = [];
    const calls = callsWith(({ options }) => {
      given.push(options);
      return Promise.resolve();
    });
    for (const kind of ["continue", "replay"] as const) {
      const response = await calls.postTo("/run", { ...place, threadId, kind });
      expect(await response.text()).toBe(
        'retry: 500\n\ndata: {"kind":"started"}\n\ndata: {"kind":"ended"}\n\n',
      );
    }
    const streamed = {
      streamMode: ["updates", "messages"],
      subgraphs: true,
      signal: expect.any(AbortSignal),
    };
    expect(given).toEqual([
      { ...streamed, configurable: { thread_id: threadId } },
      {
        ...streamed,
        configurable: { thread_id: threadId, checkpoint_id: place.checkpointId, checkpoint_ns: "" },
      },
    ]);
  });

  it("logs why it failed, and not that it was refused or ended", async () => {
    const logger = new RecordingLogger();
    await using saver = new PostgresSaver((await target.sharedDatabase()).source, undefined, { logger });
    const failing = (error: Error): InspectorCalls =>
      new InspectorCalls(saver, {
        graphs: { agent: graphOf(saver, () => Promise.reject(error)) },
        write: true,
      });
    const place = await waiting(saver);
    const textOf = async (calls: InspectorCalls, request: object = { ...place, kind: "continue" }) =>
      (await calls.postTo("/run", request)).text();
    const failed = (message: string) =>
      `retry: 500\n\ndata: {"kind":"started"}\n\ndata: {"kind":"failed","message":"${message}"}\n\n`;
    expect(await textOf(failing(new AbortError()))).toContain('"kind":"failed"');
    expect(
      await textOf(failing(new Error("x")), { ...place, kind: "continue", checkpointId: "0" }),
    ).toContain("has gone on");
    expect(logger.lines).toEqual([]);
    expect(await textOf(failing(new Error("no model")))).toBe(failed("Error: no model"));
    expect(logger.lines.map(({ message }) => message)).toEqual(["a run of the inspector failed"]);
    // Who logs nothing gets the same answer.
    const unlogged = callsWith(() => Promise.reject(new Error("no model")));
    expect(await textOf(unlogged)).toBe(failed("Error: no model"));
  });

  it("begins even if its page goes away while the application hears of it", async () => {
    const place = await waiting(suite.saver);
    const page = new AbortController();
    let runs = 0;
    const calls = callsWith(
      () => {
        runs += 1;
        return Promise.resolve();
      },
      {
        audit: () => {
          page.abort();
        },
      },
    );
    await calls.postTo("/run", { ...place, kind: "continue" }, {}, page.signal);
    await suite.saver.withThreadLock(place.threadId, () => Promise.resolve(), { waitMs: 30_000 });
    expect(runs).toBe(1);
  });

  it("continues only the newest checkpoint", async () => {
    const { saver } = suite;
    const place = await waiting(saver);
    const older = threadConfig(place.threadId, { checkpoint_id: place.checkpointId });
    await putValues(saver, older, { "branch:to:ask": null });
    const calls = callsWith(() => Promise.reject(new Error("it ran")));
    const response = await calls.postTo("/run", { ...place, kind: "continue" });
    expect([response.status, await response.text()]).toEqual([409, expect.stringContaining("has gone on")]);
  });

  it("gets answers by the ids of their questions, and the only answer to the only question without one", async () => {
    let given: unknown;
    const calls = callsWith(({ input }) => {
      given = input;
      return Promise.resolve();
    });
    const answer = async (questions: readonly object[], answered: readonly number[]): Promise<string> => {
      const place = await waiting(suite.saver, { task: questions });
      const open = await calls.read("openThread", { threadId: place.threadId });
      const answers = answered.map((at) => ({ key: open.questions[at]?.key, value: `answer ${at}` }));
      return (await calls.postTo("/run", { ...place, kind: "answer", answers })).text();
    };
    const [one, other, nameless] = [{ id: "1", value: "?" }, { id: "2", value: "?" }, { value: "?" }];
    for (const [questions, answered, resume] of [
      [[nameless], [0], "answer 0"],
      [[one], [0], { "1": "answer 0" }],
      [[one, other], [1], { "2": "answer 1" }],
      [[one, other], [0, 1], { "1": "answer 0", "2": "answer 1" }],
      [[one, nameless], [0], { "1": "answer 0" }],
    ] as const) {
      expect(await answer(questions, answered)).toContain('{"kind":"ended"}');
      expect(given).toMatchObject({ resume });
    }
    expect(await answer([one, nameless], [1])).toContain("a question without an id, beside others");
    expect(await answer([nameless, nameless], [0])).toContain("a question without an id, beside others");
    expect(await answer([one], [])).toContain("must have an answer");
  });

  it("takes an answer to one task while another task has got an answer, and none to a question before", async () => {
    const asked = [{ id: "1", value: "?" }];
    const place = await waiting(suite.saver, { a: asked, b: asked });
    const calls = callsWith(() => Promise.resolve());
    const keys = async (): Promise<unknown[]> => {
      const { questions, errors } = await calls.read("openThread", { threadId: place.threadId });
      expect(errors).toEqual([]);
      return questions.map(({ key }) => key);
    };
    const [a, b] = await keys();
    expect(a).not.toBe(b);
    const config = threadConfig(place.threadId, { checkpoint_id: place.checkpointId, checkpoint_ns: "" });
    await suite.saver.putWrites(config, [["__resume__", ["yes"]]], "b");
    expect(await keys()).toEqual([a, expect.not.stringMatching(`^${String(b)}$`)]);
  });
});

describeServer("a run of the inspector on a server", (target) => {
  const suite = useSaver(target);

  /** Starts a run that lasts until it is told to end, and returns what tells it. */
  async function lasting(saver: PostgresSaver): Promise<AbortSignal> {
    const place = await waiting(saver);
    let told: AbortSignal | undefined;
    const agent = graphOf(saver, ({ signal }) => {
      told = signal;
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          resolve();
        });
      });
    });
    await new InspectorCalls(saver, { graphs: { agent } }).postTo("/run", { ...place, kind: "continue" });
    await until(() => told !== undefined);
    if (told === undefined) throw new Error("the run has no signal");
    return told;
  }

  it("tells its graph to end when it has lost the lock of the thread", async () => {
    const signal = await lasting(suite.saver);
    await endHolders(await target.sharedDatabase());
    await until(() => signal.aborted);
  });

  it("tells its graph to end when the saver is closed", async () => {
    const saver = new PostgresSaver((await target.sharedDatabase()).source);
    const signal = await lasting(saver);
    const ended = saver.end();
    await until(() => signal.aborted);
    await ended;
  });
});
