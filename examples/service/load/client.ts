import { z } from "zod";
import type { Tally } from "./tally.js";

const Reply = z.discriminatedUnion("status", [
  z.object({ status: z.literal("answered"), text: z.string() }),
  z.object({ status: z.literal("waiting"), question: z.unknown() }),
]);
export type Reply = z.infer<typeof Reply>;

const Thread = z.object({
  status: z.enum(["idle", "waiting", "stopped"]),
  messages: z.array(z.object({ id: z.string(), from: z.string(), text: z.string() })),
});
export type Thread = z.infer<typeof Thread>;

const Failure = z.object({ error: z.string() });

/** Calls the service for one customer, and another process of it after each failure. */
export class Client {
  readonly #urls: readonly string[];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #tally: Tally;
  #turn: number;

  /** @param first - The place of the process in `urls` that is called first. */
  constructor(urls: readonly string[], customer: string, tally: Tally, first: number) {
    this.#urls = urls;
    this.#headers = { "content-type": "application/json", "x-customer": customer };
    this.#tally = tally;
    this.#turn = first;
  }

  /** The process that is called now. */
  get url(): string {
    return this.#urls[this.#turn % this.#urls.length] ?? "";
  }

  /** Sends a message once. @returns Undefined where it has to be sent again. */
  say(thread: string, message: { id: string; text: string }, boundMs: number): Promise<Reply | undefined> {
    const init = { method: "POST", body: JSON.stringify(message) };
    return this.#call(`/threads/${thread}/messages`, init, boundMs, Reply);
  }

  look(thread: string, boundMs: number): Promise<Thread | undefined> {
    return this.#call(`/threads/${thread}`, {}, boundMs, Thread);
  }

  async #call<T>(
    path: string,
    init: RequestInit,
    boundMs: number,
    schema: z.ZodType<T>,
  ): Promise<T | undefined> {
    try {
      const signal = AbortSignal.timeout(boundMs);
      const response = await fetch(this.url + path, { ...init, headers: { ...this.#headers }, signal });
      const body: unknown = await response.json();
      if (response.ok) return schema.parse(body);
      const { error } = Failure.parse(body);
      if (response.status < 500 && response.status !== 409)
        throw new RefusedError(`${response.status}: ${error}`);
      this.#tally.failed(`${response.status} ${error}`);
    } catch (error) {
      if (error instanceof RefusedError || error instanceof z.ZodError) throw error;
      this.#tally.failed(reasonOf(error));
    }
    this.#turn++;
    return undefined;
  }
}

/** An answer that no repetition changes: a fault of the load or of the service. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

/** `fetch` has the reason in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error) return "code" in cause ? String(cause.code) : cause.message;
  return error.name;
}
