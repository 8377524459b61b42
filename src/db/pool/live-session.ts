import { ConnectionError } from "../../errors/index.js";
import type { ConnectForLocks, LockConnection } from "../locks/lock-connection.js";
import { onAbort } from "../async/on-abort.js";
import { raceAgainst } from "../async/race-against.js";
import { toDatabaseError } from "../to-database-error.js";

/** How a session looks after itself. */
export interface SessionTiming {
  /** How often it asks whether it is still alive, in milliseconds. */
  readonly heartbeatMs: number;
  /** How long an answer may take before the connection counts as lost, in milliseconds. */
  readonly answerMs: number;
}

const DEFAULT_TIMING: SessionTiming = { heartbeatMs: 5_000, answerMs: 10_000 };

/** A process that is too busy to read an answer in time misses one of these, and reads it before the next. */
const ANSWER_SLICES = 4;

/** One connection that is kept for long, and that finds out by itself when it is dead. */
export class LiveSession {
  readonly #connection: LockConnection;
  readonly #timing: SessionTiming;
  readonly #lost: AbortController;
  #last: Promise<unknown> = Promise.resolve();
  #isClosing = false;
  #heartbeat: NodeJS.Timeout | undefined;

  private constructor(connection: LockConnection, lost: AbortController, timing: SessionTiming) {
    this.#connection = connection;
    this.#timing = timing;
    this.#lost = lost;
    onAbort(lost.signal, () => {
      clearTimeout(this.#heartbeat);
      connection.close("broken");
    });
    this.#beat();
  }

  /** Opens a session; nothing is left of one that can't be opened. */
  static async open(connect: ConnectForLocks, timing = DEFAULT_TIMING): Promise<LiveSession> {
    const lost = new AbortController();
    const connection = await connect((error) => {
      lost.abort(toDatabaseError(error));
    });
    return new LiveSession(connection, lost, timing);
  }

  /** Aborts when the connection is lost, with the error that it died of. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Sends a statement without parameters, and returns its rows. One after another, as pg asks for. */
  async send(sql: string): Promise<unknown[]> {
    const sent = this.#last.then(() => this.#sendNow(sql));
    this.#last = sent.catch(ignore);
    return raceAgainst(this.lost, sent);
  }

  /**
   * Ends the session; may be called on one that is lost.
   *
   * @param goodbye - What is sent last.
   */
  async close(goodbye: string): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#heartbeat);
    try {
      await this.send(goodbye);
      this.#connection.close("clean");
    } catch {
      // Then it is lost, and closed for that.
    }
  }

  async #sendNow(sql: string): Promise<unknown[]> {
    this.lost.throwIfAborted();
    const stopWaiting = this.#limitAnswer();
    try {
      return await this.#connection.send(sql);
    } catch (error) {
      this.#lost.abort(toDatabaseError(error));
      throw error;
    } finally {
      stopWaiting();
    }
  }

  /** Nothing that is sent here takes long: who does not answer is gone, which TCP may take a quarter of an hour to say. */
  #limitAnswer(): () => void {
    const { answerMs } = this.#timing;
    let left = ANSWER_SLICES;
    const timer = setInterval(() => {
      if (--left > 0) return;
      clearInterval(timer);
      this.#lost.abort(new ConnectionError(`the server has not answered for ${answerMs} ms`));
    }, answerMs / ANSWER_SLICES);
    return () => {
      clearInterval(timer);
    };
  }

  // On a connection where nothing is sent, nothing shows that it has died.
  #beat(): void {
    if (this.#isClosing) return;
    this.#heartbeat = setTimeout(() => {
      this.send("select 1").then(() => {
        this.#beat();
      }, ignore);
    }, this.#timing.heartbeatMs);
    this.#heartbeat.unref();
  }
}

function ignore(): void {
  // Whoever needs the session is told by its signal.
}
