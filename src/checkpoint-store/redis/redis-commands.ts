import { abortErrorOf, orAborted, throwIfAborted } from "../../db/statements/cancellation.js";
import { type RetryOptions, retryTransient } from "../../db/statements/retry-transient.js";
import { ConnectionError, DatabaseError, InvalidConfigError, PermissionError } from "../../errors/index.js";
import type { BackendCall } from "../model/backend.js";
import type { RedisClient } from "./redis-client.js";
import type { RedisScript } from "./redis-scripts.js";
import { codeOf } from "../../errors/thrown.js";
import { toDatabaseError } from "../../db/to-database-error.js";

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
export function partsOfReply(reply: Reply | undefined): readonly Reply[] {
  return typeof reply === "object" && reply !== null ? reply : [];
}

/** Returns a reply in which texts are strings, however the client was configured. */
function replyOf(reply: unknown): Reply {
  if (Array.isArray(reply)) return reply.map(replyOf);
  if (Buffer.isBuffer(reply)) return reply.toString();
  return typeof reply === "string" || typeof reply === "number" ? reply : null;
}

/** The words that an error of the server begins with, by what they mean. */
const DENIED = new Set(["NOAUTH", "WRONGPASS", "NOPERM"]);
/** The server is starting, or waits for a failover. */
const NOT_READY = new Set(["LOADING", "MASTERDOWN", "CLUSTERDOWN"]);
const TRANSIENT = new Set(["READONLY", "TRYAGAIN", "BUSY", "NOREPLICAS"]);
/** The key belongs to another server of a cluster. */
const ELSEWHERE = new Set(["MOVED", "ASK"]);

/**
 * Returns the first word of an error that the server has sent, such as `WRONGTYPE`: Redis has no other codes. Returns `undefined` for any
 * other error. An error of Node has a code of its own.
 */
function replyCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || codeOf(error) !== undefined) return undefined;
  return /^-?([A-Z]{2,})(?= |$)/.exec(error.message)?.[1];
}

/**
 * Converts an error of a Redis client to an error of this library. It decides by the code of the server and by those of the operating
 * system, never by other text. It returns an error of this library, or a programming mistake, unchanged.
 *
 * @param key - The first key of the command.
 */
function toRedisError(error: unknown, key: string | undefined): Error {
  const code = replyCode(error);
  if (code === undefined || !(error instanceof Error)) return toDatabaseError(error);
  const options = { cause: error };
  if (code === "WRONGTYPE") return wrongTypeError(key, options);
  if (code === "CROSSSLOT") {
    const advice =
      'needs a part in braces in a cluster, such as "{langgraph}:", so that one server has all keys';
    return new InvalidConfigError("options.prefix", advice, options);
  }
  if (ELSEWHERE.has(code)) {
    const advice =
      "another server of the cluster has the keys: connect to that one, or pass a client of ioredis";
    return new DatabaseError(`${advice} (${error.message})`, options);
  }
  if (DENIED.has(code)) return new PermissionError(error.message, options);
  if (NOT_READY.has(code)) return new ConnectionError(error.message, options);
  return new DatabaseError(error.message, { ...options, transient: TRANSIENT.has(code) });
}

/** The error for a key that holds something else, such as the set of an early langgraphgo. */
export function wrongTypeError(
  key = "a key",
  options: { readonly cause?: unknown } = {},
): InvalidConfigError {
  const problem = `another program, or a langgraphgo before version 0.8.3, has stored a value of another type at the key "${key}"; use another prefix, to which \`store-copy\` copies checkpoints`;
  return new InvalidConfigError("options.prefix", problem, options);
}
