import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isRecord } from "../../src/serde/objects/type-guards.js";

const FOLDER = new URL("python/", import.meta.url);

/**
 * A Python process that runs agents on Python's own saver. It reads one request per line.
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
  #stderr = "";

  /**
   * @param python - the interpreter
   * @param url - the database that Python's saver connects to
   * @param key - the key of Python's encrypted serializer, to encrypt values
   * @param program - the program, a file in `python/`
   */
  constructor(python: string, url: string, key?: string, program = "serve.py") {
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...(key && { LANGGRAPH_AES_KEY: key }) };
    this.#process = spawn(python, ["-u", fileURLToPath(new URL(program, FOLDER)), url], { env });
    this.#process.stderr.on("data", (chunk: Buffer) => (this.#stderr += chunk.toString()));
    this.#lines = createInterface({ input: this.#process.stdout });
    this.#answers = this.#lines[Symbol.asyncIterator]();
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

  /** Ends the process, and waits for its exit. */
  async end(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const exited = once(this.#process, "exit");
    this.#process.stdin.end();
    await exited;
    this.#lines.close();
  }
}
