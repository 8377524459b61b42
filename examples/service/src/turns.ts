import { HumanMessage } from "@langchain/core/messages";
import { setTimeout as sleep } from "node:timers/promises";
import type { Assistant } from "./assistant.js";
import type { Database } from "./database.js";
import { answerTo } from "./ids.js";
import type { TurnMetrics } from "./metrics.js";

/** What somebody says. */
export interface Message {
  /** Chosen by the client, which sends a message again with the same id when it got no answer. */
  readonly id: string;
  readonly text: string;
}

/** What a thread holds for its customer. */
export interface ThreadView {
  /** `waiting`: for a person. `stopped`: the run was ended by a crash, and goes on when a message is sent again. */
  readonly status: "idle" | "waiting" | "stopped";
  readonly messages: readonly { readonly id: string; readonly from: string; readonly text: string }[];
  /** What a person is asked. */
  readonly question?: unknown;
}

/** What a message led to. */
export type Reply =
  | { readonly status: "answered"; readonly text: string }
  | { readonly status: "waiting"; readonly question: unknown };

/** A thread takes no other message while a person is asked. */
export class WaitingError extends Error {
  override readonly name = "WaitingError";
}

/** Why a turn was ended by the service. */
export class TurnEndedError extends Error {
  override readonly name = "TurnEndedError";
  readonly reason: "too slow" | "client left" | "shutdown";

  constructor(reason: TurnEndedError["reason"]) {
    super(`the turn was ended: ${reason}`);
    this.reason = reason;
  }
}

interface Parts {
  readonly assistant: Assistant;
  readonly saver: Database["saver"];
  readonly metrics: TurnMetrics;
  readonly timeoutMs: number;
}

/** Runs the turns of all threads, each thread one after the other, and ends them when the service stops. */
export class Turns {
  readonly #parts: Parts;
  readonly #running = new Map<AbortController, Promise<unknown>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Sends a message to a thread, and waits for the answer or for the question to a person. The same message again gets the same answer, and
   * nothing is done twice.
   *
   * @param turn - Ends the turn when it aborts.
   * @throws ThreadLockedError where another turn of the thread is under way, in any process.
   * @throws WaitingError where the thread waits for a person.
   */
  async take(threadId: string, message: Message, turn: AbortController): Promise<Reply> {
    const { saver, metrics, timeoutMs } = this.#parts;
    const timer = setTimeout(() => {
      turn.abort(new TurnEndedError("too slow"));
    }, timeoutMs);
    // Two runs of a thread at once would begin from the same checkpoint, and the result of one would be lost.
    const reply = saver.withThreadLock(threadId, ({ signal }) => this.#converse(threadId, message, signal), {
      signal: turn.signal,
      waitMs: 0,
    });
    this.#running.set(turn, reply);
    try {
      return await metrics.measure(reply);
    } catch (error) {
      throw turn.signal.aborted ? turn.signal.reason : error;
    } finally {
      clearTimeout(timer);
      this.#running.delete(turn);
    }
  }

  async look(threadId: string, signal?: AbortSignal): Promise<ThreadView> {
    const config = { configurable: { thread_id: threadId }, ...(signal !== undefined && { signal }) };
    return viewOf(await this.#parts.assistant.getState(config));
  }

  /** Lets the turns under way end, and ends those that take longer. */
  async drain(withinMs: number): Promise<void> {
    const ended = Promise.allSettled(this.#running.values());
    const timer = new AbortController();
    await Promise.race([ended, sleep(withinMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
    for (const turn of this.#running.keys()) turn.abort(new TurnEndedError("shutdown"));
    await ended;
  }

  async #converse(threadId: string, { id, text }: Message, signal: AbortSignal): Promise<Reply> {
    const { assistant } = this.#parts;
    // Each step is stored before the next one begins, so that a refund is only paid once its approval is stored.
    const config = { configurable: { thread_id: threadId }, signal, durability: "sync" } as const;
    let thread = await this.look(threadId, signal);
    if (thread.status === "stopped") {
      await assistant.invoke(null, config);
      thread = await this.look(threadId, signal);
    }
    if (thread.status !== "waiting" && !has(thread, id)) {
      await assistant.invoke({ messages: [new HumanMessage({ id, content: text })] }, config);
      thread = await this.look(threadId, signal);
    }
    const answer = thread.messages.find((each) => each.id === answerTo(id));
    if (answer !== undefined) return { status: "answered", text: answer.text };
    if (thread.status !== "waiting")
      throw new Error(`the run left no answer: the thread is ${thread.status}`);
    if (!has(thread, id)) throw new WaitingError("the thread waits for a person");
    return { status: "waiting", question: thread.question };
  }
}

type State = Awaited<ReturnType<Assistant["getState"]>>;

function viewOf({ values, next, tasks }: State): ThreadView {
  const { messages = [] } = values as Partial<Assistant["~OutputType"]>;
  // A task that has ended has no part in `next`, but its step is not stored before the next checkpoint.
  const [question] = tasks.filter(({ name }) => next.includes(name)).flatMap(({ interrupts }) => interrupts);
  return {
    status: question !== undefined ? "waiting" : tasks.length > 0 ? "stopped" : "idle",
    messages: messages.map(({ id = "", type, text }) => ({ id, from: type, text })),
    ...(question !== undefined && { question: question.value as unknown }),
  };
}

function has({ messages }: ThreadView, id: string): boolean {
  return messages.some((message) => message.id === id);
}
