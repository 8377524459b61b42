import { expect, it } from "@jest/globals";
import { idsFrom } from "../saver/model/checkpoint-time.js";
import { isIdle } from "./delete-whole-threads.js";

const NOW = Date.UTC(2026, 0, 2);
const agedMs = (ms: number) => ({
  checkpoint_id: `${idsFrom(new Date(NOW - ms))}-8000-000000000000`,
  ts: new Date(NOW).toISOString(),
});

it.each<[what: string, row: { checkpoint_id: string; ts: string | null }, ttl: string | null, idle: boolean]>(
  [
    ["is older than the rule allows", agedMs(1_001), null, true],
    ["is exactly as old", agedMs(1_000), null, false],
    ["is older than its own time to live", agedMs(6), "5", true],
    ["is younger than its own time to live", agedMs(2_000), "3000", false],
    ["has none to live", agedMs(1), "0", true],
    ["has a negative time to live", agedMs(500), "-1", false],
    ["has a text as its time to live", agedMs(500), "soon", false],
    ["has an empty time to live", agedMs(500), " ", false],
    [
      "has its time beside an id of another kind",
      { checkpoint_id: "9", ts: "2026-01-01T23:59:58Z" },
      null,
      true,
    ],
    ["has no time", { checkpoint_id: "9", ts: null }, "0", false],
    ["has a time that is none", { checkpoint_id: "9", ts: "yesterday" }, "0", false],
  ],
)("a thread whose newest checkpoint %s", (_, row, ttl, idle) => {
  expect(isIdle({ thread_id: "t", ...row, ttl }, { nowMs: NOW, idleForMs: 1_000 })).toBe(idle);
});
