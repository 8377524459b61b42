import { describe, expect, it } from "@jest/globals";
import { packPageFile, pageFile } from "./page-files.js";

const BASE = '<head><base href="/threads/">';

async function textOf(basePath: string, path: string): Promise<string | undefined> {
  return (await pageFile(basePath, path))?.text();
}

async function scriptPath(): Promise<string> {
  return /src="\.(\/assets\/[^"]+\.js)"/.exec((await textOf("", "")) ?? "")?.[1] ?? "";
}

describe("the page", () => {
  it("is at the root, and says where it is below a path", async () => {
    const page = await textOf("", "");
    expect(page).toContain("<head>");
    expect(page).not.toContain("<base");
    expect(await textOf("", "/")).toBe(page);
    expect(await textOf("", "/index.html")).toBe(page);
    expect(await textOf("/threads", "/")).toBe(page?.replace("<head>", BASE));
    expect(await textOf("", "/nothing")).toBeUndefined();
    expect((await pageFile("", "/"))?.headers.get("cache-control")).toBeNull();
  });

  it.each([
    ["gzip", true],
    ["br, gzip", true],
    ["deflate;q=1 , GZIP ; q=0.5", true],
    ["gzip;q=0.01", true],
    ["gzip;q=0", false],
    ["gzip;q=0.00", false],
    ["identity", false],
    ["xgzip", false],
    [undefined, false],
  ])("has files that are sent packed to who accepts %j: %j", async (accepted, isPacked) => {
    const headers = accepted === undefined ? {} : { "accept-encoding": accepted };
    const request = new Request("http://localhost/", { headers });
    const file = await pageFile("", await scriptPath());
    if (file === undefined) throw new Error("the page has no script");
    const plain = await (await pageFile("", await scriptPath()))?.text();
    const sent = packPageFile(request, file);
    expect(sent.headers.get("content-encoding")).toBe(isPacked ? "gzip" : null);
    expect(sent.headers.get("vary")).toBe("accept-encoding");
    expect(sent.headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
    const content = Buffer.from(await sent.arrayBuffer());
    expect(sent.headers.get("content-length")).toBe(isPacked ? String(content.byteLength) : null);
    expect(isPacked ? content.subarray(0, 2).toString("hex") : content.toString()).toBe(
      isPacked ? "1f8b" : plain,
    );
  });

  it("packs nothing else", () => {
    const request = new Request("http://localhost/", { headers: { "accept-encoding": "gzip" } });
    for (const response of [new Response("other"), new Response(null)])
      expect(packPageFile(request, response)).toBe(response);
  });
});
