import type { BaseCheckpointSaver, Command } from "@langchain/langgraph";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { PostgresSaver } from "../../src/index.js";
import type { Target, TestDatabase } from "../support/targets.js";
import { broken, runs } from "./agents.js";
import { PythonProcess } from "./python-process.js";

/** What one side did in a run. */
export interface Run {
  /** The nodes that ran, in order of their names: those of one super-step run in no order. */
  readonly ran: readonly string[];
  /** What the run failed with. */
  readonly failed: string | null;
}

/** One of the agents of agents.ts. */
export type Agent<State> = (checkpointer: BaseCheckpointSaver) => {
  invoke(input: State | Command | null, config: ThreadConfig): Promise<unknown>;
};

/** The config of a thread. */
export interface ThreadConfig {
  readonly configurable: { readonly thread_id: string };
}

const runShape = z.object({ ran: z.array(z.string()), failed: z.string().nullable() });

/** One database, with this library's saver on it in this process and Python's saver in another. */
export class TwoLanguages {
  readonly database: TestDatabase<string>;
  readonly saver: PostgresSaver;
  readonly python: PythonProcess;

  private constructor(database: TestDatabase<string>, saver: PostgresSaver, python: PythonProcess) {
    this.database = database;
    this.saver = saver;
    this.python = python;
  }

  /**
   * @param interpreter - the Python to run
   * @param encryption - how this side encrypts, and the key that the other side does it with
   */
  static async start(
    target: Target<string>,
    interpreter: string,
    encryption?: { readonly serde: SerializerProtocol; readonly key: string },
  ): Promise<TwoLanguages> {
    const database = await target.createDatabase();
    const saver = new PostgresSaver(database.source, encryption?.serde);
    await saver.setup();
    return new TwoLanguages(
      database,
      saver,
      new PythonProcess(interpreter, database.source, encryption?.key),
    );
  }

  /** Starts or goes on with a run in Python: `input`, `say` or `resume`, and the nodes that are `broken`. */
  async runInPython(agent: string, thread: string, details: Record<string, unknown> = {}): Promise<Run> {
    const { ran, failed } = runShape.parse(await this.python.do("run", { agent, thread, ...details }));
    return { ran: ran.sort(), failed };
  }

  /** Starts or goes on with a run in TypeScript. */
  async runHere<State>(
    agent: Agent<State>,
    thread: string,
    input: State | Command | null,
    brokenNodes: readonly string[] = [],
  ): Promise<Run> {
    runs.length = 0;
    for (const node of brokenNodes) broken.add(node);
    const failed = await agent(this.saver)
      .invoke(input, configOf(thread))
      .then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
    broken.clear();
    return { ran: [...runs].sort(), failed };
  }

  /** What Python reads of the channels `keys`. */
  async stateInPython(
    agent: string,
    thread: string,
    keys: readonly string[],
  ): Promise<Record<string, unknown>> {
    return this.python.do("state", { agent, thread, keys });
  }

  /** Ends both sides. */
  async end(): Promise<void> {
    await this.python.end();
    await this.saver.end();
  }
}

/** The config of a thread by its id. */
export function configOf(thread: string): ThreadConfig {
  return { configurable: { thread_id: thread } };
}
