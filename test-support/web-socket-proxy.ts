import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { createWebSocketStream, WebSocketServer } from "ws";

/** Ends the names of hosts that only the proxy finds. */
const SUFFIX = ".proxied.invalid";

/**
 * Connects WebSockets with servers, as the proxies of Neon do for its driver. They have other names for the driver, so that nothing gets
 * past the proxy.
 *
 * @example
 * ```ts
 * const proxy = await WebSocketProxy.open();
 * neonConfig.wsProxy = proxy.address;
 * const pool = new Pool({ connectionString: WebSocketProxy.rename(server.url) });
 * await proxy.close();
 * ```
 */
export class WebSocketProxy {
  readonly #server: WebSocketServer;

  private constructor(server: WebSocketServer) {
    this.#server = server.on("connection", (socket, { url = "" }) => {
      const client = createWebSocketStream(socket);
      const address = new URL(url, "ws://proxy").searchParams.get("address");
      const { hostname, port } = new URL(`tcp://${address}`);
      const upstream = connect(Number(port), hostname.replace(SUFFIX, ""));
      client.on("error", () => upstream.destroy()).on("close", () => upstream.end());
      upstream.on("error", () => client.destroy()).on("close", () => client.end());
      client.pipe(upstream).pipe(client);
    });
  }

  /** Returns a connection string by which only the proxy finds the server. */
  static rename(connectionString: string): string {
    const url = new URL(connectionString);
    url.hostname += SUFFIX;
    return url.href;
  }

  /** Opens a proxy. The parameter `address` of each WebSocket names the server, such as `db.proxied.invalid:5432`. */
  static async open(): Promise<WebSocketProxy> {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, path: "/v1" });
    await once(server, "listening");
    return new WebSocketProxy(server);
  }

  /** Where the proxy is, without a scheme. */
  get address(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return `${address}:${port}/v1`;
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate();
    this.#server.close();
    await once(this.#server, "close");
  }
}
