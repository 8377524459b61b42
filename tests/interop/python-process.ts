import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isRecord } from "../../src/serde/objects/type-guards.js";

const FOLDER = new URL("python/", import.meta.url);

/**
 * A Python process that runs agents on Python's own saver, told what to do line by line.
 *
 * @example
 * ```ts
 * await python.do("run", { graph: "relay", thread: "42", say: "hello" });
 * ```
 */
export class PythonProcess {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;
  readonly #lines: Interface;
  #complaints = "";

  /**
   * @param python - the interpreter
   * @param url - the database that Python's saver connects to
   * @param key - the key of Python's encrypted serializer, where values are to be encrypted
   * @param program - the file that does what it is asked for
   */
  constructor(python: string, url: string, key?: string, program = "serve.py") {
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...(key && { LANGGRAPH_AES_KEY: key }) };
    this.#process = spawn(python, ["-u", fileURLToPath(new URL(program, FOLDER)), url], { env });
    this.#process.stderr.on("data", (chunk: Buffer) => (this.#complaints += chunk.toString()));
    this.#lines = createInterface({ input: this.#process.stdout });
    this.#answers = this.#lines[Symbol.asyncIterator]();
  }

  /**
   * Has the process do one thing, and waits for its answer.
   *
   * @throws when it raises, with Python's own words
   */
  async do(task: string, details: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    this.#process.stdin.write(`${JSON.stringify({ ...details, do: task })}\n`);
    const line = await this.#answers.next();
    if (line.done === true) throw new Error(`Python ended: ${this.#complaints}`);
    const answer: unknown = JSON.parse(line.value);
    if (!isRecord(answer)) throw new Error(`Python answered ${line.value}`);
    if (typeof answer.raised === "string") throw new Error(answer.raised);
    return answer;
  }

  /** Ends the process, and waits until it is gone. */
  async end(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const gone = once(this.#process, "exit");
    this.#process.stdin.end();
    await gone;
    this.#lines.close();
  }
}
