import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type Direction, ProxiedConnection } from "./proxied-connection.js";

interface Upstream {
  readonly host: string;
  readonly port: number;
}

/** Connections on which the statements of the clients are on their way for long. */
export interface DelayedStatements {
  /** On how many connections anything is on its way. */
  readonly count: number;
  /** Resets the clients' side of the connections. What the clients have sent remains on its way. */
  resetClients(): void;
  /** Lets the statements arrive. Resolves when the server has carried them out, or has refused them. */
  deliver(): Promise<void>;
}

/**
 * Stands between a client and a server, and disturbs their connections when it is told to.
 *
 * @example
 * ```ts
 * const proxy = await TcpProxy.open(server.url);
 * const pool = new pg.Pool({ connectionString: proxy.url });
 * proxy.resetAll();
 * await proxy.close();
 * ```
 */
export class TcpProxy {
  /** The server's connection string, by way of the proxy. */
  readonly url: string;
  readonly #server: Server;
  #upstream: Upstream;
  readonly #connections = new Set<ProxiedConnection>();
  #isStalled = false;
  #toTerminate = 0;
  #terminated = 0;

  private constructor(server: Server, url: string) {
    this.#upstream = upstreamOf(url);
    this.#server = server.on("connection", (client: Socket) => {
      this.#accept(client);
    });
    const proxied = new URL(url);
    const address = server.address() as AddressInfo;
    proxied.hostname = address.address;
    proxied.port = String(address.port);
    this.url = proxied.href;
  }

  /** Opens a proxy in front of the server that `url` names. */
  static async open(url: string): Promise<TcpProxy> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new TcpProxy(server, url);
  }

  /** How many connections there are. */
  get count(): number {
    return this.#connections.size;
  }

  /** Leads new connections to the server that `url` names, as a name does that has moved. Those that there are stay. */
  switchTo(url: string): void {
    this.#upstream = upstreamOf(url);
  }

  /** Resets every connection, as a router does that has forgotten them. New ones are let through. */
  resetAll(): void {
    for (const connection of [...this.#connections]) connection.reset();
  }

  /** Cuts every connection in the middle of what comes next that way. New ones are let through. */
  cutNext(direction: Direction): void {
    for (const connection of this.#connections) connection.cutNext(direction);
  }

  /** Holds every byte back in either direction, those of new connections too, until the returned function is called. */
  stall(): () => void {
    this.#isStalled = true;
    for (const connection of this.#connections) connection.pause();
    return () => {
      this.#isStalled = false;
      for (const connection of this.#connections) connection.resume();
    };
  }

  /**
   * Lets nothing through on the connections that there are, and neither side hear that the other has gone. New ones are
   * let through. The returned function ends the connections, as the server's own probes do in the end.
   */
  blackHole(): () => void {
    const lost = [...this.#connections];
    for (const connection of lost) connection.forget();
    return () => {
      for (const connection of lost) connection.reset();
    };
  }

  /**
   * Terminates the next new connections at the end of their handshake: the client receives ReadyForQuery and the FATAL error in
   * one chunk.
   *
   * @param times - How many connections.
   */
  terminateNew(times: number): void {
    this.#toTerminate = times;
  }

  /** Terminates every connection at the end of its next statement, as {@link terminateNew} does. None may be in use. */
  terminateWhenReady(): void {
    for (const connection of this.#connections) this.#terminate(connection);
  }

  /** How many connections have been terminated by {@link terminateNew} and {@link terminateWhenReady}. */
  get terminated(): number {
    return this.#terminated;
  }

  /**
   * Delays what the clients send on the connections that there are, also when they have closed them. New connections are let
   * through.
   *
   * @param from - What is sent before the first chunk that this matches arrives as always.
   */
  delayStatements(from = /^/): DelayedStatements {
    const delayed = [...this.#connections];
    for (const connection of delayed) connection.delay(from);
    return {
      get count() {
        return delayed.filter(({ hasDelayed }) => hasDelayed).length;
      },
      resetClients: () => {
        for (const connection of delayed) connection.resetClient();
      },
      deliver: async () => {
        await Promise.all(delayed.map((connection) => connection.deliver()));
      },
    };
  }

  /** Cuts every connection and takes no more. */
  async close(): Promise<void> {
    this.resetAll();
    this.#server.close();
    await once(this.#server, "close");
  }

  #accept(client: Socket): void {
    const connection = new ProxiedConnection(client, this.#upstream, () => {
      this.#connections.delete(connection);
    });
    this.#connections.add(connection);
    if (this.#isStalled) connection.pause();
    if (this.#toTerminate > 0) {
      this.#toTerminate--;
      this.#terminate(connection);
    }
  }

  #terminate(connection: ProxiedConnection): void {
    connection.terminateWhenReady(() => {
      this.#terminated++;
    });
  }
}

function upstreamOf(url: string): Upstream {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
