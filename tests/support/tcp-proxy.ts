import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Stands between a client and a server, and cuts their connections when it is told to. */
export class TcpProxy {
  /** The server's connection string, by way of the proxy. */
  readonly url: string;
  readonly #server: Server;
  readonly #clients: Set<Socket>;

  private constructor(server: Server, clients: Set<Socket>, url: string) {
    this.#server = server;
    this.#clients = clients;
    this.url = url;
  }

  /** Opens a proxy in front of the server that `url` names. */
  static async open(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url);
    const clients = new Set<Socket>();
    const server = createServer((client) => {
      const upstream = connect(Number(port), hostname);
      clients.add(client);
      client.pipe(upstream).pipe(client);
      client.on("error", () => upstream.destroy());
      upstream.on("error", () => client.destroy());
      client.on("close", () => {
        clients.delete(client);
        upstream.destroy();
      });
      upstream.on("close", () => client.destroy());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address() as AddressInfo;
    const proxied = new URL(url);
    proxied.hostname = address.address;
    proxied.port = String(address.port);
    return new TcpProxy(server, clients, proxied.href);
  }

  /** Resets every connection, as a router does that has forgotten them. New ones are let through. */
  resetAll(): void {
    for (const client of this.#clients) client.resetAndDestroy();
  }

  /** Cuts every connection and takes no more. */
  async close(): Promise<void> {
    this.resetAll();
    this.#server.close();
    await once(this.#server, "close");
  }
}
