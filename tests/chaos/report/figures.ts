import { groupBy } from "../../../src/db/group-by.js";
import type { AckEntry, FailEntry, IntentEntry, JournalEntry } from "../journal/entry.js";
import type { ChaosRun, Incident } from "../run/run-chaos.js";

/** The figures of one kind of fault, or of a whole run. */
export interface Figures {
  readonly name: string;
  readonly times: number;
  readonly acknowledged: number;
  readonly failed: number;
  /** Calls that were acknowledged, but not at the first attempt. */
  readonly retried: number;
  readonly exits: number;
  /** The longest time from the return of the server to the first acknowledged call, in milliseconds. */
  readonly firstMs: number;
  /** The longest time until every thread had a call acknowledged again; infinite if one had none. */
  readonly allMs: number;
  /** The longest time until all calls that were pending at the return had ended, whatever their outcome. */
  readonly pendingMs: number;
}

/** The figures of each kind of fault. A call counts for the last fault that started before its end. */
export function figuresByFault({ incidents, entries }: ChaosRun): Figures[] {
  const calls = callsOf(entries);
  const windows = incidents.map((incident, i) => ({
    incident,
    calls: calls.filter(
      ({ end }) => end.at >= incident.beganAt && end.at < (incidents[i + 1]?.beganAt ?? Infinity),
    ),
  }));
  return [...groupBy(windows, ({ incident }) => incident.fault)].map(([name, group]) =>
    figuresOf(name, group),
  );
}

/** The figures of all faults together. */
export function totalOf(figures: readonly Figures[]): Figures {
  const sum = (key: "times" | "acknowledged" | "failed" | "retried" | "exits"): number =>
    figures.reduce((total, each) => total + each[key], 0);
  const most = (key: "firstMs" | "allMs" | "pendingMs"): number =>
    Math.max(0, ...figures.map((each) => each[key]));
  return {
    name: "all",
    times: sum("times"),
    acknowledged: sum("acknowledged"),
    failed: sum("failed"),
    retried: sum("retried"),
    exits: sum("exits"),
    firstMs: most("firstMs"),
    allMs: most("allMs"),
    pendingMs: most("pendingMs"),
  };
}

/** How often each error was thrown, most frequent first. */
export function errorsOf(entries: readonly JournalEntry[]): [string, number][] {
  const failures = entries.filter((entry) => entry.type === "fail");
  const counts = [...groupBy(failures, ({ error }) => error)].map(([error, { length }]): [string, number] => [
    error,
    length,
  ]);
  return counts.sort(([, a], [, b]) => b - a);
}

interface Call {
  readonly intent: IntentEntry;
  readonly end: AckEntry | FailEntry;
}

interface Window {
  readonly incident: Incident;
  readonly calls: readonly Call[];
}

function figuresOf(name: string, windows: readonly Window[]): Figures {
  const calls = windows.flatMap((window) => window.calls);
  const most = (of: (window: Window) => number): number => Math.max(0, ...windows.map(of));
  return {
    name,
    times: windows.length,
    acknowledged: calls.filter(({ end }) => end.type === "ack").length,
    failed: calls.filter(({ end }) => end.type === "fail").length,
    retried: calls.filter(wasRetried).length,
    exits: windows.reduce((sum, { incident }) => sum + incident.exits, 0),
    firstMs: most(({ incident }) => incident.resumption?.firstMs ?? Infinity),
    allMs: most(({ incident }) => incident.resumption?.allMs ?? Infinity),
    pendingMs: most(pendingMs),
  };
}

// A list takes one connection per page, so it is not counted.
function wasRetried({ intent, end }: Call): boolean {
  return end.type === "ack" && intent.kind !== "list" && end.attempts > 1;
}

function pendingMs({ incident: { returnedAt }, calls }: Window): number {
  const pending = calls.filter(({ intent, end }) => intent.at < returnedAt && end.at > returnedAt);
  return Math.max(0, ...pending.map(({ end }) => end.at - returnedAt));
}

function callsOf(entries: readonly JournalEntry[]): Call[] {
  const intents = new Map<string, IntentEntry>();
  return entries.flatMap((entry) => {
    if (entry.type === "intent") intents.set(entry.op, entry);
    if (entry.type !== "ack" && entry.type !== "fail") return [];
    const intent = intents.get(entry.op);
    return intent === undefined ? [] : [{ intent, end: entry }];
  });
}
