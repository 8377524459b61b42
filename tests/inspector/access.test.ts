import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { createInspector, type Inspector, type InspectorOptions } from "../../src/inspector/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeServer } from "../../test-support/targets.js";

const HOST = "threads.example";
const READ = "/api/threads";
const WRITE = "/api/deleteThread";

describeServer("who the inspector answers", (target) => {
  let saver: PostgresSaver;
  /** The requests that the application was asked about. */
  let asked: string[];

  beforeAll(async () => {
    saver = new PostgresSaver((await target.migratedDatabase()).source);
    await putValues(saver, threadConfig("42"), { plan: "A" });
  });
  afterAll(() => saver.end());
  beforeEach(() => {
    asked = [];
  });

  function inspectorWith(options: Partial<InspectorOptions> = {}): Inspector {
    return createInspector(saver, {
      authorize: ({ method, url }, { action }) => {
        asked.push(`${action} ${method} ${new URL(url).pathname}`);
        return true;
      },
      write: true,
      ...options,
    });
  }

  /** Asks for a path, and returns the status and the code of an error. */
  async function ask(inspector: Inspector, path: string, init: RequestInit = {}): Promise<[number, string?]> {
    const headers = { host: HOST, ...(init.headers as Record<string, string> | undefined) };
    const response = await inspector(new Request(`http://${HOST}${path}`, { ...init, headers }));
    const body = await response.text();
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    const [, code] = /^(?:\{"error":\{"code":"|<!doctype html>[^]*<p>)([A-Z_]+)/.exec(body) ?? [];
    return code === undefined ? [response.status] : [response.status, code];
  }

  function post(headers: Record<string, string> = {}, body = '{"threadId": "none"}'): RequestInit {
    return { method: "POST", body, headers: { "content-type": "application/json", ...headers } };
  }

  it("asks the application about each request: files, calls, and what there is not", async () => {
    const inspector = inspectorWith();
    for (const path of ["/", "/icon.svg", "/nothing", READ]) await ask(inspector, path);
    for (const path of [READ, "/api/nothing", WRITE])
      await ask(inspector, path, post({ "sec-fetch-site": "same-origin" }));
    expect(asked).toEqual([
      ...["read GET /", "read GET /icon.svg", "read GET /nothing", "read GET /api/threads"],
      ...["read POST /api/threads", "read POST /api/nothing", "delete POST /api/deleteThread"],
    ]);
  });

  it("answers below its base path, and knows no other path that begins like it", async () => {
    const inspector = inspectorWith({ basePath: "/admin/threads" });
    const statuses = async (base: string): Promise<number[]> => {
      const [page] = await ask(inspector, base);
      const [call] = await ask(inspector, `${base}/api/threads`, post({}, "{}"));
      return [page, call];
    };
    expect(await statuses("/admin/threads")).toEqual([200, 200]);
    // A router or a proxy may have removed it.
    expect(await ask(inspector, READ, post({}, "{}"))).toEqual([200]);
    for (const base of ["/admin/threads2", "/admin", "/x/admin/threads"]) {
      expect((await ask(inspector, base))[0]).toBe(404);
      expect(
        (await ask(inspector, `${base}/api/threads`, { headers: { "sec-fetch-site": "none" } }))[0],
      ).toBe(404);
    }
  });

  it("lets in only what the application answers with true", async () => {
    for (const nonsense of [false, undefined, null, 1, "true", {}, { status: 200 }, [], { user: "" }]) {
      // A program without types may return anything.
      const authorize = (): never => nonsense as never;
      expect(await ask(inspectorWith({ authorize }), READ, post())).toEqual([403, "FORBIDDEN"]);
    }
    const fails = (): never => {
      throw new Error("secret");
    };
    expect(await ask(inspectorWith({ authorize: fails }), READ, post())).toEqual([500, "AUTHORIZE_FAILED"]);
    const rejects = (): Promise<never> => Promise.reject(new Error("secret"));
    expect(await ask(inspectorWith({ authorize: rejects }), READ, post())).toEqual([500, "AUTHORIZE_FAILED"]);
  });

  it("logs what it may not tell the page, once, and no refusal", async () => {
    const lines: [string, object][] = [];
    const logger = { error: (message: string, fields: object) => lines.push([message, fields]) };
    const { source } = await target.migratedDatabase();
    await using elsewhere = new PostgresSaver(source, undefined, { logger, schema: "nowhere" });
    const authorize = ({ url }: Request): boolean => {
      if (url.includes("secret")) throw new TypeError("secret");
      return true;
    };
    const inspector = createInspector(elsewhere, { authorize, write: true });
    const failed = { code: "MIGRATION_REQUIRED", sqlState: "42P01", error: expect.any(String) };
    // A query of the inspector itself, a method of the saver, and a stream.
    expect(await ask(inspector, READ, post({}, "{}"))).toEqual([500, "MIGRATION_REQUIRED"]);
    const copy = post({ "sec-fetch-site": "same-origin" }, '{"source":"1","target":"2"}');
    expect(await ask(inspector, "/api/copyThread", copy)).toEqual([500, "MIGRATION_REQUIRED"]);
    expect(await ask(inspector, '/events?args={"threadId":"1"}')).toEqual([200]);
    expect(await ask(inspector, "/api/secret")).toEqual([500, "AUTHORIZE_FAILED"]);
    expect(await ask(inspector, "/api/thread", post({}, "{}"))).toEqual([400, "INVALID_CONFIG"]);
    expect(lines).toEqual([
      ["the inspector failed", failed],
      ["copyThread failed", expect.objectContaining(failed)],
      ["the inspector failed", failed],
      [
        "authorize of the inspector failed",
        { code: "TypeError", error: "TypeError", stack: expect.stringContaining("access.test") },
      ],
    ]);
  });

  it.each([
    ["a filter of threads", "threads", (deep: string) => `{"filter":{"a":${deep}}}`],
    ["a filter of items", "items", (deep: string) => `{"prefix":[],"filter":{"a":${deep}}}`],
    [
      "a value of a fork",
      "fork",
      (deep: string) => `{"threadId":"42","namespace":"","checkpointId":"1","values":{"plan":${deep}}}`,
    ],
    ["the arguments", "overview", (deep: string) => deep],
    ["an unknown argument", "thread", (deep: string) => `{"threadId":"42","more":${deep}}`],
  ])("says that %s is nested too deep", async (_what, name, argsWith) => {
    for (const [open, close] of [
      ['{"\\"}":', "}"],
      ["[", "]"],
    ] as const) {
      const deep = `${open.repeat(100_000)}1${close.repeat(100_000)}`;
      const init = post({ "sec-fetch-site": "same-origin" }, argsWith(deep));
      const answer = await inspectorWith()(new Request(`http://${HOST}/api/${name}`, init));
      expect([answer.status, await answer.text()]).toEqual([
        400,
        expect.stringContaining("args: must not be nested deeper than 1000 levels"),
      ]);
    }
  });

  it("takes brackets in texts for texts, and any number of lists beside each other", async () => {
    const filter = {
      text: "[{".repeat(2_000),
      escaped: '"[\\"['.repeat(2_000),
      lists: Array.from({ length: 2_000 }, () => []),
    };
    const init = post({ "sec-fetch-site": "same-origin" }, JSON.stringify({ filter }));
    expect(await ask(inspectorWith(), "/api/threads", init)).toEqual([200]);
  });

  it("refuses each kind of request: pages, files, calls, streams, downloads and exports", async () => {
    const inspector = inspectorWith({ authorize: () => false });
    const args = `args=${encodeURIComponent('{"threadId": "42"}')}`;
    for (const path of [
      "/",
      "/icon.svg",
      "/nothing",
      `/events?${args}`,
      `/download?${args}`,
      `/export?${args}`,
    ]) {
      expect({ path, answer: await ask(inspector, path) }).toEqual({ path, answer: [403, "FORBIDDEN"] });
    }
    for (const path of [READ, "/api/nothing", WRITE]) {
      const answer = await ask(inspector, path, post({ "sec-fetch-site": "same-origin" }));
      expect({ path, answer }).toEqual({ path, answer: [403, "FORBIDDEN"] });
    }
  });

  it("shows a page to a person who opens an address that is refused, and JSON to programs", async () => {
    const answerTo = async (path: string, headers: Record<string, string>, options = {}): Promise<string> => {
      const response = await inspectorWith(options)(new Request(`http://${HOST}${path}`, { headers }));
      const type = response.headers.get("content-type")?.split(";")[0] ?? "";
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      return `${response.status} ${type}`;
    };
    const opened = { "sec-fetch-site": "none", "sec-fetch-mode": "navigate", accept: "text/html,*/*" };
    const refused = { authorize: () => false };
    const failing = { authorize: () => Promise.reject(new Error("secret")) };
    for (const [path, options, status] of [
      ["/", refused, 403],
      ["/", failing, 500],
      ["/nothing", {}, 404],
      ["/api/threads", {}, 405],
      ["/events", {}, 400],
    ] as const) {
      expect(await answerTo(path, opened, options)).toBe(`${status} text/html`);
      // A browser that names no mode.
      expect(await answerTo(path, { accept: "text/html" }, options)).toBe(`${status} text/html`);
      for (const headers of [{}, { accept: "*/*" }, { ...opened, "sec-fetch-mode": "cors" }])
        expect(await answerTo(path, headers, options)).toBe(`${status} application/json`);
    }
    const foreign = { ...opened, "sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe" };
    expect(await answerTo("/", foreign)).toBe("403 text/html");
    expect(await answerTo("/", opened)).toBe("200 text/html");
  });

  it("quotes no HTML on such a page", async () => {
    const place = { kind: "metadata", threadId: `<script>"&'`, namespace: "", checkpointId: "1" };
    const args = encodeURIComponent(JSON.stringify({ place, path: [] }));
    const request = new Request(`http://${HOST}/download?args=${args}`, { headers: { accept: "text/html" } });
    const page = await (await inspectorWith()(request)).text();
    expect(page).toContain("&#60;script&#62;");
    expect(page).not.toContain("<script");
  });

  it("sends the application's own answer as it is", async () => {
    const login = (): Response => Response.redirect("https://login.example/");
    const answer = await inspectorWith({ authorize: login })(new Request(`http://${HOST}/`));
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "https://login.example/"]);
    expect(answer.headers.has("content-security-policy")).toBe(false);
  });

  it("says in its first answer what the caller may do", async () => {
    const authorize: InspectorOptions["authorize"] = (_request, { action }) => action !== "delete";
    const overview = async (options: Partial<InspectorOptions>): Promise<unknown> =>
      (await inspectorWith(options)(new Request(`http://${HOST}/api/overview`, post({}, "{}")))).json();
    expect(await overview({})).toMatchObject({ may: { edit: true, delete: true } });
    expect(await overview({ write: false })).toMatchObject({ may: { edit: false, delete: false } });
    expect(await overview({ authorize })).toMatchObject({ may: { edit: true, delete: false } });
    expect(await ask(inspectorWith({ authorize }), WRITE, post({ origin: `http://${HOST}` }))).toEqual([
      403,
      "FORBIDDEN",
    ]);
    expect(await ask(inspectorWith({ write: false }), WRITE, post({ origin: `http://${HOST}` }))).toEqual([
      403,
      "READ_ONLY",
    ]);
  });

  describe("of browsers", () => {
    const foreign = [403, "FOREIGN_ORIGIN"] as const;
    const navigation = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

    it.each<[headers: Record<string, string>, page: number, read: number, write: number]>([
      [{ "sec-fetch-site": "same-origin" }, 200, 200, 200],
      // A proxy may have changed the host.
      [{ "sec-fetch-site": "same-origin", origin: "https://outside.example" }, 200, 200, 200],
      // A person has typed the address.
      [{ "sec-fetch-site": "none", ...navigation }, 200, 200, 403],
      [{ "sec-fetch-site": "cross-site", ...navigation }, 200, 403, 403],
      [{ "sec-fetch-site": "same-site", ...navigation }, 200, 403, 403],
      [{ "sec-fetch-site": "cross-site", ...navigation, "sec-fetch-dest": "iframe" }, 403, 403, 403],
      [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }, 403, 403, 403],
      [{ "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" }, 403, 403, 403],
      // A browser that knows no Sec-Fetch-Site, or one that does not trust the address.
      [{}, 200, 200, 403],
      [{ origin: `https://${HOST}` }, 200, 200, 200],
      [{ origin: "null" }, 403, 403, 403],
      [{ origin: "" }, 403, 403, 403],
      [{ origin: "http://evil.example" }, 403, 403, 403],
      [{ origin: "http://evil.example", "x-forwarded-host": "evil.example" }, 403, 403, 403],
      [{ origin: `http://${HOST}.evil.example` }, 403, 403, 403],
      [{ origin: `http://${HOST}:81` }, 403, 403, 403],
    ])("%j", async (headers, page, read, write) => {
      const inspector = inspectorWith();
      const statuses = [
        await ask(inspector, "/", { headers }),
        await ask(inspector, READ, post(headers, "{}")),
        await ask(inspector, WRITE, post(headers)),
      ];
      expect(statuses).toEqual([page, read, write].map((status) => (status === 200 ? [200] : foreign)));
      // The application is not asked about the others, because its cookies may be those of a victim.
      expect(asked).toHaveLength([page, read, write].filter((status) => status === 200).length);
    });
  });

  describe("what", () => {
    const origin = `http://${HOST}`;

    it("takes JSON of at most 1 MB", async () => {
      const inspector = inspectorWith();
      const types = [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/jsonx",
        "",
      ];
      for (const type of types) {
        expect(await ask(inspector, WRITE, post({ origin, "content-type": type }))).toEqual([
          415,
          "UNSUPPORTED_MEDIA_TYPE",
        ]);
      }
      const large = `{"threadId": "${"x".repeat(1_000_000)}"}`;
      expect(await ask(inspector, WRITE, post({ origin }, large))).toEqual([413, "TOO_LARGE"]);
      const charset = { origin, "content-type": "Application/JSON; charset=utf-8" };
      expect(await ask(inspector, WRITE, post(charset))).toEqual([200]);
      for (const body of ["", "{", "[]", "null", '{"threadId": 1}', '{"threadId": "a", "__proto__": {}}']) {
        expect({ body, answer: await ask(inspector, WRITE, post({ origin }, body)) }).toEqual({
          body,
          answer: [400, "INVALID_CONFIG"],
        });
      }
    });

    it("takes the arguments of a read in the body, also from who may only read", async () => {
      const inspector = inspectorWith({
        authorize: (_request, { action }) => action === "read",
        write: false,
      });
      expect(await ask(inspector, READ, post({ origin }, '{"limit": 1}'))).toEqual([200]);
      expect(await ask(inspector, READ, post({ origin: "null" }, '{"limit": 1}'))).toEqual([
        403,
        "FOREIGN_ORIGIN",
      ]);
      expect(await ask(inspector, READ, post({ origin, "content-type": "text/plain" }))).toEqual([
        415,
        "UNSUPPORTED_MEDIA_TYPE",
      ]);
    });

    it("has no other methods, and answers HEAD without a body", async () => {
      const inspector = inspectorWith();
      for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
        const answer = await inspector(new Request(`${origin}/`, { method, headers: { origin } }));
        expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
      }
      for (const path of [READ, `${READ}?args=%7B%7D`, WRITE, "/api/nothing"]) {
        for (const method of ["GET", "PUT"]) {
          const answer = await inspector(new Request(origin + path, { method, headers: { origin } }));
          expect([path, answer.status, answer.headers.get("allow")]).toEqual([path, 405, "POST"]);
        }
      }
      expect(await ask(inspector, WRITE)).toEqual([403, "FOREIGN_ORIGIN"]);
      const head = await inspector(new Request(`${origin}/`, { method: "HEAD" }));
      expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([
        200,
        "text/html; charset=utf-8",
        "",
      ]);
    });

    it("refuses arguments and paths that mean nothing", async () => {
      const inspector = inspectorWith();
      for (const args of ["{", "%", "null", '{"limit":1e9}', '{"x":1}', '{"after":"\\u0000"}']) {
        expect({ args, answer: await ask(inspector, READ, post({}, args)) }).toEqual({
          args,
          answer: [400, "INVALID_CONFIG"],
        });
      }
      for (const args of ["{", "%", "%FF", "null", '{"threadId":1}', '{"threadId":"\\u0000"}']) {
        expect({ args, answer: await ask(inspector, `/events?args=${args}`) }).toEqual({
          args,
          answer: [400, "INVALID_CONFIG"],
        });
      }
      const paths = ["/..%2f", "/%00", "/__proto__", "/toString", "//evil.example/", "/%"];
      for (const path of paths)
        expect({ path, answer: await ask(inspector, path) }).toEqual({ path, answer: [404, "NOT_FOUND"] });
      for (const path of ["/api/__proto__", "/api/toString", "/api/"]) {
        const answer = await ask(inspector, path, post({ origin }, "{}"));
        expect({ path, answer }).toEqual({ path, answer: [404, "NOT_FOUND"] });
      }
    });
  });

  it("tells a failure by the words of this library, never by those of drivers and servers", async () => {
    const lost = new PostgresSaver("postgres://app:s3cret@127.0.0.1:1/agents", undefined, { retry: false });
    const inspector = createInspector(lost, { authorize: () => true });
    const response = await inspector(new Request(`http://${HOST}${READ}`, post({}, "{}")));
    expect([response.status, await response.json()]).toEqual([
      503,
      { error: { code: "CONNECTION_FAILED", message: "no connection to the database (ECONNREFUSED)" } },
    ]);
    await lost.end();
  });
});
