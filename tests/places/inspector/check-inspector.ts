import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { files } from "#inspector-page";
import { z } from "zod";

/** The headers that a browser sends for somebody who is let in. */
export type Visitor = Readonly<Record<string, string>>;

/** Whom the examples of docs/inspector.md let in. */
const ADMIN: Visitor = { "x-forwarded-email": "ada@example.com" };
const FROM_PAGE = { "sec-fetch-site": "same-origin" };

const PATH = "/inspector";
/** How long an answer may take on a busy machine. An event that is kept back comes later, or never. */
const LONGEST_MS = 10_000;

const Threads = z.object({ threads: z.array(z.object({ threadId: z.string(), checkpointId: z.string() })) });

/** Uses an inspector as a browser does. There is a thread \`inspected\` with a long text. */
export async function checkInspector(origin: string, visitor = ADMIN): Promise<void> {
  const headers = { ...FROM_PAGE, ...visitor };
  const readThreads = (from: Visitor): Promise<Response> =>
    fetch(`${origin}${PATH}/api/threads`, {
      ...{ method: "POST", body: JSON.stringify({ limit: 1 }), redirect: "manual" },
      headers: { ...from, "content-type": "application/json" },
    });
  for (const path of [PATH, `${PATH}/`]) await checkPage(`${origin}${path}`, headers);

  const { threads } = Threads.parse(await jsonOf(await readThreads(headers)));
  const [thread] = threads;
  assert.equal(thread?.threadId, "inspected");

  const place = { kind: "channel", threadId: "inspected", namespace: "", channel: "text" };
  const args = { place: { ...place, checkpointId: thread.checkpointId }, path: [] };
  const download = await fetch(`${origin}${PATH}/download?${query(args)}`, { headers });
  assert.equal(await download.text(), "a".repeat(3_000_000));

  const events = await checkEvents(origin, visitor);
  await events.cancel();

  for (const refused of [FROM_PAGE, { ...visitor, "sec-fetch-site": "cross-site" }]) {
    const answer = await readThreads(refused);
    await answer.body?.cancel();
    assert.ok([303, 403].includes(answer.status), `a stranger gets ${answer.status}`);
  }
}

/** Opens the events of the thread, and returns the stream after the first one, which must not wait for others. */
export async function checkEvents(
  origin: string,
  visitor = ADMIN,
): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const stop = new AbortController();
  const timeout = setTimeout(() => {
    stop.abort(new Error("No event has come"));
  }, LONGEST_MS);
  const url = `${origin}${PATH}/events?${query({ threadId: "inspected" })}`;
  const response = await fetch(url, { headers: { ...FROM_PAGE, ...visitor }, signal: stop.signal });
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const reader = response.body?.getReader();
  assert.ok(reader);
  for (let text = ""; !/^data: .*\n\n/m.test(text);) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`The stream has ended: ${text}`);
    text += Buffer.from(value).toString();
  }
  clearTimeout(timeout);
  return reader;
}

/** Opens the page, and loads the files that it names. */
async function checkPage(url: string, headers: Visitor): Promise<void> {
  const page = await fetch(url, { headers });
  const html = await page.text();
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8", html);
  const base = new URL(/<base href="([^"]*)"/.exec(html)?.[1] ?? "", page.url);
  const names = [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, name = ""]) => name);
  assert.ok(names.length > 1, html);
  for (const name of names) {
    const built = files[name];
    assert.ok(built, name);
    const file = await fetch(new URL(name, base), { headers });
    assert.equal(file.headers.get("content-type"), built.type);
    const content = gunzipSync(Buffer.from(built.gzip, "base64"));
    assert.ok(content.equals(Buffer.from(await file.arrayBuffer())), `${name} has other bytes`);
  }
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text);
}

function query(args: object): string {
  return new URLSearchParams({ args: JSON.stringify(args) }).toString();
}
