import { once } from "node:events";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { type Inspector, inspectorWith } from "../../src/inspector/create-inspector.js";
import { type LocalServer, serveLocally } from "../../src/inspector/local/serve-locally.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeServer } from "../../test-support/targets.js";

const OVERVIEW = "/api/overview";

describeServer("the inspector of the command line", (target) => {
  let saver: PostgresSaver;
  let stop: AbortController;
  beforeAll(async () => {
    saver = new PostgresSaver((await target.migratedDatabase()).source);
    await putValues(saver, threadConfig("42"), { plan: "A" });
  });
  afterAll(() => saver.end());

  async function serve(): Promise<LocalServer & { readonly host: string; readonly answers: string[] }> {
    stop = new AbortController();
    const answers: string[] = [];
    const server = await serveLocally(
      (authorize) => {
        const inspector = inspectorWith(saver, { authorize, write: true });
        return async (request) => {
          const answer = await inspector(request);
          const site = request.headers.get("sec-fetch-site") ?? "";
          answers.push(`${request.method} ${site} ${answer.status}`);
          return answer;
        };
      },
      { signal: stop.signal },
    );
    return { ...server, host: new URL(server.address).host, answers };
  }

  afterEach(() => {
    stop.abort();
  });

  async function cookieOf({ address, host }: { address: string; host: string }): Promise<string> {
    const { headers } = await ask(host, new URL(address).search.replace("?", "/?"));
    return String(headers["set-cookie"]).split(";")[0] ?? "";
  }

  it("listens on this machine only", async () => {
    const { host } = await serve();
    expect(host).toMatch(/^127\.0\.0\.1:\d+$/);
    const other = host.replace("127.0.0.1", "127.0.0.2");
    await expect(ask(other, "/")).rejects.toThrow("ECONNREFUSED");
  });

  it("lets the first browser in that opens the printed address, and no other", async () => {
    const { address, host } = await serve();
    const { port, search } = new URL(address);
    const first = await ask(host, `/${search}`);
    expect(first).toMatchObject({ status: 303, headers: { location: "/" } });
    expect(String(first.headers["set-cookie"])).toMatch(
      new RegExp(`^inspector-${port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/$`),
    );
    const second = await ask(host, `/${search}`);
    expect(second).toMatchObject({ status: 401, body: expect.stringContaining("start `inspect` again") });
    expect(second.headers["set-cookie"]).toBeUndefined();
  });

  it("does not use the token up for what only looks at the address", async () => {
    const { address, host } = await serve();
    const path = `/${new URL(address).search}`;
    expect(await ask(host, path, { method: "HEAD" })).toMatchObject({ status: 405 });
    expect(await ask(host, path, { headers: { "sec-purpose": "prefetch" } })).toMatchObject({ status: 503 });
    expect(await ask(host, path)).toMatchObject({ status: 303 });
  });

  it("answers nothing without the cookie", async () => {
    const { address, host } = await serve();
    const cookie = await cookieOf({ address, host });
    const paths = [
      "/",
      "/index.html",
      "/icon.svg",
      "/assets/x.js",
      OVERVIEW,
      "/api/checkPrune",
      "/api/nothing",
    ];
    for (const wrong of ["", "x=1", `${cookie}x`, cookie.slice(0, -1), `${cookie.split("=")[0] ?? ""}=`]) {
      const answers = await Promise.all(paths.map((path) => ask(host, path, { headers: { cookie: wrong } })));
      expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 401));
    }
    expect(await ask(host, "/index.html", { headers: { cookie: `a=b; ${cookie}` } })).toMatchObject({
      status: 200,
    });
  });

  it("answers no other host, whatever a proxy claims", async () => {
    const { address, host } = await serve();
    const { port, search } = new URL(address);
    const cookie = await cookieOf({ address, host });
    for (const name of [
      `evil.example:${port}`,
      "127.0.0.1",
      "localhost",
      `127.0.0.1.evil.example:${port}`,
      "[::1]",
    ]) {
      const headers = { host: name, cookie, "x-forwarded-host": host, forwarded: `host=${host}` };
      expect({ name, ...(await ask(host, OVERVIEW, { headers })) }).toMatchObject({ name, status: 421 });
      expect(await ask(host, `/${search}`, { headers })).toMatchObject({ status: 421 });
    }
    const local = { host: `localhost:${port}`, cookie };
    expect(await ask(host, "/index.html", { headers: local })).toMatchObject({ status: 200 });
  });

  it("ends with its signal, and ends what it streams", async () => {
    stop = new AbortController();
    const left = new AbortController();
    const endless = new ReadableStream<string>({
      start: (controller) => {
        controller.enqueue("data: 1");
      },
    });
    const inspector: Inspector = ({ signal }) => {
      signal.addEventListener("abort", () => {
        left.abort();
      });
      return Promise.resolve(new Response(endless.pipeThrough(new TextEncoderStream())));
    };
    const { address, ended } = await serveLocally(() => inspector, { signal: stop.signal });
    const { body } = await fetch(new URL("/stream", address));
    stop.abort();
    await ended;
    expect(left.signal.aborted).toBe(true);
    await expect(body === null ? undefined : text(body)).rejects.toThrow("terminated");
    await expect(fetch(address)).rejects.toThrow("fetch failed");
  });

  it("names the port that it can't have", async () => {
    const { address } = await serve();
    const port = Number(new URL(address).port);
    const another = serveLocally(() => () => Promise.resolve(new Response()), { signal: stop.signal, port });
    await expect(another).rejects.toThrow(`--port: can't listen on ${port}: another program uses it`);
  });

  describeInBrowser("in Chromium", (browser) => {
    it("keeps no token in the address, and opens again in the same browser", async () => {
      const { address, host } = await serve();
      const page = await browser.openAlone(address);
      await page.getByRole("link", { name: "42" }).waitFor();
      expect(page.url()).toMatch(new RegExp(`^http://${host}/(#.*)?$`));
      await page.goto(address);
      await page.getByRole("link", { name: "42" }).waitFor();
    });

    it("opens after a link of another site, which neither reads nor changes anything itself", async () => {
      const { address, host, answers } = await serve();
      const [elsewhere, close] = await serveBlank();
      const page = await browser.openAlone(`http://localhost:${elsewhere}/`);
      await page.evaluate((href) => {
        location.href = href;
      }, address);
      await page.getByRole("link", { name: "42" }).waitFor();
      expect(page.url()).toMatch(new RegExp(`^http://${host}/(#.*)?$`));
      // Another port of the same host is the same site: the browser sends the cookie along.
      await page.goto(`http://127.0.0.1:${elsewhere}/`);
      answers.length = 0;
      await page.evaluate(
        async ([read, write]) => {
          const options: RequestInit = { mode: "no-cors", credentials: "include" };
          const body = '{"threadId": "42", "namespace": "", "checkpointId": "x", "values": {}}';
          await Promise.allSettled([
            fetch(read, options),
            fetch(write, { ...options, method: "POST", body }),
          ]);
        },
        [`http://${host}${OVERVIEW}`, `http://${host}/api/fork`] as const,
      );
      // The inspector may still have been answering its own page.
      const toOthers = answers.filter((answer) => !answer.includes(" same-origin "));
      expect(toOthers.sort()).toEqual(["GET same-site 403", "POST same-site 403"]);
      await close();
    });
  });
});

/** Serves an empty page without any policy. */
async function serveBlank(): Promise<[port: number, close: () => Promise<unknown>]> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<p>elsewhere");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const close = (): Promise<unknown> => {
    server.closeAllConnections();
    return once(server.close(), "close");
  };
  return [(server.address() as AddressInfo).port, close];
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Sends a request as it is: `fetch` would replace its host. */
function ask(
  host: string,
  path: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const [hostname, port] = host.split(":");
  return new Promise((resolve, reject) => {
    const options = { hostname, port, path, method, agent: false, headers: { host, ...headers } };
    send(options, (response) => {
      text(response).then((body) => {
        resolve({ status: response.statusCode, headers: response.headers, body });
      }, reject);
    })
      .on("error", reject)
      .end();
  });
}
