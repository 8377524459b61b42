import type { BaseCheckpointSaver, Command } from "@langchain/langgraph";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { PostgresSaver } from "../../src/index.js";
import type { Target, TestDatabase } from "../../test-support/targets.js";
import { broken, runs } from "./agents.js";
import { PythonProcess } from "./python-process.js";

/** The outcome of a run in one language. */
export interface Run {
  /** The nodes that ran, sorted by name, since the nodes of one super-step run in any order. */
  readonly ran: readonly string[];
  /** The error of the run. */
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

/** One database with this library's saver in this process and Python's saver in another. */
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
   * @param encryption - the encrypting serializer for TypeScript, and the key for Python
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
      await PythonProcess.start(interpreter, database.source, encryption?.key),
    );
  }

  /** Starts or continues a run in Python. `details` may have `input`, `say` or `resume`, and the `broken` nodes. */
  async runInPython(agent: string, thread: string, details: Record<string, unknown> = {}): Promise<Run> {
    const { ran, failed } = runShape.parse(await this.python.do("run", { agent, thread, ...details }));
    return { ran: ran.sort(), failed };
  }

  /** Starts or continues a run in TypeScript. */
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

  /** The values of the channels `keys` that Python reads. */
  async stateInPython(
    agent: string,
    thread: string,
    keys: readonly string[],
  ): Promise<Record<string, unknown>> {
    return this.python.do("state", { agent, thread, keys });
  }

  /** Ends the Python process and the saver. */
  async end(): Promise<void> {
    await this.python.end();
    await this.saver.end();
  }
}

/** The config of a thread by its id. */
export function configOf(thread: string): ThreadConfig {
  return { configurable: { thread_id: thread } };
}
