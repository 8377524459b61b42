import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { TcpProxy } from "./tcp-proxy.js";

/** A message that is long enough to be cut. */
const MESSAGE = "0123456789";

describe("a proxy", () => {
  let echo: Server;
  let served: Socket[];
  let proxy: TcpProxy;
  let clients: Socket[];

  beforeEach(async () => {
    served = [];
    clients = [];
    echo = createServer((socket) => {
      served.push(socket);
      socket.on("error", () => undefined);
      socket.pipe(socket);
    }).listen(0, "127.0.0.1");
    await once(echo, "listening");
    proxy = await TcpProxy.open(`tcp://127.0.0.1:${(echo.address() as AddressInfo).port}`);
  });

  afterEach(async () => {
    for (const client of clients) client.destroy();
    await proxy.close();
    echo.close();
    for (const socket of served) socket.destroy();
  });

  async function open(): Promise<Socket> {
    const { hostname, port } = new URL(proxy.url);
    const client = connect(Number(port), hostname);
    client.setEncoding("utf8").on("error", () => undefined);
    clients.push(client);
    await once(client, "connect");
    return client;
  }

  async function say(client: Socket, text = MESSAGE): Promise<unknown> {
    const answer = once(client, "data");
    client.write(text);
    return (await answer)[0] as unknown;
  }

  /** Not by `once` of node:events, which throws what is an error on the way. */
  function closing(socket: Socket): Promise<void> {
    return new Promise((resolve) => {
      socket.once("close", () => {
        resolve();
      });
    });
  }

  /** A client whose connection is known to reach the server. */
  async function openThrough(): Promise<Socket> {
    const client = await open();
    expect(await say(client)).toBe(MESSAGE);
    return client;
  }

  it("lets everything through both ways", async () => {
    await openThrough();
  });

  it("resets every connection, and lets new ones through", async () => {
    const client = await openThrough();
    const closed = closing(client);
    proxy.resetAll();
    await closed;
    await openThrough();
  });

  it("cuts a connection half way through what is sent", async () => {
    const client = await openThrough();
    const [socket] = served;
    const got: string[] = [];
    socket?.on("data", (chunk) => got.push(chunk.toString()));
    const closed = closing(client);
    proxy.cutNext("toServer");
    client.write(MESSAGE);
    await closed;
    expect(got).toEqual(["01234"]);
  });

  it("cuts a connection half way through what is answered", async () => {
    const client = await openThrough();
    const closed = closing(client);
    proxy.cutNext("toClient");
    expect(await say(client)).toBe("01234");
    await closed;
  });

  it("holds everything back while it is stalled, on new connections too, and then delivers it", async () => {
    const before = await openThrough();
    const resume = proxy.stall();
    const during = await open();
    const answers: string[] = [];
    for (const client of [before, during]) client.on("data", (text: string) => answers.push(text));
    const both = Promise.all([once(before, "data"), once(during, "data")]);
    before.write(MESSAGE);
    during.write(MESSAGE);
    // Another proxy on the same server: what it is asked now is answered after what the first had let through.
    const other = await TcpProxy.open(proxy.url.replace(/:\d+$/, `:${(echo.address() as AddressInfo).port}`));
    const { hostname, port } = new URL(other.url);
    const observer = connect(Number(port), hostname).setEncoding("utf8");
    clients.push(observer);
    await say(observer);
    expect(answers).toEqual([]);
    resume();
    await both;
    expect(answers).toEqual([MESSAGE, MESSAGE]);
    await other.close();
  });

  it("swallows everything in a black hole silently, while new connections work", async () => {
    const lost = await openThrough();
    const end = proxy.blackHole();
    const answers: unknown[] = [];
    lost.on("data", (text) => answers.push(text));
    lost.write(MESSAGE);
    await openThrough();
    expect(answers).toEqual([]);
    expect(lost.closed).toBe(false);
    expect(served[0]?.closed).toBe(false);
    const closed = Promise.all([lost, ...served.slice(0, 1)].map(closing));
    end();
    await closed;
  });
});
