import type { DatabaseAddress } from "../../telemetry/logger.js";
import { noop } from "../../db/async/noop.js";
import { ConnectionError, InvalidConfigError } from "../../errors/index.js";

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
function hasFunction<Name extends string>(
  value: object,
  name: Name,
): value is Record<Name, (...parameters: never[]) => unknown> {
  return typeof Reflect.get(value, name) === "function";
}

/** The part of a client of the package `redis` that is used. */
interface Connection extends NodeRedisClient {
  close(): Promise<unknown>;
}

/**
 * A client that connects at its first command, and again at the first one after its connection was lost. A command fails where there is no
 * connection, so that the retries of a call decide how long it waits.
 */
export class OpenedClient implements RedisClient {
  readonly #options: RedisClientOptions;
  #connection: Promise<Connection> | undefined;
  closed = false;

  constructor(options: RedisClientOptions) {
    this.#options = options;
  }

  async send(command: readonly string[], signal?: AbortSignal): Promise<unknown> {
    const connection = await (this.#connection ??= this.#connect());
    return connection.sendCommand([...command], signal && { abortSignal: signal });
  }

  reconnect(): void {
    this.#disconnect().catch(noop);
  }

  address(): DatabaseAddress {
    const { url } = this.#options;
    if (url === undefined) return addressOf(this.#options);
    const { hostname, port, pathname } = new URL(url);
    return {
      host: hostname,
      port: port === "" ? undefined : Number(port),
      database: pathname.slice(1) || undefined,
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.#disconnect();
  }

  async #disconnect(): Promise<void> {
    const closing = this.#connection;
    this.#connection = undefined;
    // Nothing is left to close where it can't be opened.
    const connection = await closing?.catch(noop);
    await connection?.close();
  }

  #connect(): Promise<Connection> {
    const forget = (): void => {
      if (this.#connection === connection) this.#connection = undefined;
    };
    const connection = this.#open(forget);
    connection.catch(forget);
    return connection;
  }

  async #open(onLost: () => void): Promise<Connection> {
    // Hidden from bundlers, since those who pass in a client need not install it.
    const { createClient } = await import(/* webpackIgnore: true */ /* @vite-ignore */ "redis").catch(
      (cause: unknown) => {
        throw new InvalidConfigError("source", "needs the package redis: npm install redis", { cause });
      },
    );
    // The package checks the options itself.
    const given = this.#options as Parameters<typeof createClient>[0];
    const client = createClient({
      ...given,
      disableOfflineQueue: true,
      // This time limit is one of commands that wait for a connection, and none does. It costs as much as the rest of a command.
      commandOptions: { timeout: 0, ...given?.commandOptions },
      socket: { ...given?.socket, reconnectStrategy: false },
    });
    client.on("error", onLost).on("end", onLost);
    await client.connect();
    if (!this.closed) return client;
    await client.close();
    throw new ConnectionError("the store has been ended", { transient: false });
  }
}

/** Returns a client that somebody else has opened, and closes. */
export function passedInClient(client: NodeRedisClient | IoRedisClient): RedisClient {
  refuseOtherClients(client);
  return {
    send: isIoRedis(client)
      ? ([command = "", ...parameters]) => client.call(command, ...parameters)
      : (command, signal) => client.sendCommand([...command], signal && { abortSignal: signal }),
    get closed() {
      // node-redis, and ioredis after `quit` or `disconnect`.
      return Reflect.get(client, "isOpen") === false || Reflect.get(client, "status") === "end";
    },
    reconnect: noop,
    address: () => addressOf(Reflect.get(client, "options")),
    close: () => Promise.resolve(),
  };
}

/** Whether a source is a client, and no options of one. */
export function isOpenClient(source: object): source is NodeRedisClient | IoRedisClient {
  return hasFunction(source, "call") || hasFunction(source, "sendCommand");
}

/** The address among the options of a client: node-redis has a part `socket`. */
function addressOf(options: unknown): DatabaseAddress {
  const given = objectOf(options);
  const { host, port, path } = { ...given, ...objectOf(given.socket) };
  const database = given.database ?? given.db;
  return {
    host: typeof host === "string" ? host : typeof path === "string" ? path : undefined,
    port: typeof port === "number" ? port : undefined,
    database: typeof database === "number" ? String(database) : undefined,
  };
}

// ioredis has a `sendCommand` too, with other parameters.
function isIoRedis(client: NodeRedisClient | IoRedisClient): client is IoRedisClient {
  return hasFunction(client, "call");
}

function refuseOtherClients(client: object): void {
  // Those of node-redis for a cluster and for sentinels: their `sendCommand` has other parameters.
  if (!hasFunction(client, "call") && ["masters", "getMasterNode"].some((name) => name in client)) {
    throw new InvalidConfigError("source", "must be a client of one server; for others, pass one of ioredis");
  }
  const { keyPrefix = "" } = objectOf(Reflect.get(client, "options"));
  if (keyPrefix !== "") {
    throw new InvalidConfigError(
      "source",
      "the client has a keyPrefix: use the option `prefix` of the store",
    );
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
