import { inspect, isDeepStrictEqual } from "node:util";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import type { Saver } from "../subjects.js";
import { inNewDatabase } from "./in-new-database.js";
import type { FactScenario } from "./scenario.js";

const VALUES: readonly (readonly [name: string, value: unknown])[] = [
  ["Date", new Date(1_700_000_000_123)],
  ["Map", new Map([["a", 1]])],
  ["BigInt", 2n ** 62n],
  ["NaN", Number.NaN],
  ["undefined", undefined],
  ["Error", new Error("out of order")],
  ["RangeError", new RangeError("out of range")],
  ["Uint8Array", new Uint8Array([0, 127, 255])],
  ["Float64Array", new Float64Array([0.5, -0, Infinity])],
  ["BigInt64Array", new BigInt64Array([-1n, 2n ** 62n])],
];

/** Values in a graph's state: as the value of a channel, and inside an object. */
export const roundTrip: FactScenario = {
  name: "round trip of values",
  observe: (subject, server) =>
    inNewDatabase(subject, server, async (saver) => {
      const facts = [];
      for (const [name, value] of VALUES) {
        facts.push({ name: `${name} read back`, answer: await readBack(saver, value) });
      }
      return facts;
    }),
};

async function readBack(saver: Saver, value: unknown): Promise<string> {
  const written = { bare: value, nested: { value } };
  let config;
  try {
    ({ config } = await putValues(saver, threadConfig(newThread()), written));
  } catch {
    return "refused";
  }
  const read = (await saver.getTuple(config))?.checkpoint.channel_values ?? {};
  const changed = Object.entries(written).find(([channel, part]) => !isSame(read[channel], part));
  return changed === undefined ? "equal" : `becomes ${brief(read[changed[0]])}`;
}

// The driver returns bytes as a Buffer, a subclass of Uint8Array.
function isSame(read: unknown, written: unknown): boolean {
  return isDeepStrictEqual(Buffer.isBuffer(read) ? new Uint8Array(read) : read, written);
}

function brief(value: unknown): string {
  const text = value instanceof Error ? String(value) : inspect(value, { breakLength: Infinity });
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
