import { noop } from "../../db/async/noop.js";
import { ConnectionError, InvalidConfigError } from "../../errors/index.js";
import type { DatabaseAddress } from "../../telemetry/database-address.js";
import { addressOf } from "./passed-in-client.js";
import type { RedisClient, RedisClientOptions } from "./redis-client.js";

/** The part of a client of the package `redis` that is used. */
interface Connection {
  sendCommand(command: string[], options?: { abortSignal?: AbortSignal }): Promise<unknown>;
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
