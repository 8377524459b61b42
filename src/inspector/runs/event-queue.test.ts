import { expect, it } from "@jest/globals";
import { EventQueue } from "./event-queue.js";

/** Reads what is left, after the queue has ended. */
async function rest<Event>(events: AsyncIterable<Event>): Promise<Event[]> {
  const read: Event[] = [];
  for await (const event of events) read.push(event);
  return read;
}

it("a reader gets each event in order, whether it waits or the event does, and none after the end", async () => {
  const events = new EventQueue<number>();
  const reader = events[Symbol.asyncIterator]();
  const waiting = reader.next();
  events.add(1);
  expect(await waiting).toEqual({ done: false, value: 1 });
  events.add(2);
  events.add(3);
  const atEnd = [reader.next(), reader.next(), reader.next()];
  events.end();
  events.add(4);
  expect(await Promise.all(atEnd)).toEqual([
    { done: false, value: 2 },
    { done: false, value: 3 },
    { done: true, value: undefined },
  ]);
});

it("a reader who does not read gets the last thousand events", async () => {
  const events = new EventQueue<number>();
  for (let n = 1; n <= 1_000; n++) events.add(n);
  expect((await events[Symbol.asyncIterator]().next()).value).toBe(1);
  events.add(1_001);
  events.add(1_002);
  events.end();
  expect(await rest(events)).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 3));
});
