import { EventEmitter, once } from "node:events";
import { Agent, createServer, get, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import express from "express";
import { Hono } from "hono";
import { mount } from "hono/mount";
import { PostgresSaver } from "../../src/index.js";
import { createInspector, type Inspector, nodeListener } from "../../src/inspector/index.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeServer } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";

/** The handlers of a route of Next.js: `export const GET = inspector`. */
interface NextRoute {
  readonly GET: (request: Request, context: { params: Promise<{ path?: string[] }> }) => Promise<Response>;
  readonly POST: NextRoute["GET"];
}

const API = "api/threads";
const EVENTS = `events?args=${encodeURIComponent('{"threadId": "42"}')}`;

describeServer("the inspector in a server", (target) => {
  let saver: PostgresSaver;
  let checkpointId: string;
  let servers: Server[] = [];

  beforeAll(async () => {
    saver = new PostgresSaver((await target.migratedDatabase()).source);
    const { checkpoint } = await putValues(saver, threadConfig("42"), { plan: "A" });
    checkpointId = checkpoint.id;
  });
  afterAll(() => saver.end());
  afterEach(async () => {
    for (const server of servers) server.closeAllConnections();
    await close();
  });

  async function close(): Promise<void> {
    await Promise.all(servers.map((server) => once(server.close(), "close")));
    servers = [];
  }

  function inspectorAt(basePath?: string): Inspector {
    return createInspector(saver, { authorize: () => true, write: true, basePath });
  }

  async function listen(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    servers.push(server);
    await once(server.listen(0, "127.0.0.1"), "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  function inExpress(path: string, basePath?: string): RequestListener {
    return express().use(path, nodeListener(inspectorAt(basePath)));
  }

  function inRouter(): RequestListener {
    const router = express.Router().use("/inspector", nodeListener(inspectorAt("/admin/inspector")));
    return express().use("/admin", router);
  }

  function inHono(addRoutes: (app: Hono) => Hono): RequestListener {
    const app = addRoutes(new Hono());
    return nodeListener(async (request) => app.fetch(request));
  }

  /** By how it is mounted: the server, and the address of the page. */
  const MOUNTS: [string, () => RequestListener, string][] = [
    ["node:http", () => nodeListener(inspectorAt()), "/"],
    ["node:http, below a path", () => nodeListener(inspectorAt("/inspector")), "/inspector/"],
    ["node:http, without the slash", () => nodeListener(inspectorAt("/inspector/")), "/inspector"],
    ["Express", () => inExpress("/inspector", "/inspector"), "/inspector/"],
    ["Express, without the slash", () => inExpress("/inspector", "/inspector"), "/inspector"],
    ["Express, without a base path", () => inExpress("/inspector"), "/inspector/"],
    ["Express, with neither", () => inExpress("/inspector"), "/inspector?x=1"],
    ["Express, in a router", inRouter, "/admin/inspector"],
    [
      "Hono",
      () => inHono((app) => app.all("/inspector/*", ({ req }) => inspectorAt("/inspector")(req.raw))),
      "/inspector",
    ],
    [
      "Hono, mounted",
      () => inHono((app) => app.all("/inspector/*", mount(inspectorAt("/inspector")))),
      "/inspector",
    ],
    [
      "Hono, mounted without a base path",
      () => inHono((app) => app.all("/inspector/*", mount(inspectorAt()))),
      "/inspector/",
    ],
  ];

  describeInBrowser("in Chromium", (browser) => {
    it.each(MOUNTS)("works in %s", async (_name, create, path) => {
      const url = new URL(path, await listen(create())).href;
      const page = await browser.openPage(url);
      const link = page.getByRole("link", { name: "42" });
      await link.waitFor();
      const loads: string[] = [];
      page.on("request", (request) => {
        if (request.isNavigationRequest()) loads.push(request.url());
      });
      await link.click();
      await page.waitForURL(/#\/thread\/42$/);
      // A link within the page loads nothing anew.
      expect(loads).toEqual([]);
    });

    it("says what to do where a parser before it takes no long body", async () => {
      const app = express()
        .use(express.json())
        .use("/inspector", nodeListener(inspectorAt("/inspector")))
        // By default, Express prints what it answers.
        .set("env", "test");
      const url = `${await listen(app)}/inspector/#/threads?search=${"x".repeat(110_000)}`;
      const page = await browser.openPage(url);
      await page.getByRole("alert").getByText("Mount the inspector before express.json()").waitFor();
    });
  });

  it.each<[string, (inspector: Inspector) => RequestListener]>([
    ["node:http", nodeListener],
    ["Express", (inspector) => express().use(nodeListener(inspector))],
    ["Hono", (inspector) => inHono((app) => app.all("*", ({ req }) => inspector(req.raw)))],
  ])("ends a stream when the browser leaves %s", async (_name, mount) => {
    const left = new AbortController();
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(Buffer.from("data: 1\n\n"));
      },
      cancel: () => {
        left.abort();
      },
    });
    const ended = once(left.signal, "abort");
    const browser = new AbortController();
    const url = await listen(mount(() => Promise.resolve(new Response(stream))));
    const { body } = await fetch(url, { signal: browser.signal });
    expect((await body?.getReader().read())?.value).toBeDefined();
    browser.abort();
    await ended;
  });

  describe("when the server is closed", () => {
    const MOUNTED = [nodeListener, (inspector: Inspector) => express().use(nodeListener(inspector))];

    it("ends the streams of open pages, and of pages that do not read, which fill no memory meanwhile", async () => {
      const pieces: number[] = [];
      const endless = (index: number): ReadableStream<Uint8Array> =>
        new ReadableStream({
          pull: (controller) => {
            pieces[index] = (pieces[index] ?? 0) + 1;
            controller.enqueue(new Uint8Array(65_536));
          },
        });
      const headers = { "content-type": "text/event-stream" };
      const [readers, sockets]: [ReadableStreamDefaultReader<Uint8Array>[], Socket[]] = [[], []];
      for (const [index, mount] of MOUNTED.entries()) {
        const { body } = await fetch(`${await listen(mount(inspectorAt()))}/${EVENTS}`);
        if (body !== null) readers.push(body.getReader());
        const stalled = mount(() => Promise.resolve(new Response(endless(index), { headers })));
        const socket = connect(Number(new URL(await listen(stalled)).port), "127.0.0.1").pause();
        socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        sockets.push(socket);
      }
      let seen = "";
      await until(() => {
        const isFull = pieces.length === MOUNTED.length && pieces.join() === seen;
        seen = pieces.join();
        return isFull;
      });
      for (const reader of readers) expect((await reader.read()).done).toBe(false);
      await close();
      for (const reader of readers) {
        for (let isOpen = true; isOpen;) isOpen = !(await reader.read()).done;
      }
      for (const socket of sockets) socket.destroy();
    });

    it("ends the connection of a page that goes on asking", async () => {
      const calls = new EventEmitter();
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const url = await listen(
        nodeListener(async () => {
          calls.emit("asked");
          await once(calls, "answer");
          return new Response("");
        }),
      );
      const ask = async (): Promise<string | undefined> => {
        const [response] = (await once(get(url, { agent }), "response")) as [IncomingMessage];
        await text(response);
        return response.headers.connection;
      };
      const isAsked = once(calls, "asked");
      const [first, second] = [ask(), ask()];
      await isAsked;
      const closed = close();
      const isAskedAgain = once(calls, "asked");
      calls.emit("answer");
      expect(await first).toBe("keep-alive");
      await isAskedAgain;
      calls.emit("answer");
      expect(await second).toBe("close");
      await closed;
    });
  });

  describe("mounted in Express after a parser of bodies", () => {
    const post = (url: string, body: string, type = "application/json"): Promise<Response> =>
      fetch(url, { method: "POST", body, headers: { "content-type": type, origin: new URL(url).origin } });

    it("takes the parsed body, and says what is wrong with any other", async () => {
      const app = express()
        .use(express.json(), express.text())
        .use("/inspector", nodeListener(inspectorAt("/inspector")));
      const url = `${await listen(app)}/inspector/api/deleteThread`;
      expect((await post(url, '{"threadId": "none"}')).status).toBe(200);
      expect((await post(url, "text", "text/plain")).status).toBe(415);
      const form = await post(url, "threadId=42", "application/x-www-form-urlencoded");
      expect(form.status).toBe(415);
    });

    it.each([
      ["a text", express.text({ type: "application/json" })],
      ["bytes", express.raw({ type: "application/json" })],
    ])("takes a body that was read as %s", async (_, parser) => {
      const url = await listen(express().use(parser).use(nodeListener(inspectorAt())));
      expect((await post(`${url}/api/deleteThread`, '{"threadId": "none"}')).status).toBe(200);
    });

    it("says so where the body was read and is gone", async () => {
      const app = express()
        .use((request, _response, next) => {
          request.resume().once("end", () => {
            next();
          });
        })
        .use(nodeListener(inspectorAt()));
      const answer = await post(`${await listen(app)}/api/deleteThread`, '{"threadId": "none"}');
      expect([answer.status, await answer.json()]).toEqual([
        500,
        { error: { code: "BODY_USED", message: expect.stringContaining("before what reads bodies") } },
      ]);
    });

    it("reads the body itself where a middleware has only put an empty one in its place", async () => {
      const app = express()
        .use((request, _response, next) => {
          Object.assign(request, { body: {} });
          next();
        })
        .use(nodeListener(inspectorAt()));
      expect((await post(`${await listen(app)}/api/deleteThread`, '{"threadId": "none"}')).status).toBe(200);
    });
  });

  it("sends files packed where the header that says so arrives, to browsers that take them", async () => {
    const inspector = inspectorAt();
    const url = await listen(nodeListener(inspector));
    const html = await (await fetch(url)).text();
    const file = /src="\.(\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? "";
    const ask = (encoding: string, method = "GET"): Promise<Response> =>
      fetch(url + file, { method, headers: { "accept-encoding": encoding } });

    const packed = await ask("deflate, gzip");
    const size = Number(packed.headers.get("content-length"));
    const content = await packed.text();
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(size).toBeGreaterThan(0);
    expect(size).toBeLessThan(content.length / 2);
    for (const encoding of ["identity", "gzip;q=0"]) {
      const unpacked = await ask(encoding);
      expect(unpacked.headers.get("content-encoding")).toBeNull();
      expect(unpacked.headers.get("vary")).toBe("accept-encoding");
      expect(await unpacked.text()).toBe(content);
    }
    const head = await ask("gzip", "HEAD");
    expect(["content-encoding", "content-length"].map((name) => head.headers.get(name))).toEqual([
      null,
      null,
    ]);

    // Next.js drops the header, and packs answers itself.
    const answer = await inspector(new Request(url + file, { headers: { "accept-encoding": "gzip" } }));
    expect(answer.headers.get("content-encoding")).toBeNull();
    expect(await answer.text()).toBe(content);
  });

  it("sends streams and downloads so that no middleware keeps them to compress them", async () => {
    const inspector = inspectorAt();
    const stream = await inspector(new Request(`http://localhost/${EVENTS}`));
    await stream.body?.cancel();
    const place = { kind: "metadata", threadId: "42", namespace: "", checkpointId };
    const download = await inspector(
      new Request(
        `http://localhost/download?args=${encodeURIComponent(JSON.stringify({ place, path: [] }))}`,
      ),
    );
    expect(await download.json()).toMatchObject({ source: "loop" });
    for (const { headers } of [stream, download])
      expect(headers.get("cache-control")).toBe("no-store, no-transform");
  });

  it("has the signature of a route of Next.js", async () => {
    const inspector = inspectorAt("/inspector");
    const route: NextRoute = { GET: inspector, POST: inspector };
    const params = Promise.resolve({ path: ["api", "threads"] });
    const headers = { "content-type": "application/json" };
    const request = new Request(`https://app.example/inspector/${API}`, {
      ...{ method: "POST", body: "{}", headers },
    });
    const answer = await route.POST(request, { params });
    expect(await answer.json()).toMatchObject({ threads: [{ threadId: "42" }] });
  });

  it("answers an address that is none", async () => {
    const url = await listen(nodeListener(inspectorAt()));
    const { port } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.end("GET http://[/ HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n");
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  });
});
