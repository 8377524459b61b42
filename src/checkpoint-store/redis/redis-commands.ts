import { abortErrorOf, orAborted, throwIfAborted } from "../../db/statements/cancellation.js";
import { type RetryOptions, retryTransient } from "../../db/statements/retry-transient.js";
import { ConnectionError } from "../../errors/index.js";
import type { BackendCall } from "../model/backend.js";
import type { RedisClient } from "./redis-client.js";
import { replyCode, toRedisError } from "./redis-errors.js";
import type { RedisScript } from "./scripts/redis-script.js";

/** A reply of the server. */
export type Reply = string | number | null | readonly Reply[];

/** Sends commands, and repeats them after transient faults: each may run twice. */
export class RedisCommands {
  readonly #client: RedisClient;
  readonly #retry: RetryOptions | false;

  constructor(client: RedisClient, retry: RetryOptions | false) {
    this.#client = client;
    this.#retry = retry;
  }

  /** Sends a command. Its first parameter is its key, if it has one. */
  send(call: BackendCall, ...command: readonly string[]): Promise<Reply> {
    return this.#retried(call, command[1], () => this.#send(command, call));
  }

  /** Runs a script by its digest, and by its text where the server does not know it. */
  run(
    call: BackendCall,
    { text, sha1 }: RedisScript,
    keys: readonly string[],
    parameters: readonly string[],
  ): Promise<Reply> {
    const rest = [String(keys.length), ...keys, ...parameters];
    return this.#retried(call, keys[0], async () => {
      try {
        return await this.#send(["EVALSHA", sha1, ...rest], call);
      } catch (error) {
        if (replyCode(error) !== "NOSCRIPT") throw error;
        return this.#send(["EVAL", text, ...rest], call);
      }
    });
  }

  async #send(command: readonly string[], { signal }: BackendCall): Promise<Reply> {
    throwIfAborted(signal);
    if (this.#client.closed) {
      throw new ConnectionError("the connection to Redis has been closed", { transient: false });
    }
    return replyOf(await orAborted(this.#client.send(command, signal), signal));
  }

  #retried<T>(call: BackendCall, key: string | undefined, run: () => Promise<T>): Promise<T> {
    const { signal, observer } = call;
    const attempt = async (): Promise<T> => {
      try {
        return await run();
      } catch (error) {
        if (signal?.aborted === true) throw abortErrorOf(signal, error);
        if (replyCode(error) === "READONLY") this.#client.reconnect();
        throw toRedisError(error, key);
      }
    };
    return retryTransient(attempt, this.#retry, { signal, observer });
  }
}

/** Returns the parts of a reply that is a list, or none. */
export function partsOf(reply: Reply | undefined): readonly Reply[] {
  return typeof reply === "object" && reply !== null ? reply : [];
}

/** Returns a reply in which texts are strings, however the client was configured. */
function replyOf(reply: unknown): Reply {
  if (Array.isArray(reply)) return reply.map(replyOf);
  if (Buffer.isBuffer(reply)) return reply.toString();
  return typeof reply === "string" || typeof reply === "number" ? reply : null;
}
