import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isRecord } from "../../src/serde/objects/inspect-object.js";
import { KEEPS_BYTECODE } from "./python-environment.js";

const FOLDER = new URL("python/", import.meta.url);

/** What a process runs, and the processes without a database that a suite has used. */
const unused = new Map<string, PythonProcess[]>();

/**
 * A Python process that runs agents on Python's own saver. It reads one request per line. A suite that ends one leaves it to the
 * next suite of its file, because importing LangChain takes longer than most suites.
 *
 * @example
 * ```ts
 * await python.do("run", { graph: "relay", thread: "42", say: "hello" });
 * ```
 */
export class PythonProcess {
  readonly #kind: string;
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;
  readonly #lines: Interface;
  #stderr = "";

  private constructor(kind: string, python: string, program: string, key: string | undefined) {
    const env = { ...process.env, ...KEEPS_BYTECODE, ...(key && { LANGGRAPH_AES_KEY: key }) };
    this.#kind = kind;
    this.#process = spawn(python, ["-u", fileURLToPath(new URL(program, FOLDER))], { env });
    this.#process.stderr.on("data", (chunk: Buffer) => (this.#stderr += chunk.toString()));
    this.#lines = createInterface({ input: this.#process.stdout });
    this.#answers = this.#lines[Symbol.asyncIterator]();
  }

  /**
   * Starts a process, or takes one that another suite has ended. Its file calls {@link stopUnusedPython} at the end.
   *
   * @param python - the interpreter
   * @param url - the database that Python's saver connects to
   * @param key - the key of Python's encrypted serializer, to encrypt values
   * @param program - the program, a file in `python/`
   */
  static async start(
    python: string,
    url: string,
    key?: string,
    program = "serve.py",
  ): Promise<PythonProcess> {
    const kind = JSON.stringify([python, program, key]);
    const process = unused.get(kind)?.pop() ?? new PythonProcess(kind, python, program, key);
    await process.do("connect", { url });
    return process;
  }

  /**
   * Sends a request to the process, and waits for its answer.
   *
   * @throws if the process raises, with Python's traceback
   */
  async do(task: string, details: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    this.#process.stdin.write(`${JSON.stringify({ ...details, do: task })}\n`);
    const line = await this.#answers.next();
    if (line.done === true) throw new Error(`Python exited: ${this.#stderr}`);
    const answer: unknown = JSON.parse(line.value);
    if (!isRecord(answer)) throw new Error(`Python answered ${line.value}`);
    if (typeof answer.raised === "string") throw new Error(answer.raised);
    return answer;
  }

  /** Closes the connection. */
  async end(): Promise<void> {
    await this.do("disconnect");
    unused.set(this.#kind, [...(unused.get(this.#kind) ?? []), this]);
  }

  /** Ends the process, and waits for its exit. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const exited = once(this.#process, "exit");
    this.#process.stdin.end();
    await exited;
    this.#lines.close();
  }
}

/** Stops the processes that the suites of a file have ended. */
export async function stopUnusedPython(): Promise<void> {
  const processes = [...unused.values()].flat();
  unused.clear();
  await Promise.all(processes.map((process) => process.stop()));
}
