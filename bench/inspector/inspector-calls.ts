import type { OptionalIndex } from "../../src/migrations/index.js";
import { AGENT_THREAD, LARGE_THREAD, LONG_THREAD } from "./seed.js";

/** A call that a page of the inspector sends first. */
export interface PageCall {
  readonly page: string;
  readonly call: string;
  readonly args: object;
  /** An index that is created before it. */
  readonly index?: OptionalIndex;
}

/** The newest checkpoints of the threads that the pages open. */
export interface Newest {
  readonly long: string;
  readonly agent: string;
  readonly large: string;
  /** Threads of a page of the list. */
  readonly listed: readonly string[];
}

/** The calls of the pages, in the order in which a person opens them. */
export function pageCalls({ long, agent, large, listed }: Newest): readonly PageCall[] {
  const ofLong = { threadId: LONG_THREAD, namespace: "" };
  const ofAgent = { threadId: AGENT_THREAD, namespace: "" };
  const found = {
    ...ofAgent,
    checkpointId: agent,
    channel: "messages",
    messages: [{ role: "ai", id: "message 7" }],
  };
  const waiting = { state: "interrupted", limit: 100 };
  const largest = { threadId: LARGE_THREAD, namespace: "", checkpointId: large };
  const value = { ...largest, kind: "channel", channel: "text" };
  return [
    { page: "any", call: "overview", args: {} },
    { page: "threads", call: "threads", args: { limit: 100 } },
    { page: "threads, searched without a match", call: "threads", args: { search: "Nowhere", limit: 100 } },
    { page: "threads, filtered", call: "threads", args: { filter: { user: 7 }, limit: 100 } },
    { page: "threads, the latest first", call: "threads", args: { order: "recent", limit: 100 } },
    { page: "threads that wait, with the index", call: "threads", args: { ...waiting, order: "oldest" } },
    {
      page: "threads that have failed, with the index",
      call: "threads",
      args: { state: "failed", limit: 100 },
    },
    { page: "threads that are done", call: "threads", args: { state: "done", limit: 100 } },
    {
      page: "threads, filtered, the latest first",
      call: "threads",
      args: { order: "recent", filter: { user: 7 } },
    },
    { page: "threads", call: "threadCounts", args: {} },
    { page: "threads", call: "threadSizes", args: { threadIds: [...listed, LONG_THREAD] } },
    { page: "long thread", call: "thread", args: { threadId: LONG_THREAD } },
    { page: "long thread", call: "history", args: { ...ofLong, limit: 2_000 } },
    { page: "long thread, older", call: "history", args: { ...ofLong, limit: 2_000, before: long } },
    { page: "story of an agent", call: "story", args: { ...ofAgent, limit: 30 } },
    { page: "story of an agent, older", call: "story", args: { ...ofAgent, limit: 100, before: agent } },
    { page: "story of an agent", call: "findMessages", args: found },
    { page: "checkpoint of the long thread", call: "checkpoint", args: { ...ofLong, checkpointId: long } },
    { page: "checkpoint of the large value", call: "checkpoint", args: largest },
    { page: "large value", call: "value", args: { place: value, path: [] } },
    { page: "large value", call: "text", args: { place: value, path: [], offset: 0 } },
    { page: "storage", call: "tables", args: {} },
    { page: "storage of the long thread", call: "stepBytes", args: ofLong },
    { page: "storage of the long thread", call: "storage", args: { threadId: LONG_THREAD } },
    { page: "storage of the long thread", call: "chains", args: { threadId: LONG_THREAD } },
    { page: "health", call: "health", args: {} },
    { page: "1,000 threads, searched for a text", call: "threads", args: { search: '"no such words"' } },
    {
      page: "all threads, searched for a text, with the index",
      call: "threads",
      args: { search: '"no such words"' },
      index: "text-index",
    },
    { page: "the same, of an agent", call: "threads", args: { search: '"I look that up"' } },
  ];
}
