import { getEventListeners, once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { noop } from "../../src/db/async/noop.js";
import { eventStream } from "../../src/inspector/http/event-stream.js";
import { ManualTime } from "../../test-support/manual-time.js";

const time = new ManualTime();
beforeEach(() => {
  time.start();
});
afterEach(() => {
  time.stop();
});

function open(
  events: (signal: AbortSignal) => AsyncIterable<object>,
  ending: readonly AbortSignal[] = [],
): ReadableStreamDefaultReader<Uint8Array> {
  const { body } = eventStream(events, { ending, onFailure: noop });
  if (body === null) throw new Error("the stream has no body");
  return body.getReader();
}

async function textOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string | undefined> {
  const { value } = await reader.read();
  return value === undefined ? undefined : Buffer.from(value).toString();
}

/** Lets everything happen that can happen by itself. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

it("a stream takes no more events than its page reads, and leaves the rest when it ends", async () => {
  const state = { taken: 0, hasEnded: false };
  async function* endless(): AsyncGenerator<object, undefined> {
    try {
      for (;;) yield await Promise.resolve({ number: state.taken++ });
    } finally {
      state.hasEnded = true;
    }
  }
  const saver = new AbortController();
  const reader = open(endless, [saver.signal]);
  expect(await textOf(reader)).toMatch(/^retry: \d+\n\n$/);
  await settle();
  expect(state.taken).toBe(1);
  expect(await textOf(reader)).toBe('data: {"number":0}\n\n');
  await settle();
  expect(state.taken).toBe(2);
  saver.abort();
  await settle();
  expect(state).toEqual({ taken: 2, hasEnded: true });
});

it("a stream leaves nothing on the signals that end it, which live as long as the inspector", async () => {
  const saver = new AbortController();
  async function* events(): AsyncGenerator<object, undefined> {
    yield await Promise.resolve({});
  }
  const read = open(events, [saver.signal]);
  expect(getEventListeners(saver.signal, "abort")).toHaveLength(1);
  while ((await textOf(read)) !== undefined);
  const left = open(events, [saver.signal]);
  await left.cancel();
  await settle();
  expect(getEventListeners(saver.signal, "abort")).toEqual([]);
});

it("a stream without events ends after 20 seconds, so that no shutdown and no authorization lasts longer than that", async () => {
  async function* quiet(signal: AbortSignal): AsyncGenerator<object, undefined> {
    await once(signal, "abort");
    yield* [];
    return undefined;
  }
  const reader = open(quiet);
  const delayOf = (text: string | undefined) => Number(/^retry: (\d+)\n\n$/.exec(text ?? "")?.[1]);
  const afterFailure = delayOf(await textOf(reader));
  const last = textOf(reader);
  await settle();
  time.pass(19_999);
  expect(time.timers).toEqual([20_000]);
  time.pass(1);
  // What is stored between this stream and the next one must not be late.
  expect(delayOf(await last)).toBeLessThan(afterFailure);
  expect((await reader.read()).done).toBe(true);
  expect(time.timers).toEqual([]);
});

it("a stream that outlives 20 seconds asks each time whether it may, and sends nothing before the answer", async () => {
  const answers: ((isAllowed: boolean) => void)[] = [];
  async function* endless(): AsyncGenerator<object, undefined> {
    for (let number = 0; ; number++) yield await Promise.resolve({ number });
  }
  const { body } = eventStream(endless, {
    ending: [],
    onFailure: noop,
    isStillAllowed: () =>
      new Promise((resolve) => {
        answers.push(resolve);
      }),
  });
  const reader = body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  await textOf(reader);
  for (const isAllowed of [true, false]) {
    // The stream has one event in advance.
    await settle();
    const before = answers.length;
    time.pass(20_000);
    expect(answers).toHaveLength(before + 1);
    await textOf(reader);
    const next = reader.read();
    await settle();
    answers[before]?.(isAllowed);
    expect((await next).done).toBe(!isAllowed);
  }
  expect(time.timers).toEqual([]);
});

it.each([
  ["ends", (reader: ReadableStreamDefaultReader<Uint8Array>) => reader.read()],
  ["is left", (reader: ReadableStreamDefaultReader<Uint8Array>) => reader.cancel()],
])("a stream that %s leaves no timer", async (_how, leave) => {
  async function* nothing(): AsyncGenerator<object, undefined> {
    yield* await Promise.resolve([]);
    return undefined;
  }
  const reader = open(nothing);
  await textOf(reader);
  await leave(reader);
  expect(time.timers).toEqual([]);
});
