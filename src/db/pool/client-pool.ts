import { EventEmitter } from "node:events";
import type pg from "pg";
import { ConnectionError, InvalidConfigError } from "../../errors/index.js";
import { noop } from "../async/noop.js";
import { BackendFences } from "./backend-fences.js";
import { type ClientLike, asPool } from "./client-like.js";
import { StatementClient } from "./statement-client.js";

interface Waiting {
  readonly resolve: (client: pg.PoolClient) => void;
  readonly reject: (error: Error) => void;
}

/** One for each client, so that all savers, stores and caches on it wait for one another. */
const known = new WeakMap<object, ClientPool>();

/**
 * A pool of the one connection that an application has passed in: a `pg.Client`, or a client that it has taken from a pool. Calls take it
 * one after another. It is never ended, replaced or given back to its own pool, since the application may have changed its session.
 *
 * What needs another connection beside it opens one by {@link options}: thread locks, watches, and requests to cancel a statement.
 */
export class ClientPool extends EventEmitter {
  readonly options: pg.PoolConfig & { readonly max: number };
  /** The class of the client. A pool of `pg` has this member too. */
  readonly Client: typeof pg.Client;
  readonly #client: ClientLike;
  readonly #lent: pg.PoolClient;
  readonly #waiting: Waiting[] = [];
  #isInUse = false;
  /** Why it can no longer be used. */
  #end: { readonly cause: Error | undefined } | undefined;

  private constructor(client: ClientLike) {
    super();
    this.#client = client;
    this.Client = client.constructor as typeof pg.Client;
    this.options = optionsOf(client);
    this.#lent = lentBy(client, (discard) => {
      this.#giveBack(discard);
    });
    client.on("error", (error: Error) => {
      this.#close(error);
    });
    client.on("end", () => {
      this.#close();
    });
  }

  /** Returns the pool of a client. */
  static of(client: ClientLike): ClientPool {
    const found = known.get(client) ?? new ClientPool(client);
    known.set(client, found);
    return found;
  }

  readonly totalCount = 1;
  /** The application ends the client, after which each call is refused by the error of {@link connect}. */
  readonly ending = false;

  get idleCount(): number {
    return this.#isInUse ? 0 : 1;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /**
   * Takes the client, after those who asked before.
   *
   * @throws InvalidConfigError where the client is not connected, or in a transaction of the application.
   * @throws ConnectionError, not a transient one, where it has ended.
   */
  connect(): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#next();
    });
  }

  async query(query: string | pg.QueryConfig): Promise<pg.QueryResult> {
    const client = await this.connect();
    try {
      return await client.query(query);
    } finally {
      client.release();
    }
  }

  /** Leaves the client open. */
  end(): Promise<void> {
    return Promise.resolve();
  }

  /** Opens another connection with the options of the client. Its `release` ends it. */
  async connectBeside(): Promise<pg.PoolClient> {
    const client = new this.Client({ ...this.options });
    await client.connect();
    return lentBy(client, () => {
      client.end().catch(noop);
    });
  }

  #next(): void {
    while (!this.#isInUse) {
      const first = this.#waiting.shift();
      if (first === undefined) return;
      const problem = this.#end === undefined ? problemOf(this.#client) : endedError(this.#end);
      if (problem === undefined) {
        this.#isInUse = true;
        this.emit("acquire", this.#lent);
        first.resolve(this.#lent);
      } else first.reject(problem);
    }
  }

  #giveBack(discard: boolean): void {
    const free = (isUsable: boolean): void => {
      if (!isUsable) this.#close();
      this.#isInUse = false;
      this.emit("release");
      this.#next();
    };
    if (!discard || this.#end !== undefined) free(true);
    else
      this.#recover().then(free, () => {
        free(false);
      });
  }

  /** A connection that a call has spoiled is used again, since there is no other. Resolves to whether it can be. */
  #recover(): Promise<boolean> {
    return StatementClient.of(this.#lent, BackendFences.of(asPool(this))).recover();
  }

  #close(cause?: Error): void {
    this.#end ??= { cause };
    if (!this.#isInUse) this.#next();
  }
}

/** Each caller gets an error of its own. */
function endedError({ cause }: { readonly cause: Error | undefined }): ConnectionError {
  return new ConnectionError(
    "the connection that you passed in has ended or no longer answers: pass a new one, or a pg.Pool, which replaces its connections",
    { transient: false, cause },
  );
}

/** Why a client can't be used now. */
function problemOf(client: ClientLike): Error | undefined {
  const isConnected: unknown = Reflect.get(client, "_connected");
  if (isConnected === false && Reflect.get(client, "_connecting") !== true) {
    return new InvalidConfigError(
      "source",
      "is a pg.Client that is not connected: await its `connect()` first",
    );
  }
  const status: unknown = client.getTransactionStatus?.();
  if (status !== "T" && status !== "E") return undefined;
  return new InvalidConfigError(
    "source",
    "is a connection in a transaction of yours, which a call would end: commit it first, or pass a Transaction of Kysely",
  );
}

/** The client as one of a pool: `release` gives it back here, and not to the pool that the application has taken it from. */
function lentBy(client: ClientLike, giveBack: (discard: boolean) => void): pg.PoolClient {
  return new Proxy(client as pg.PoolClient, {
    get: (target, name): unknown => {
      if (name === "release")
        return (discard?: Error | boolean) => {
          giveBack(discard !== undefined && discard !== false);
        };
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

/** The options by which the client was opened, as far as it tells. */
function optionsOf(client: ClientLike): pg.PoolConfig & { readonly max: number } {
  const parameters: unknown = Reflect.get(client, "connectionParameters");
  const given = typeof parameters === "object" && parameters !== null ? parameters : {};
  const names = ["application_name", "fallback_application_name", "options", "client_encoding"];
  return Object.assign(
    { max: 1 },
    ...["ssl", "user", "database", "host", "port", "password"].map((name) => optionOf(client, name)),
    ...names.map((name) => optionOf(given, name)),
  ) as pg.PoolConfig & { readonly max: number };
}

function optionOf(from: object, name: string): object {
  const value: unknown = Reflect.get(from, name);
  return value === undefined || value === null || value === "" ? {} : { [name]: value };
}
