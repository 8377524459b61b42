import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type Direction, ProxiedConnection } from "./proxied-connection.js";

interface Upstream {
  readonly host: string;
  readonly port: number;
}

/** Connections on which statements of the clients are delayed. */
export interface DelayedStatements {
  /** The number of connections with delayed bytes. */
  readonly count: number;
  /** Resets the clients' side of the connections. The delayed bytes stay delayed. */
  resetClients(): void;
  /** Delivers the statements. Resolves when the server has run or refused them. */
  deliver(): Promise<void>;
}

/**
 * A proxy between clients and a server, which disturbs their connections on request.
 *
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
  /** The server's connection string through the proxy. */
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

  /** The number of connections. */
  get count(): number {
    return this.#connections.size;
  }

  /** Forwards new connections to the server that `url` names, like a host name that has moved. Existing ones stay. */
  switchTo(url: string): void {
    this.#upstream = upstreamOf(url);
  }

  /** Resets every connection, like a router that has forgotten them. New connections pass. */
  resetAll(): void {
    for (const connection of [...this.#connections]) connection.reset();
  }

  /** Cuts every connection in the middle of what comes next in that direction. New connections pass. */
  cutNext(direction: Direction): void {
    for (const connection of this.#connections) connection.cutNext(direction);
  }

  /** Holds back every byte in both directions, also on new connections, until the returned function is called. */
  stall(): () => void {
    this.#isStalled = true;
    for (const connection of this.#connections) connection.pause();
    return () => {
      this.#isStalled = false;
      for (const connection of this.#connections) connection.resume();
    };
  }

  /**
   * Drops everything on the existing connections, and hides from each side that the other has closed. New connections
   * pass. The returned function ends the connections, as the server's keepalive does in the end.
   */
  blackHole(): () => void {
    const lost = [...this.#connections];
    for (const connection of lost) connection.forget();
    return () => {
      for (const connection of lost) connection.reset();
    };
  }

  /**
   * Terminates the next new connections at the end of their handshake: the client receives ReadyForQuery and the
   * FATAL error in one chunk.
   *
   * @param times - The number of connections.
   */
  terminateNew(times: number): void {
    this.#toTerminate = times;
  }

  /** Terminates every connection at the end of its next statement, like {@link terminateNew}. None may be in use. */
  terminateWhenReady(): void {
    for (const connection of this.#connections) this.#terminate(connection);
  }

  /** The number of connections that {@link terminateNew} and {@link terminateWhenReady} have terminated. */
  get terminated(): number {
    return this.#terminated;
  }

  /**
   * Delays what the clients send on the existing connections, also after they have closed them. New connections pass.
   *
   * @param from - What is sent before the first chunk that this matches is not delayed.
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

  /** Cuts every connection and accepts no more. */
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
