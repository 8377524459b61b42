import type { DatabaseAddress } from "../../telemetry/database-address.js";

/** Sends commands to a Redis. */
export interface RedisClient {
  /** Sends a command. The signal may take back one that waits for a connection; it does not end one that has been sent. */
  send(command: readonly string[], signal?: AbortSignal): Promise<unknown>;
  /** Whether the client was closed for good, so that no retry can succeed. */
  readonly closed: boolean;
  /** Called where the server refuses writes: after a failover, the same name may lead to another server. */
  reconnect(): void;
  /** The address, as far as it is known without a connection. */
  address(): DatabaseAddress;
  /** Closes what was opened. It may be called more than once. */
  close(): Promise<void>;
}

/**
 * Options of `createClient` of the package `redis`. Its other options may be given as well. This library does not name its types, so that
 * programs which pass a client of `ioredis` need not install it.
 */
export interface RedisClientOptions {
  /** `redis://` or `rediss://`, with a user, a password and the number of a database. */
  readonly url?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly database?: number | undefined;
  /** The name of the connection. */
  readonly name?: string | undefined;
  /** The address, TLS and time limits. */
  readonly socket?: object | undefined;
  /** 2 or 3. */
  readonly RESP?: 2 | 3 | undefined;
  /** How often to send a PING, in milliseconds. */
  readonly pingInterval?: number | undefined;
  readonly commandOptions?: object | undefined;
  readonly credentialsProvider?: object | undefined;
}

/**
 * A client of the package `redis`, version 5 or later, that you have opened.
 *
 * @example
 * ```ts
 * const client = await createClient({ url }).connect();
 * const store = new RedisCheckpointStore(client);
 * ```
 */
export interface NodeRedisClient {
  /** Sends a command. */
  sendCommand(command: string[], options?: { abortSignal?: AbortSignal }): Promise<unknown>;
}

/**
 * A client of the package `ioredis` that you have opened.
 *
 * @example
 * ```ts
 * const store = new RedisCheckpointStore(new Redis(url));
 * ```
 */
export interface IoRedisClient {
  /** Sends a command. */
  call(command: string, ...parameters: string[]): Promise<unknown>;
}

/** Whether an object has a function of that name. */
export function hasFunction<Name extends string>(
  value: object,
  name: Name,
): value is Record<Name, (...parameters: never[]) => unknown> {
  return typeof Reflect.get(value, name) === "function";
}
